"""The figures of an experiment, with the notes that every output repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answergraph.experiment.summary import Row
from answergraph.models.resolve import OFFLINE

TITLE = "Does an evidence field make a model check its work?"

OFFLINE_NOTE = (
    "These figures exercise the harness and say nothing about language models: the model 'offline' is a set of rules that was "
    "written to validate where the schema has the field."
)


@dataclass(frozen=True)
class Report:
    """The figures of an experiment."""

    model: str
    repeats: int
    """How often everything was done."""
    rows: Sequence[Row]

    @property
    def note(self) -> str | None:
        """What has to stand on every output, ``None`` for nothing."""
        return OFFLINE_NOTE if self.model == OFFLINE else None

    @property
    def about_spread(self) -> str:
        """What the error bars are."""
        if self.repeats == 1:
            return "one repeat, so no error bars"
        return f"error bars: standard deviation over {self.repeats} repeats"

"""The journal of finished runs, from which an interrupted experiment resumes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from answergraph.experiment.measurement import Measurement


@dataclass(frozen=True)
class RunKey:
    """Identifies a run."""

    model: str
    configuration: str
    """A hash of the setting's requests, the model and its address."""
    setting: str
    task: str
    repeat: int
    """The number of the repeat, from 1."""


@dataclass(frozen=True)
class HowMade:
    """How a run was made; empty in journals of older versions."""

    date: str = ""
    """When it ended, in UTC."""
    version: str = ""
    """Of answergraph."""
    served: list[str] = field(default_factory=list)
    """The model names that the provider reported."""
    parameters: dict[str, object] = field(default_factory=dict)
    """The model's own settings, its temperature for instance."""
    transcript: list[dict[str, object]] = field(default_factory=list)
    """Every message, as ``langchain_core.messages.messages_from_dict`` reads it."""


@dataclass(frozen=True)
class Record:
    """One line of the journal."""

    key: RunKey
    measurement: Measurement
    made: HowMade = field(default_factory=HowMade)


_RECORD = TypeAdapter(Record)


class Journal(AbstractContextManager["Journal", None]):
    """A file of one JSON object per finished run; a line that cannot be read is ignored, so its run is repeated."""

    def __init__(self, path: Path) -> None:
        """Open the journal; creates it and its folder if necessary."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab+")
        self._file.seek(0)
        text = self._file.read()
        self.records = {record.key: record for record in readable(text)}
        if text and not text.endswith(b"\n"):
            self._file.write(b"\n")
            self._file.flush()

    def add(self, record: Record) -> None:
        """Write a finished run, at once."""
        self._file.write(to_json(record, fallback=str) + b"\n")
        self._file.flush()
        self.records[record.key] = record

    def __exit__(self, *raised: object) -> None:
        self._file.close()


def readable(text: bytes) -> Iterator[Record]:
    for line in text.splitlines():
        try:
            yield _RECORD.validate_json(line)
        except ValidationError:
            continue

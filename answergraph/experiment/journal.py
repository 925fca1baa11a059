"""The journal of finished runs, from which an interrupted experiment resumes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from answergraph.experiment.measurement import Measurement


@dataclass(frozen=True)
class RunKey:
    """What makes two runs the same one."""

    model: str
    configuration: str
    """A hash of all that the setting shows the model, of the model and of where it is served."""
    setting: str
    task: str
    repeat: int
    """The number of the repeat, from 1."""


@dataclass(frozen=True)
class HowMade:
    """How a run was made, to be looked at afterwards; empty in journals of older versions."""

    date: str = ""
    """When it ended, in UTC."""
    version: str = ""
    """Of answergraph."""
    served: list[str] = field(default_factory=list)
    """The names of the models that the provider says have replied."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """The model's own settings, its temperature for instance."""
    transcript: list[dict[str, Any]] = field(default_factory=list)
    """Every message, as ``langchain_core.messages.messages_from_dict`` reads it."""


@dataclass(frozen=True)
class Record:
    """One line of the journal."""

    key: RunKey
    measurement: Measurement
    made: HowMade = field(default_factory=HowMade)


_RECORD = TypeAdapter(Record)


class Journal(AbstractContextManager["Journal", None]):
    """A file of one JSON object per finished run, written as the runs finish; used as a context manager.

    A line that cannot be read, because its writer was killed while writing it, counts as not there: its run is made again.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal, making it and its folder if need be.

        Raises:
            OSError: If it cannot be read or written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab+")
        self._file.seek(0)
        text = self._file.read()
        self.records = {record.key: record for record in readable(text)}
        """What is in it, per run."""
        if text and not text.endswith(b"\n"):
            self._file.write(b"\n")
            self._file.flush()

    def add(self, record: Record) -> None:
        """Write a finished run, at once.

        Raises:
            OSError: If it cannot be written.
        """
        self._file.write(to_json(record, fallback=str) + b"\n")
        self._file.flush()
        self.records[record.key] = record

    def __exit__(self, *raised: object) -> None:
        self._file.close()


def readable(text: bytes) -> Iterator[Record]:
    """Yield the records of a journal."""
    for line in text.splitlines():
        try:
            yield _RECORD.validate_json(line)
        except ValidationError:
            continue

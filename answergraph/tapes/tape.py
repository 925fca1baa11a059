"""A tape: one JSON object a line, the first one with the version of the format."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Self

from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.tapes.redaction import redacted
from answergraph.tapes.tape_json import from_json

VERSION = 1
_HEAD = "answergraph_tape"
_ANEW = "Record it anew: use_tape(…, mode='all')."


@explains_arguments("Tape(records)")
class Tape:
    """A recorded run: input, every request and reply, tool results, outcome.

    The records are plain JSON. Each has a ``kind``:

    - ``run``: ``input``; ``end``: ``outcome`` and ``answer``.
    - ``request``: ``at`` (the path of nodes), ``model``, ``settings`` and ``messages``, of which the first ``same`` are those of
      the request before at this place.
    - ``reply``: ``message``, or ``error``.
    - ``tool``: ``name``, ``args``, ``result`` or ``error``, ``interrupts`` (what was asked of a person), ``asks_models``.
    """

    def __init__(self, records: Collection[dict[str, Any]] = (), *, redact: Collection[str] = ()) -> None:
        """Make a tape of records; ``redact`` names fields whose values are not written."""
        self.records = list(records)
        # Of a single name the letters would be meant, and nothing be hidden.
        self.redact = frozenset([redact] if isinstance(redact, str) else redact)

    def __repr__(self) -> str:
        return f"Tape({len(self.inputs)} runs, {len(self._of('reply'))} replies, {len(self._of('tool'))} tool results)"

    @property
    def inputs(self) -> list[Any]:
        """The inputs of its runs; more than one where a run was resumed, or the tape holds a conversation."""
        return [from_json(record["input"]) for record in self._of("run")]

    @property
    def input(self) -> Any:
        """The input of its first run.

        Raises:
            AgentSpecError: If nothing was recorded.
        """
        if not (inputs := self.inputs):
            raise AgentSpecError("The tape is empty: no run was recorded.")
        return inputs[0]

    @property
    def end(self) -> dict[str, object]:
        """``outcome`` and ``answer`` of its last run, as JSON; empty if it did not end."""
        return next(reversed(self._of("end")), {})

    @property
    def outcome(self) -> Any:
        """The outcome of its last run; ``None`` if it has none."""
        return self.end.get("outcome")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a tape.

        Raises:
            AgentSpecError: If the file is no tape, or one of a later version.
        """
        lines = Path(path).read_bytes().splitlines()
        try:
            head = json.loads(lines[0])
            version = int(head[_HEAD])
        except (ValueError, LookupError, TypeError) as error:
            raise AgentSpecError(f"{path} is no tape: its first line must be {{{_HEAD!r}: {VERSION}}}. {_ANEW}") from error
        if version > VERSION:
            raise AgentSpecError(f"{path} is a tape of version {version}; this version of answergraph reads up to {VERSION}.")
        records = [_record(path, number, line) for number, line in enumerate(lines[1:], start=2) if line.strip()]
        return cls(records, redact=head.get("redact", ()))

    @classmethod
    def from_thread(cls, checkpointer: object, thread_id: str, *, redact: Collection[str] = ()) -> Self:
        """Make a tape of the last run of a stored thread, which was not recorded.

        It holds replies and tool results, but no requests: a thread does not store them. Play it with ``match="order"``.

        Args:
            checkpointer: Where the thread is stored.
            thread_id: The thread.
            redact: Names of fields and arguments whose values are not written.

        Raises:
            AgentSpecError: If the thread does not exist, or its run has not ended.
        """
        # Reads the thread by an agent of its own, which only a tape of a thread needs.
        from answergraph.tapes.threads import records_of_thread  # noqa: PLC0415 - see above

        return cls(records_of_thread(checkpointer, thread_id), redact=redact)

    def save(self, path: str | Path) -> None:
        """Write the tape, redacted; folders are made."""
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        head = {_HEAD: VERSION} | ({"redact": sorted(self.redact)} if self.redact else {})
        lines = [json.dumps(record, ensure_ascii=False) for record in (head, *redacted(self.records, self.redact))]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield each request with all its messages."""
        before: dict[str, list[Any]] = {}
        for record in self._of("request"):
            path = json.dumps(record["at"])
            before[path] = [*before.get(path, [])[: record["same"]], *record["messages"]]
            yield {**record, "messages": before[path]}

    def _of(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["kind"] == kind]


def _record(path: str | Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise AgentSpecError(f"{path}, line {number}, is no JSON; the file may have been cut. {_ANEW}") from error
    if not isinstance(record, dict) or "kind" not in record:
        raise AgentSpecError(f"{path}, line {number}, is no record of a tape: it has no 'kind'. {_ANEW}")
    return record

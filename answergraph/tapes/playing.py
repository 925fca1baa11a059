"""Records runs on a tape, plays them, and runs an agent again on a tape."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Never
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel
from typing_extensions import TypeVar

from answergraph.runtime.argument_checks import one_of, shown
from answergraph.runtime.errors import AgentSpecError, NoAnswerError
from answergraph.tapes.differences import Difference, TapeMismatch, difference_of_ends
from answergraph.tapes.player import Match, Player
from answergraph.tapes.recorder_in_use import recorded_by
from answergraph.tapes.tape import Tape
from answergraph.tapes.tape_json import end_of
from answergraph.tapes.writer import Writer, written_by

if TYPE_CHECKING:
    from answergraph.graphs.agent.agent_types import AgentGraph
    from answergraph.state.outcome import Outcome

ValueT = TypeVar("ValueT", default=Any)

RecordMode = Literal["once", "none", "all"]
"""``once``: record if there is no tape, else play it; ``none``: only play, a live call fails; ``all``: record anew."""


@contextmanager
def use_tape(
    path: str | Path,
    *,
    mode: RecordMode = "once",
    match: Match = "exact",
    redact: Collection[str] = (),
    live_tools: Collection[str] = (),
) -> Iterator[Tape]:
    """Record the runs of agents in this block, or play them without the network.

    A tape is written when the block ends without an error. Tools are played too: their recorded results are returned. A tool that
    asked models itself, such as an agent, runs again, and its models are played.

    Args:
        path: The tape's file.
        mode: When to record.
        match: ``"exact"``: a request that differs ends the run with a ``TapeMismatch``. ``"order"``: each model call gets the
            next reply of its place in the graph, so that a changed prompt does not end the run.
        redact: Names of fields and arguments whose values are never written, wherever they stand.
        live_tools: Names of tools that run for real while the tape is played.

    Yields:
        The tape.

    Raises:
        AgentSpecError: If ``mode="none"`` and there is no tape, the file is no tape, or nothing was recorded.
        TapeMismatch: Where a request differs, or the tape holds no reply or result for a call.

    Example:
        >>> import tempfile
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel, use_tape
        >>> model = ScriptedChatModel(replies=["It is 4."])  # one reply: a second request would fail
        >>> agent = create_agent(model, [])
        >>> path = f"{tempfile.mkdtemp()}/sum.jsonl"
        >>> for _ in ("recorded", "played"):
        ...     with use_tape(path):
        ...         print(agent.invoke({"messages": "What is 2 + 2?"})["messages"][-1].text)
        It is 4.
        It is 4.
    """
    _check_modes(mode, match)
    if not isinstance(path, str | Path) or Path(path).is_dir():
        raise AgentSpecError(f"use_tape: {path!r} is not a file; write use_tape('tape.jsonl').")
    file = Path(path)
    if mode == "none" and not file.exists():
        raise AgentSpecError(f"There is no tape {file}, and mode='none' records none; record it with mode='once'.")
    if mode == "all" or not file.exists():
        tape = Tape(redact=redact)
        with written_by(Writer(tape)):
            yield tape
        if not tape.records:
            raise AgentSpecError(f"No agent ran in the block of the tape {file}, so nothing was recorded.")
        tape.save(file)
    else:
        tape = Tape.load(file)
        with recorded_by(Player(tape, match, live_tools)):
            yield tape


@dataclass(frozen=True)
class Replay(Generic[ValueT]):
    """What became of a run on a tape."""

    answer: ValueT | None
    end: Outcome | None
    """How it ended; ``None`` if it did not: at a difference, or because it waits for a person."""
    difference: Difference | None
    """Where it first went another way than the tape; ``None`` if it did not."""

    @property
    def outcome(self) -> Outcome:
        """How the run ended.

        Raises:
            TapeMismatch: If a request that differs from the recorded one was its end.
            AgentSpecError: If it waits for a person, as the recorded run did.
        """
        if self.end is not None:
            return self.end
        if self.difference is not None:
            raise TapeMismatch(self.difference)
        raise AgentSpecError("The run has no outcome: it waits for a person, and so does the recorded one.")


def replay(
    tape: Tape | str | Path,
    agent: AgentGraph[ValueT, Never, object],
    *,
    match: Match = "exact",
    live_tools: Collection[str] = (),
) -> Replay[ValueT]:
    """Run an agent on the inputs and the replies of a tape, without the network.

    Args:
        tape: A tape, or its file.
        agent: The agent that made it, or a changed one. Its threads are not touched.
        match: As for ``use_tape``; with ``"exact"``, the first request that differs ends the run and is the ``difference``.
        live_tools: As for ``use_tape``.

    Raises:
        AgentSpecError: If the tape is empty or no tape.
    """
    _check_modes("none", match)
    played = tape if isinstance(tape, Tape) else Tape.load(tape)
    player = Player(played, match, live_tools)
    if not played.inputs:
        raise AgentSpecError("The tape is empty: no run was recorded.")
    # A run that waits for a person goes on in the thread where it began.
    if not isinstance(agent, Pregel):
        raise AgentSpecError(f"replay: agent={shown(agent)} is no agent; pass the graph that create_agent(…) returns.")
    graph: Any = agent.copy(update={"checkpointer": InMemorySaver()})
    config: Any = {"configurable": {"thread_id": uuid4().hex}}
    result: Mapping[str, Any] = {}
    with recorded_by(player):
        for run_input in played.inputs:
            try:
                result = graph.invoke(run_input, config)
            except TapeMismatch as mismatch:
                return Replay(None, None, mismatch.difference)
            except NoAnswerError as error:
                result = {"outcome": error.outcome}
    difference = player.difference or difference_of_ends(player.calls, played.end, end_of(result))
    return Replay(result.get("structured_response"), result.get("outcome"), difference)


def _check_modes(mode: str, match: str) -> None:
    one_of("mode", RecordMode, mode)
    one_of("match", Match, match)

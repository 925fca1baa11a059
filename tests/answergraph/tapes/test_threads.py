"""A thread that a checkpointer stored is run again without the network, however its run went."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import NoAnswerError
from answergraph.testing import Tape, replay
from tests.answergraph.tapes.stored_tape import agent
from tests.upgrades.stopped_threads import continued_after
from tests.upgrades.thread_kinds import KINDS

NOT_STORED = {
    "a person at a hook": "what a person answered there is in no message",
    "a caller's schema": "it is in the context of the run",
    "another key": "its answer and outcome are under other keys",
    "a judge": "it has no messages",
    "a workflow": "it has no messages",
}
"""Kinds of threads without what a replay needs, and why: ``docs/how-to/tapes.md``."""
STOPS = (0, 2, 3, 5)
"""How often a run was stopped between two nodes before it ended, as by a kill: a thread each."""
PLAYED = sorted(KINDS.keys() - NOT_STORED)


def test_there_are_a_hundred_threads() -> None:
    assert len(PLAYED) * len(STOPS) >= 100
    assert {"a person", "a person beside a tool", "an agent inside", "a stopped tool", "a stopped model", "a quote"} <= {*PLAYED}
    assert NOT_STORED.keys() <= KINDS.keys()


@pytest.mark.parametrize("name", PLAYED)
def test_a_stored_thread_ends_again_as_it_did_and_is_read_without_a_word(name: str, caplog: pytest.LogCaptureFixture) -> None:
    kind = KINDS[name]
    for stops in STOPS:
        saver = InMemorySaver()
        with suppress(NoAnswerError):
            continued_after(kind.build(saver), kind, {"configurable": {"thread_id": "1"}}, stops)
        began = time.process_time()
        caplog.clear()
        tape = Tape.from_thread(saver, "1")
        assert caplog.messages == []
        again = replay(tape, kind.build(InMemorySaver()), match="order")
        assert again.difference is None, f"stopped {stops} times: {again.difference}"
        # Without a response format there is no outcome.
        assert (tape.outcome and tape.outcome["status"]) == (again.end and again.end["status"])
        assert time.process_time() - began < 1  # seconds of CPU; 0.14 were the most


STORED = Path(__file__).parent / "stored"


@pytest.mark.parametrize("file", sorted(STORED.glob("*.jsonl")), ids=lambda file: file.stem)
def test_a_tape_of_an_earlier_version_is_played(file: Path) -> None:
    again: Any = replay(file, agent(), match="order")
    assert again.difference is None
    assert (again.answer.case, again.answer.passed) == ("A-17", True)
    assert again.outcome["fields"]["why"]["status"] == "supported"
    assert "4111 1111" not in file.read_text()

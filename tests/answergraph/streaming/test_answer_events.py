"""Answer events are distinguished from all other events."""

import pytest

from answergraph.streaming.answer_events import ANSWER_EVENT, is_answer_event


@pytest.mark.parametrize("data", [None, "growing", 5, {}, {"type": "progress"}, [ANSWER_EVENT]])
def test_a_tool_cannot_write_answer_events(data: object) -> None:
    assert not is_answer_event(data)

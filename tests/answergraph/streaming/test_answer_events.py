"""Answer events are distinguished from all other events."""

import pytest

from answergraph.streaming.answer_events import ANSWER_EVENT, is_answer_event


@pytest.mark.parametrize("data", [None, "growing", 5, {}, {"type": "progress"}, [ANSWER_EVENT]])
def test_what_a_tool_writes_is_no_answer_event(data: object) -> None:
    assert not is_answer_event(data)

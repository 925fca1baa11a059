"""The conversation that is sent: any history becomes one that strict servers accept, and a legal one stays the same object."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call

from answergraph.calling.legal_history import GO_ON, SEEN, in_turns, legal_history

TOOLS = frozenset({"search"})
IDS = st.sampled_from(["a", "b", "", None])
NAMES = st.sampled_from(["search", "no such tool", "", "x" * 90, "läuft"])
CALLS = st.lists(
    st.builds(
        tool_call, name=NAMES, args=st.dictionaries(st.text(max_size=3), st.floats() | st.text(max_size=3), max_size=2), id=IDS
    ),
    max_size=3,
)
MALFORMED = st.lists(st.builds(invalid_tool_call, name=NAMES, args=st.just('{"query": '), id=IDS, error=st.none()), max_size=1)
MESSAGES = st.lists(
    st.builds(HumanMessage, content=st.text(max_size=4), name=st.sampled_from([None, "a person", "x<y>"]))
    | st.builds(SystemMessage, content=st.just("Be short."))
    | st.builds(AIMessage, content=st.text(max_size=4), tool_calls=CALLS, invalid_tool_calls=MALFORMED)
    | st.builds(ToolMessage, content=st.just("found"), tool_call_id=st.sampled_from(["a", "b", "c"])),
    max_size=8,
).map(lambda messages: [HumanMessage("Begin."), *messages])


@given(MESSAGES)
def test_every_call_has_one_result_right_after_it_and_arguments_that_are_a_json_object(messages: list[Any]) -> None:
    before = [message.model_copy(deep=True) for message in messages]
    legal = legal_history(messages, TOOLS)
    assert repr(messages) == repr(before), "what is stored was changed"
    waiting: list[str] = []
    for message in legal:
        if isinstance(message, ToolMessage):
            waiting.remove(message.tool_call_id)
            continue
        assert waiting == []
        if isinstance(message, AIMessage):
            assert message.invalid_tool_calls == []
            waiting = [str(call["id"]) for call in message.tool_calls]
            assert len(set(waiting)) == len(waiting)
            for call in message.tool_calls:
                assert call["name"] in TOOLS or call["name"].replace("_", "").replace("-", "").isascii()
                json.dumps(call["args"], allow_nan=False)
    assert waiting == []


@given(MESSAGES)
def test_a_legal_history_is_the_same_object(messages: list[Any]) -> None:
    legal = legal_history(messages, TOOLS)
    assert legal_history(legal, TOOLS) is legal


@given(MESSAGES, st.text(max_size=3))
def test_a_further_message_leaves_what_was_sent_before_as_it_was(messages: list[Any], text: str) -> None:
    """The provider's prompt cache stays valid."""
    sent = list(legal_history(messages, TOOLS))
    again = list(legal_history([*messages, HumanMessage(text)], TOOLS))
    assert repr(again[: len(sent)]) == repr(sent)


def test_a_later_result_of_a_call_takes_the_place_of_an_earlier_one() -> None:
    asks = AIMessage("", tool_calls=[tool_call(name="search", args={}, id="a")])
    messages: list[Any] = [
        asks,
        ToolMessage("too late", tool_call_id="a"),
        HumanMessage("And?"),
        ToolMessage("found", tool_call_id="a"),
    ]
    assert [message.text for message in legal_history(messages, TOOLS)] == ["", "found", "And?"]


def test_roles_follow_each_other_as_a_provider_requires() -> None:
    asks = AIMessage(" ", tool_calls=[tool_call(name="search", args={}, id="a")])
    messages: list[Any] = [asks, ToolMessage("found", tool_call_id="a"), HumanMessage("And?"), AIMessage("Done.")]
    rules: Any = ("user_first", "model_after_tool", "user_last")
    assert [message.text for message in in_turns(messages, rules)] == [GO_ON, "", "found", SEEN, "And?", "Done.", GO_ON]
    assert in_turns(messages, ()) == messages

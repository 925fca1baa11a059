"""Whatever a thread holds, the request made of it is one that strict servers accept; what is stored stays as it is."""

import itertools
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from answergraph import ToolStrategy, create_agent
from answergraph.middleware import wrap_model_call, wrap_tool_call
from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel
from tests.openai_server import OpenAIServer, ToolCall, calls, says
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

RIGHT = calls(ToolCall("Verdict", {"passed": True}))
THREAD: Any = {"configurable": {"thread_id": "1"}}


def agent_at(server: OpenAIServer, **options: Any) -> Any:
    model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("key"), max_retries=0)
    return create_agent(model, [search], **{"response_format": ToolStrategy(Verdict), **options})


def asks(*called: str) -> AIMessage:
    return AIMessage("", tool_calls=[tool_call(name="search", args={"query": each}, id=each) for each in called])


def found(call_id: str, text: str = "found") -> ToolMessage:
    return ToolMessage(text, tool_call_id=call_id, name="search")


def sent(run: Any, *messages: Any) -> list[Any]:
    """Return what a model is sent of a conversation that ends with a question."""
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[tool_call(name="Verdict", args={"passed": True}, id="v")])])
    run(create_agent(model, [search], response_format=Verdict), {"messages": [*messages, HumanMessage("And?")]})
    return list(model.requests[0].messages)


def shape(messages: list[Any]) -> list[Any]:
    return [(m.type, m.tool_call_id if isinstance(m, ToolMessage) else m.text) for m in messages]


NO_NUMBERS = ('{"query": NaN}', '{"query": [-Infinity, {"n": Infinity}]}')
"""What Python reads as JSON, and no server."""


def not_json(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize("arguments", NO_NUMBERS)
def test_arguments_of_a_run_without_a_format_are_json_too(run: Any, arguments: str) -> None:
    with OpenAIServer([calls(ToolCall("search", arguments)), says("Done.")]) as server:
        agent = agent_at(server, response_format=None)
        stored = run(agent, {"messages": ["Did it pass?"]})["messages"]
        (sent_call,) = server.requests[1].body["messages"][1]["tool_calls"]
    assert json.loads(sent_call["function"]["arguments"], parse_constant=not_json)["query"] in (
        "NaN",
        ["-Infinity", {"n": "Infinity"}],
    )
    assert "nan" in repr(stored[1].tool_calls) or "-inf" in repr(stored[1].tool_calls)


def test_the_arguments_in_a_content_block_are_json_too(run: Any) -> None:
    block = {"type": "tool_use", "id": "1", "name": "search", "input": {"query": float("nan")}}
    call = tool_call(name="search", args={"query": float("nan")}, id="1")
    (asked, *_) = sent(run, AIMessage([block], tool_calls=[call]), found("1"))
    assert (asked.content[0]["input"], asked.tool_calls[0]["args"]) == ({"query": "NaN"}, {"query": "NaN"})


def test_a_text_that_speaks_of_no_number_stays_as_it_is(run: Any) -> None:
    messages = [asks("[nan, inf]"), found("[nan, inf]")]
    assert sent(run, *messages)[:2] == messages


@pytest.mark.parametrize("arguments", ['{"query": "x', "not JSON", "[1]", '"text"', "{'query': 1}", *NO_NUMBERS])
@pytest.mark.parametrize("call", ["search", "Verdict", "gone"])
def test_the_arguments_of_every_call_in_a_request_are_a_json_object(run: Any, call: str, arguments: str) -> None:
    # vLLM and llama.cpp refuse every later request of such a thread.
    with OpenAIServer([calls(ToolCall(call, arguments)), RIGHT, RIGHT]) as server:
        agent = agent_at(server, checkpointer=InMemorySaver())
        for question in ("Did it pass?", "And now?"):
            result = run(agent, {"messages": [question]}, THREAD)
            assert result["structured_response"] == Verdict(passed=True)
        bodies = [request.body for request in server.requests]
    written = [call["function"]["arguments"] for body in bodies for m in body["messages"] for call in m.get("tool_calls") or ()]
    assert written
    assert all(isinstance(json.loads(each, parse_constant=not_json), dict) for each in written)
    for before, after in itertools.pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]


def test_the_conversation_keeps_what_the_model_wrote(run: Any) -> None:
    with OpenAIServer([calls(ToolCall("search", '{"query": "x')), RIGHT]) as server:
        messages = run(agent_at(server), {"messages": ["Did it pass?"]})["messages"]
    assert [call["args"] for m in messages for call in getattr(m, "invalid_tool_calls", ())] == ['{"query": "x']


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_a_result_whose_text_no_request_can_contain_is_sent_without_those_characters(run: Any, is_wrapped: bool) -> None:
    @tool("search")
    def list_files(query: str) -> str:
        """List files, one of which has a name that is not UTF-8."""
        return "caf\udce9.txt, résumé.txt"

    @wrap_tool_call
    def through(request: Any, handler: Any) -> Any:
        return handler(request)

    middleware = [through] if is_wrapped and not run.is_async else []
    with OpenAIServer([calls(ToolCall("search", {"query": "x"})), RIGHT]) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("key"), max_retries=0)
        agent = create_agent(model, [list_files], response_format=ToolStrategy(Verdict), middleware=middleware)
        result = run(agent, {"messages": ["Which files are there?"]})
        assert server.requests[1].body["messages"][-1]["content"] == result["messages"][2].content
    assert result["messages"][2].content == "caf?.txt, résumé.txt"
    assert result["structured_response"] == Verdict(passed=True)


def test_results_stand_after_their_calls_in_the_order_of_their_arrival(run: Any) -> None:
    history = [HumanMessage("Go."), asks("a", "b", "c"), found("b"), HumanMessage("Well?"), found("a"), found("c")]
    assert shape(sent(run, *history)) == [
        ("human", "Go."),
        ("ai", ""),
        ("tool", "b"),
        ("tool", "a"),
        ("tool", "c"),
        ("human", "Well?"),
        ("human", "And?"),
    ]


def test_a_result_without_its_call_is_left_out(run: Any) -> None:
    assert shape(sent(run, HumanMessage("Go."), found("x"), asks("a"), found("a"), found("y"))) == [
        ("human", "Go."),
        ("ai", ""),
        ("tool", "a"),
        ("human", "And?"),
    ]


def test_the_later_of_two_results_counts(run: Any) -> None:
    messages = sent(run, HumanMessage("Go."), asks("a"), found("a", "not in time"), HumanMessage("Well?"), found("a", "42"))
    assert [m.text for m in messages if isinstance(m, ToolMessage)] == ["42"]


def test_a_call_whose_result_was_trimmed_away_by_a_middleware_is_answered(run: Any) -> None:
    @wrap_model_call
    def without_results(request: Any, handler: Any) -> Any:
        return handler(request.override(messages=[m for m in request.messages if not isinstance(m, ToolMessage)]))

    with OpenAIServer([calls(ToolCall("search", {"query": "x"})), RIGHT]) as server:
        agent = agent_at(server, middleware=[without_results] if not run.is_async else [])
        assert run(agent, {"messages": ["Did it pass?"]})["structured_response"] == Verdict(passed=True)
        assert [m["role"] for m in server.requests[1].body["messages"]] == ["user", "assistant", "tool"]


def test_names_that_openai_refuses_are_rewritten(run: Any) -> None:
    wrapped = AIMessage("", tool_calls=[tool_call(name="multi_tool_use.parallel", args={}, id="a")], name="my agent")
    with OpenAIServer([RIGHT]) as server:
        agent = agent_at(server)
        history = [HumanMessage("Go.", name="Ada Lovelace"), wrapped, found("a"), HumanMessage("And?")]
        assert run(agent, {"messages": history})["structured_response"] == Verdict(passed=True)
        user, reply, *_ = server.requests[0].body["messages"]
    assert user["name"] == "Ada_Lovelace"
    assert (reply["name"], reply["tool_calls"][0]["function"]["name"]) == ("my_agent", "multi_tool_use_parallel")


def test_the_name_of_a_tool_of_the_agent_is_sent_as_it_is(run: Any) -> None:
    # Gemini takes names with dots.
    dotted = search.model_copy(update={"name": "logs.search"})
    model = ScriptedChatModel(
        replies=[AIMessage("", tool_calls=[tool_call(name="logs.search", args={"query": "x"}, id="a")]), "Ok"]
    )
    run(create_agent(model, [dotted]), {"messages": ["Go."]})
    (called,) = [call for m in model.requests[1].messages if isinstance(m, AIMessage) for call in m.tool_calls]
    assert called["name"] == "logs.search"


def test_the_arguments_in_the_blocks_of_a_reply_are_an_object_too(run: Any) -> None:
    spoilt = AIMessage(
        [
            {"type": "text", "text": "Let me look."},
            {"type": "function_call", "name": "search", "call_id": "a", "id": "fc_1", "arguments": '{"que'},
            {"type": "tool_use", "name": "search", "id": "b", "input": "no"},
            {"type": "invalid_tool_call", "name": "search", "id": "c", "args": "no"},
        ],
        invalid_tool_calls=[invalid_tool_call(name="search", args="no", id=each, error=None) for each in ("a", "b", "c")],
    )
    _, reply, *results = sent(run, HumanMessage("Go."), spoilt, found("a"), found("b"), found("c"))
    assert isinstance(reply, AIMessage)
    blocks: list[Any] = [*reply.content]
    assert [(block["type"], block.get("arguments", block.get("input", block.get("args")))) for block in blocks[1:]] == [
        ("function_call", "{}"),
        ("tool_use", {}),
        ("tool_call", {}),
    ]
    assert [call["args"] for call in reply.tool_calls] == [{}, {}, {}]
    assert shape(results) == [("tool", "a"), ("tool", "b"), ("tool", "c"), ("human", "And?")]


def test_a_conversation_that_is_legal_is_sent_as_it_is(run: Any) -> None:
    history: list[Any] = [
        SystemMessage("Be brief."),
        HumanMessage("Go."),
        asks("a", "b"),
        found("b"),
        found("a"),
        AIMessage("Well."),
    ]
    assert all(one is other for one, other in zip(sent(run, *history), history, strict=False))


def test_a_model_that_writes_the_conversation_as_a_text_sees_its_own_words(run: Any) -> None:
    replies = ["Action: search\nAction Input: not JSON", "Action: search\nAction Input: x", "Final Answer: yes"]
    llm = ScriptedChatModel(replies=replies)
    run(create_agent(ReActTextModel(llm), [search]), {"messages": ["Go."]})
    assert replies[0].partition("\n")[0] in str(llm.requests[-1].messages)


def test_a_thread_that_begins_with_a_greeting_and_holds_a_spoilt_call_goes_on(run: Any) -> None:
    spoilt = AIMessage(" ", invalid_tool_calls=[invalid_tool_call(name="search", args="{", id=None, error=None)])
    with OpenAIServer([RIGHT]) as server:
        history: list[Any] = [AIMessage("How can I help?"), HumanMessage("Go."), spoilt, HumanMessage("And?")]
        assert run(agent_at(server), {"messages": history})["structured_response"] == Verdict(passed=True)
        (request,) = server.requests
    called, result = request.body["messages"][2]["tool_calls"][0], request.body["messages"][3]
    assert called["id"] == result["tool_call_id"]

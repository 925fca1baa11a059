"""A response format made at run time works like a declared one: offered, read, corrected, narrowed, restored from checkpoints."""

from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import TypedDict

from answergraph import AgentSpecError, FromContext, NoAnswerError, ToolStrategy, UsageLimits, create_agent
from answergraph.errors import ResponseFormatError
from answergraph.middleware import NarrowResponseFormat, before_model
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Missing, Verdict, call, calls, every_call_is_answered, lookup
from tests.suite.tools import search

SCHEMA: dict[str, Any] = {
    "title": "Count",
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}
COUNTED = calls(call("Count", {"n": 3}, "c"))


def agent_of(*replies: Any, response_format: Any, tools: Any = (search,), **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, list(tools), response_format=response_format, context_schema=dict, **options), model


def by_turn(state: Any, runtime: Any) -> Any:
    return ToolStrategy(Missing) if len(state["messages"]) == 1 else ToolStrategy(Verdict)


def test_a_callers_schema_is_offered_validated_and_corrected(run: Any) -> None:
    agent, model = agent_of(calls(call("Count", {"n": "x"})), COUNTED, response_format=FromContext())
    result = run(agent, QUESTION, context={"response_format": SCHEMA})
    assert result["structured_response"] == {"n": 3}
    assert [a["status"] for a in result["outcome"]["attempts"]] == ["invalid", "answered"]
    assert model.requests[0].tool_names == ["search", "Count"]
    assert every_call_is_answered(result["messages"])


def test_one_graph_answers_each_run_of_a_thread_in_its_own_shape(run: Any) -> None:
    other = {**SCHEMA, "title": "Other"}
    agent, _ = agent_of(
        COUNTED, "Just talk.", calls(call("Other", {"n": 4}, "o")), response_format=FromContext(), checkpointer=InMemorySaver()
    )
    thread: Any = {"configurable": {"thread_id": "1"}}
    first = run(agent, QUESTION, thread, context={"response_format": SCHEMA})
    second = run(agent, QUESTION, thread)
    third = run(agent, QUESTION, thread, context={"response_format": other})
    assert [r.get("structured_response") for r in (first, second, third)] == [{"n": 3}, None, {"n": 4}]
    assert (second["outcome"]["status"], second["outcome"]["schema"]) == ("answered", None)
    assert third["outcome"]["schema"] == "Other"


def test_without_a_schema_the_run_is_one_of_text_with_tools(run: Any) -> None:
    agent, model = agent_of(calls(call("search", {"query": "q"})), "Found it.", response_format=FromContext())
    result = run(agent, QUESTION)
    assert result["messages"][-1].text == "Found it."
    outcome = result["outcome"]
    assert (outcome["status"], outcome["schema"], outcome["usage"]["tool_calls"]) == ("answered", None, 1)
    assert result["structured_response"] is None
    assert [request.tool_names for request in model.requests] == [["search"]] * 2


def test_a_tool_that_returns_directly_ends_a_run_of_text(run: Any) -> None:
    agent, _ = agent_of(calls(call("lookup", {"key": "bad"})), response_format=FromContext(), tools=[lookup])
    result = run(agent, QUESTION)
    assert (result["messages"][-1].text, result["outcome"]["status"]) == ("nothing there", "answered")


def test_a_run_without_a_schema_uses_the_default(run: Any) -> None:
    agent, _ = agent_of(calls(call("Verdict", GOOD)), response_format=FromContext(default=Verdict))
    assert run(agent, QUESTION)["structured_response"] == Verdict.model_validate(GOOD)


def test_the_schema_may_come_under_another_key_of_the_context(run: Any) -> None:
    agent, _ = agent_of(COUNTED, response_format=FromContext("shape"))
    assert run(agent, QUESTION, context={"shape": SCHEMA})["structured_response"] == {"n": 3}
    with pytest.raises(ResponseFormatError, match="The context's 'shape' cannot be used"):
        run(agent, QUESTION, context={"shape": "Count"})


def test_a_function_makes_the_format_of_each_call(run: Any) -> None:
    agent, model = agent_of(calls(call("search", {"query": "q"})), calls(call("Verdict", GOOD, "2")), response_format=by_turn)
    assert run(agent, QUESTION)["structured_response"] == Verdict.model_validate(GOOD)
    assert [request.tool_names for request in model.requests] == [["search", "Missing"], ["search", "Verdict"]]


@pytest.mark.parametrize("restarted", [False, True], ids=["the same process", "another process"])
def test_what_was_offered_holds_over_a_checkpoint(run: Any, restarted: bool) -> None:
    options: dict[str, Any] = {"response_format": by_turn, "checkpointer": InMemorySaver()}
    config: Any = {"configurable": {"thread_id": "1"}}
    agent, _ = agent_of(calls(call("Missing", {"facts": []})), interrupt_before=["structured_response"], **options)
    run(agent, QUESTION, config)
    later = agent_of(**options)[0] if restarted else agent
    assert run(later, None, config)["structured_response"] == Missing(facts=[])


def test_a_function_that_gives_another_format_for_the_same_call_is_an_error(run: Any) -> None:
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    options: dict[str, Any] = {"checkpointer": saver}
    before, _ = agent_of(
        calls(call("Missing", {"facts": []})), response_format=by_turn, interrupt_before=["structured_response"], **options
    )
    run(before, QUESTION, config)
    after, _ = agent_of(response_format=lambda state, runtime: Verdict, **options)
    with pytest.raises(ResponseFormatError, match=r"was offered \['Missing'\].*now made.*\['Verdict'\]"):
        run(after, None, config)


def test_middleware_narrows_a_format_made_at_run_time(run: Any) -> None:
    agent, model = agent_of(
        calls(call("Verdict", GOOD)),
        calls(call("Missing", {"facts": []}, "2")),
        response_format=lambda state, runtime: Verdict | Missing,
        middleware=[NarrowResponseFormat(lambda _: Missing)],
    )
    result = run(agent, QUESTION)
    assert result["structured_response"] == Missing(facts=[])
    assert "'Verdict' is not offered now" in result["messages"][2].text
    assert result["outcome"]["narrowed"][0]["to"] == ["Missing"]
    assert model.requests[0].tool_names == ["search", "Missing"]


BAD_FORMATS: dict[str, Any] = {
    "no schema": ({"type": "objekt"}, "cannot be used"),
    "a remote reference": ({"$ref": "https://example.org/s.json"}, "cannot be used"),
    "the name of a tool": ({**SCHEMA, "title": "search"}, "'search' is the name of a tool"),
    "no JSON": ({"title": "X", "type": "object", "properties": {"a": {1, 2}}}, "cannot be used"),
}


@pytest.mark.parametrize(("brought", "words"), BAD_FORMATS.values(), ids=BAD_FORMATS.keys())
def test_a_bad_schema_is_refused_before_the_model_is_called_and_the_thread_goes_on(run: Any, brought: Any, words: str) -> None:
    agent, model = agent_of(COUNTED, response_format=FromContext(), checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    with pytest.raises(ResponseFormatError, match=words):
        run(agent, QUESTION, config, context={"response_format": brought})
    assert model.requests == []
    assert run(agent, None, config, context={"response_format": SCHEMA})["structured_response"] == {"n": 3}


@pytest.mark.parametrize("made", ["Verdict", 5, Verdict.model_validate(GOOD)], ids=["a name", "a number", "an instance"])
def test_a_function_that_returns_no_format_is_an_error(run: Any, made: Any) -> None:
    agent, model = agent_of(response_format=lambda state, runtime: made)
    with pytest.raises(ResponseFormatError, match="made for this run cannot be used: Unsupported schema type"):
        run(agent, QUESTION)
    assert model.requests == []


async def make(state: Any, runtime: Any) -> Any:
    return Verdict


class Makes:
    async def __call__(self, state: Any, runtime: Any) -> Any:
        return Verdict


@pytest.mark.parametrize("response_format", [make, Makes()], ids=["a function", "an object"])
def test_an_async_function_is_refused_while_building(response_format: Any) -> None:
    with pytest.raises(AgentSpecError, match="not async"):
        create_agent(ScriptedChatModel(replies=[]), response_format=response_format)


def test_the_graph_has_the_answer_node_without_a_schema_too() -> None:
    agent, _ = agent_of(response_format=FromContext())
    edges = {(edge.source, edge.target, edge.data) for edge in agent.get_graph().edges}
    assert {("model", "structured_response", "read_answer"), ("model", "__end__", "finish")} <= edges


def test_a_jump_to_the_end_reads_nothing_and_says_so(run: Any) -> None:
    @before_model(can_jump_to=["end"])
    def stop(state: Any, runtime: Any) -> Any:
        return {"jump_to": "end"}

    agent, _ = agent_of(response_format=FromContext(), middleware=[stop])
    assert run(agent, QUESTION, context={"response_format": SCHEMA})["outcome"]["status"] == "unanswered"
    assert run(agent, QUESTION).get("outcome") is None


def test_a_failure_is_raised_on_request_and_a_text_is_not_a_failure(run: Any) -> None:
    options: dict[str, Any] = {"on_failure": "raise", "limits": UsageLimits(answer_attempts=1)}
    agent, _ = agent_of(calls(call("Verdict", BAD)), response_format=FromContext(default=Verdict), **options)
    with pytest.raises(NoAnswerError):
        run(agent, QUESTION)
    assert run(agent_of("Hello.", response_format=FromContext(), **options)[0], QUESTION)["messages"][-1].text == "Hello."


def test_a_check_reads_answers_of_a_format_made_at_run_time(run: Any) -> None:
    seen: list[Any] = []
    agent, _ = agent_of(AIMessage('{"n": 3}'), response_format=FromContext(), check_answer=lambda *a: seen.append(a[0]))
    run(agent, QUESTION, context={"response_format": SCHEMA})
    assert seen == [{"n": 3}]


def test_a_callers_schema_that_was_changed_in_place_is_read_again(run: Any) -> None:
    schema: dict[str, Any] = {"title": "Number", "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    agent = create_agent(ScriptedChatModel(replies=['{"n": 3}'] * 2), response_format=FromContext(), context_schema=dict)
    assert run(agent, {"messages": ["?"]}, context={"response_format": schema})["structured_response"] == {"n": 3}
    schema["properties"]["n"] = {"type": "boolean"}
    schema["properties"]["more"] = {"$ref": "https://example.org/schema"}
    with pytest.raises(ResponseFormatError, match="points outside the schema"):
        run(agent, {"messages": ["?"]}, context={"response_format": schema})


class Shapes(TypedDict):
    form: dict[str, Any]


@dataclass
class Context:
    response_format: dict[str, Any] | None = None
    user: str = ""


@pytest.mark.parametrize(
    ("key", "schema", "message"),
    [
        (
            "respons_format",
            Context,
            r"has no 'respons_format'. Did you mean 'response_format'\? It has \['response_format', 'user'\]",
        ),
        ("shape", Shapes, r"has no 'shape'. It has \['form'\]"),
    ],
)
def test_a_key_that_no_context_can_have_is_refused_while_building(key: str, schema: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        create_agent(ScriptedChatModel(replies=[]), response_format=FromContext(key), context_schema=schema)


@pytest.mark.parametrize("schema", [None, dict, Context])
def test_a_key_that_a_context_may_have_builds(schema: Any) -> None:
    assert create_agent(ScriptedChatModel(replies=[]), response_format=FromContext(), context_schema=schema) is not None

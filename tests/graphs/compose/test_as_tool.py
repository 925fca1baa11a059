"""An agent as a tool: its result, its costs, its streams, and how it stops and resumes."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command, interrupt

from answergraph import AgentSpecError, ToolStrategy, UsageLimits, as_tool, create_agent
from answergraph.middleware import after_agent
from answergraph.testing import ScriptedChatModel
from answergraph.types import AgentToolArtifact
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Missing, Place, Verdict, call, calls
from tests.suite.tools import search

CONFIG: Any = {"configurable": {"thread_id": "1"}}
ASK = calls(call("judge", {"request": "Did the test pass?"}, "ask"))
DONE = calls(call("Missing", {"facts": []}, "done"))


def judge(*replies: Any, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, **{"name": "judge", "response_format": ToolStrategy(Verdict), **options}), model


def caller(*tools: Any, replies: Any = (ASK, DONE), **options: Any) -> Any:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, list(tools), response_format=ToolStrategy(Missing), **options)


def result_of(messages: list[Any]) -> ToolMessage:
    return next(message for message in messages if isinstance(message, ToolMessage) and message.name == "judge")


def asked(run: Any, agent: Any, **options: Any) -> tuple[ToolMessage, dict[str, Any]]:
    result = run(caller(as_tool(agent, description="Judges.", **options)), QUESTION)
    assert result["structured_response"] == Missing(facts=[])
    return result_of(result["messages"]), result["outcome"]["usage"]


@pytest.mark.parametrize(
    ("declared", "answer", "value"),
    [
        (Verdict, call("Verdict", GOOD), GOOD),
        (Place, call("Place", {"city": "京都"}), {"city": "京都"}),
        (Verdict | Missing, call("Missing", {"facts": ["log"]}), {"facts": ["log"]}),
    ],
    ids=["model", "dataclass", "union"],
)
def test_the_result_is_the_answer_as_json_and_the_artifact_is_its_value(run: Any, declared: Any, answer: Any, value: Any) -> None:
    agent, model = judge(calls(answer), response_format=ToolStrategy(declared), output_key="verdict")
    message, _ = asked(run, agent)
    assert (message.status, json.loads(message.text)) == ("success", value)
    assert message.text == json.dumps(value, ensure_ascii=False)
    artifact: AgentToolArtifact = message.artifact
    assert artifact["structured_response"] == value
    assert artifact["outcome"] is not None
    assert (artifact["outcome"]["status"], artifact["outcome"]["schema"]) == ("answered", answer["name"])
    assert [m.text for m in model.requests[0].messages] == ["Did the test pass?"]


@pytest.mark.parametrize("on_failure", ["return", "raise"])
def test_a_run_without_an_answer_is_an_error_that_says_why(run: Any, on_failure: Any) -> None:
    agent, _ = judge(AIMessage("I refuse.", response_metadata={"finish_reason": "content_filter"}), on_failure=on_failure)
    message, _ = asked(run, agent)
    assert (message.status, message.artifact["structured_response"]) == ("error", None)
    assert message.artifact["outcome"]["status"] == "refused"
    assert message.text.startswith("No answer (refused): ")


def test_an_agent_without_a_response_format_answers_with_its_last_text(run: Any) -> None:
    agent, _ = judge("It passed.", response_format=None)
    message, _ = asked(run, agent)
    assert (message.text, message.status) == ("It passed.", "success")
    assert message.artifact == {"structured_response": None, "outcome": None, "supported_by": []}


@pytest.mark.parametrize(("given", "value"), [(Place("Nara"), {"city": "Nara"}), ("as you like", "as you like")])
def test_what_a_middleware_gives_as_the_answer_of_an_agent_without_one_is_the_result(run: Any, given: Any, value: Any) -> None:
    @after_agent
    def replace(state: Any, runtime: Any) -> dict[str, Any]:
        return {"structured_response": given}

    agent, _ = judge("It passed.", response_format=None, middleware=[replace])
    message, _ = asked(run, agent)
    assert (json.loads(message.text), message.artifact["structured_response"]) == (value, value)


def test_the_arguments_are_those_of_the_function_that_makes_the_input(run: Any) -> None:
    def question(test: str, runtime: ToolRuntime) -> dict[str, Any]:
        return {"messages": [*runtime.state["messages"][:1], HumanMessage(f"Judge {test}.")]}

    agent, model = judge(calls(call("Verdict", GOOD)))
    judging = as_tool(agent, name="weigh", description="Weighs.", request=question)
    assert (judging.name, judging.description, list(judging.tool_call_schema.model_json_schema()["properties"])) == (  # type: ignore[union-attr]  # made from a function, it is a model
        "weigh",
        "Weighs.",
        ["test"],
    )
    run(caller(judging, replies=[calls(call("weigh", {"test": "t1"}, "ask")), DONE]), QUESTION)
    assert [m.text for m in model.requests[0].messages] == ["Did it pass?", "Judge t1."]


def test_it_uses_what_its_caller_has_left_and_is_charged_to_it(run: Any) -> None:
    agent, model = judge(*[calls(call("search", {"query": "q"}, str(place))) for place in range(20)], tools=[search])
    judging = as_tool(agent, description="Judges.")
    result = run(caller(judging, limits=UsageLimits(model_calls=5)), QUESTION)
    assert len(model.requests) == 3
    message = result_of(result["messages"])
    assert (message.status, message.artifact["outcome"]["status"]) == ("error", "out_of_budget")
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] == 3
    assert result["structured_response"] == Missing(facts=[])


def test_a_direct_result_is_the_callers_answer(run: Any) -> None:
    agent, _ = judge(calls(call("Verdict", GOOD)))
    model = ScriptedChatModel(replies=[ASK])
    tools = [as_tool(agent, description="Judges.", return_direct=True)]
    result = run(create_agent(model, tools, response_format=ToolStrategy(Verdict)), QUESTION)
    assert result["structured_response"] == Verdict(passed=True, score=7)


@tool
def approve(what: str) -> str:
    """Ask a person."""
    return str(interrupt(what))


def test_interrupts_inside_are_answered_one_by_one_and_what_is_done_is_not_done_again(run: Any) -> None:
    agent, model = judge(
        calls(call("approve", {"what": "first"})),
        calls(call("Verdict", GOOD, "2")),
        tools=[approve],
    )
    other, other_model = judge(
        calls(call("approve", {"what": "second"})), calls(call("Verdict", GOOD, "2")), tools=[approve], name="other"
    )
    both = calls(call("judge", {"request": "a"}, "a"), call("other", {"request": "b"}, "b"))
    tools = [as_tool(agent, description="Judges."), as_tool(other, description="Judges too.")]
    asking = caller(*tools, replies=[both, DONE], checkpointer=InMemorySaver())
    waiting = {stop.value: stop.id for stop in run(asking, QUESTION, CONFIG)["__interrupt__"]}
    assert waiting.keys() == {"first", "second"}
    left = run(asking, Command(resume={waiting["second"]: "yes"}), CONFIG)["__interrupt__"]
    assert [stop.value for stop in left] == ["first"]
    assert len(other_model.requests) == 2
    result = run(asking, Command(resume={waiting["first"]: "no"}), CONFIG)
    assert [m.text for m in result["messages"] if isinstance(m, ToolMessage)][:2] == [json.dumps(GOOD)] * 2
    assert (len(model.requests), len(other_model.requests)) == (2, 2)
    assert [m.text for m in model.requests[1].messages][-1] == "no"
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] == 4


def test_its_steps_and_tokens_are_streamed_under_its_callers_tools(run: Any) -> None:
    agent, _ = judge("Let me think.", response_format=None)
    asking = caller(as_tool(agent, description="Judges."))
    events = run.stream(asking, QUESTION, stream_mode=["updates", "messages"], subgraphs=True)
    inner = [(mode, event) for namespace, mode, event in events if namespace and namespace[0].startswith("tools:")]
    assert [next(iter(event)) for mode, event in inner if mode == "updates"] == ["model"]
    tokens = [event for mode, event in inner if mode == "messages"]
    assert "".join(message.text for message, _ in tokens) == "Let me think."
    assert {metadata["lc_agent_name"] for _, metadata in tokens} == {"judge"}


def test_the_artifact_is_the_same_from_a_checkpoint(run: Any) -> None:
    agent, _ = judge(calls(call("Verdict", GOOD)))
    asking = caller(as_tool(agent, description="Judges."), checkpointer=InMemorySaver())
    result = run(asking, QUESTION, CONFIG)
    assert result_of(run.state(asking, CONFIG).values["messages"]) == result_of(result["messages"])


def test_it_can_be_called_outside_a_graph() -> None:
    agent, _ = judge(calls(call("Verdict", GOOD)))
    assert json.loads(as_tool(agent, description="Judges.").invoke({"request": "Did it pass?"})) == GOOD


def test_an_agent_without_a_name_or_anything_but_an_agent_is_refused() -> None:
    nameless, model = judge(name=None)
    with pytest.raises(AgentSpecError, match="needs a name"):
        as_tool(nameless, description="Judges.")
    with pytest.raises(AgentSpecError, match="made by create_agent, not"):
        as_tool(model, name="judge", description="Judges.")

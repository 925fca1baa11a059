"""The state key of the answer: allowed values, the schema shown, and threads from before a schema changed."""

import logging
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import InvalidUpdateError
from langgraph.graph import MessagesState, StateGraph
from pydantic import Field

from answergraph import ToolStrategy, create_agent
from answergraph.errors import StoredAnswerError
from answergraph.kit import AnswerChannel
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, QUESTION, Missing, Place, Route, Verdict, call, calls

CONFIG: Any = {"configurable": {"thread_id": "1"}}
VERDICT = Verdict(passed=True, score=7)


def agent_of(*replies: Any, declared: Any = Verdict, **options: Any) -> Any:
    return create_agent(ScriptedChatModel(replies=list(replies)), response_format=ToolStrategy(declared), **options)


def answered(saver: InMemorySaver, **options: Any) -> Any:
    return agent_of(calls(call("Verdict", GOOD)), checkpointer=saver, **options)


def test_every_place_in_a_process_shows_the_declared_type_and_nothing_is_logged(
    run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        agent = answered(InMemorySaver())
        streamed = dict(run.stream(agent, QUESTION, CONFIG, stream_mode=["values", "checkpoints"]))
        assert streamed["values"]["structured_response"] == VERDICT
        assert streamed["checkpoints"]["values"]["structured_response"] == VERDICT
        assert run.state(agent, CONFIG).values["structured_response"] == VERDICT
        assert run.history(agent, CONFIG)[0].values["structured_response"] == VERDICT
    assert caplog.records == []


@pytest.mark.parametrize(
    ("declared", "name", "args", "shown"),
    [
        (Verdict, "Verdict", GOOD, GOOD),
        (Place, "Place", {"city": "Nara"}, {"city": "Nara"}),
        (Verdict | Missing, "Verdict", GOOD, {"schema": "Verdict", "value": GOOD}),
    ],
    ids=["model", "dataclass", "union"],
)
def test_updates_show_the_answer_as_json(run: Any, declared: Any, name: str, args: Any, shown: Any) -> None:
    agent = agent_of(calls(call(name, args)), declared=declared)
    last = run.stream(agent, QUESTION, stream_mode="updates")[-1]
    assert last["structured_response"]["structured_response"] == shown


@pytest.mark.parametrize(("written", "kept"), [(VERDICT, VERDICT), (GOOD, VERDICT), (None, None)])
def test_update_state_writes_an_answer_of_the_declared_type(run: Any, written: Any, kept: Any) -> None:
    agent = answered(InMemorySaver())
    run(agent, QUESTION, CONFIG)
    agent.update_state(CONFIG, {"structured_response": written}, as_node="structured_response")
    assert run.state(agent, CONFIG).values["structured_response"] == kept
    assert run.history(agent, CONFIG)[0].values["structured_response"] == kept


@pytest.mark.parametrize("written", ["as good as it gets", {"passed": True}, {**GOOD, "why": "x"}, Place("Nara")])
def test_update_state_refuses_anything_but_an_answer(run: Any, written: Any) -> None:
    agent = answered(InMemorySaver())
    run(agent, QUESTION, CONFIG)
    with pytest.raises(InvalidUpdateError, match="'structured_response' holds an answer of \\['Verdict'\\]"):
        agent.update_state(CONFIG, {"structured_response": written}, as_node="structured_response")
    assert run.state(agent, CONFIG).values["structured_response"] == VERDICT


@pytest.mark.parametrize(
    ("declared", "name"),
    [(Verdict, "Verdict"), (Place, "Place"), (Route, "Route"), (Verdict | Missing, "Missing")],
    ids=["model", "dataclass", "typed dict", "union"],
)
def test_the_output_schema_shows_the_declared_type(declared: Any, name: str) -> None:
    schema = agent_of(declared=declared).get_output_jsonschema()
    assert f"#/$defs/{name}" in str(schema["properties"]["structured_response"])
    assert schema["$defs"][name]["type"] == "object"
    assert "structured_response" not in agent_of(declared=declared).get_input_jsonschema()["properties"]


def test_the_output_schema_shows_a_json_schema_as_it_was_declared() -> None:
    name = {"type": "string", "minLength": 1}
    declared = {"title": "City", "type": "object", "properties": {"name": {"$ref": "#/$defs/Name"}}, "$defs": {"Name": name}}
    shown = agent_of(declared=declared, output_key="city").get_output_jsonschema()["properties"]["city"]
    assert {"title": "City", "type": "object", "properties": {"name": name}} in shown["anyOf"]


class Grown(Verdict):
    """A verdict with a field that was added later."""

    reviewer: str | None = None


class Stricter(Verdict):
    """A verdict with a required field that was added later."""

    reviewer: str
    score: int = Field(ge=8)


Grown.__name__ = Stricter.__name__ = "Verdict"


def thread_of_a_verdict(run: Any) -> InMemorySaver:
    saver = InMemorySaver()
    run(answered(saver), QUESTION, CONFIG)
    return saver


def test_a_thread_from_before_a_field_was_added_still_loads(run: Any) -> None:
    later = agent_of(declared=Grown, checkpointer=thread_of_a_verdict(run))
    assert run.state(later, CONFIG).values["structured_response"] == Grown(passed=True, score=7)


def test_a_thread_whose_answer_no_longer_fits_is_read_forked_and_continued(run: Any) -> None:
    saver = thread_of_a_verdict(run)
    args: dict[str, Any] = {"passed": True, "score": 9, "reviewer": "Ada"}
    later = agent_of(calls(call("Verdict", args)), declared=Stricter, checkpointer=saver)
    state = run.state(later, CONFIG)
    assert state.values["outcome"]["status"] == "answered"
    with pytest.raises(StoredAnswerError, match=r"(?s)score.*reviewer\n  Field required"):
        _ = state.values["structured_response"].passed
    forked = later.update_state(state.config, {"messages": ["And now?"]}, as_node="structured_response")
    assert run.state(answered(saver), forked).values["structured_response"] == VERDICT, "it is kept as it was"
    assert run(later, QUESTION, CONFIG)["structured_response"] == Stricter(**args)
    assert len(run.history(later, CONFIG)) > 5


def test_a_custom_graph_keeps_answers_in_the_same_way(run: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Parent(MessagesState):
        verdict: Annotated[Verdict | Missing | None, AnswerChannel]

    def judge(state: Any) -> dict[str, Any]:
        return {"verdict": {"facts": ["the log"]}}

    graph = StateGraph(Parent).add_node("judge", judge).add_edge("__start__", "judge").compile(InMemorySaver())
    with caplog.at_level(logging.WARNING):
        assert run(graph, QUESTION, CONFIG)["verdict"] == Missing(facts=["the log"])
        assert run.history(graph, CONFIG)[0].values["verdict"] == Missing(facts=["the log"])
    assert caplog.records == []
    assert "#/$defs/Missing" in str(graph.get_output_jsonschema()["properties"]["verdict"])

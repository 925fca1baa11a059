"""Moving over in detail: the requests, the streams, and the threads that a program left behind."""

from typing import Any

import langchain.agents
import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.structured_output import ToolStrategy
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import answergraph
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.langchain_programs import DIFFERENT, GOOD, QUESTION, SAME, Contact, Program, call, decision, said
from tests.graphs.agent.moving_over.parts import ask
from tests.graphs.agent.moving_over.programs import ASKS, INTENDED_DIFFERENCES, MORE_SAME
from tests.graphs.agent.test_create_moving_over import outcome_of
from tests.suite.tools import search

THREAD: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 50}
BOTH = {"answergraph": answergraph.create_agent, "langchain": langchain.agents.create_agent}


def in_both(see: Any) -> tuple[Any, Any]:
    return see(BOTH["answergraph"]), see(BOTH["langchain"])


def requests_of(run: Any, program: Program, create_agent: Any) -> list[Any]:
    """Run a program and return the requests to its model."""
    models: list[ScriptedChatModel] = []

    def creating(model: ScriptedChatModel, *args: Any, **options: Any) -> Any:
        models.append(model)
        return create_agent(model, *args, **options)

    outcome_of(run, program, creating)
    return [
        (
            [(message.type, message.content) for message in request.messages],
            request.tools,
            request.tool_choice,
            str(request.kwargs),
        )
        for request in models[0].requests
    ]


@pytest.mark.parametrize("name", MORE_SAME)
def test_a_program_comes_out_the_same(run: Any, name: str) -> None:
    ours, langchains = in_both(lambda create_agent: outcome_of(run, MORE_SAME[name], create_agent))
    assert ours == langchains


@pytest.mark.parametrize("name", INTENDED_DIFFERENCES)
def test_an_intended_difference_is_one(run: Any, name: str) -> None:
    _, program = INTENDED_DIFFERENCES[name]
    ours, langchains = in_both(lambda create_agent: outcome_of(run, program, create_agent))
    assert ours != langchains


def test_no_program_is_listed_twice() -> None:
    assert not SAME.keys() & MORE_SAME.keys()
    assert not DIFFERENT.keys() & INTENDED_DIFFERENCES.keys()


SENT_DIFFERENTLY = {"provider strategy, strict": "the schema is compiled to what a strict mode takes"}
SENT_THE_SAME = [
    name
    for name in {**SAME, **MORE_SAME}
    if "a model with " not in name and "subagent" not in name and name not in SENT_DIFFERENTLY
]


@pytest.mark.parametrize("name", SENT_THE_SAME)
def test_the_model_is_sent_the_same(run: Any, name: str) -> None:
    program = {**SAME, **MORE_SAME}[name]
    ours, langchains = in_both(lambda create_agent: requests_of(run, program, create_agent))
    assert ours == langchains


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "tasks"])
def test_without_a_format_every_step_streams_the_same(run: Any, mode: str) -> None:
    def streamed(create_agent: Any) -> list[Any]:
        model = ScriptedChatModel(replies=[said(call("search", query="q"), text="looking"), "done"])
        return [_without_ids(mode, event) for event in run.stream(create_agent(model, [search]), QUESTION, stream_mode=mode)]

    ours, langchains = in_both(streamed)
    assert ours == langchains


def _without_ids(mode: str, event: Any) -> Any:
    if mode == "values":
        return [(message.type, message.text) for message in event["messages"]]
    if mode == "updates":
        return {node: [(message.type, message.text) for message in update["messages"]] for node, update in event.items()}
    if mode == "messages":
        message, metadata = event
        return message.type, message.text, metadata["langgraph_node"]
    return event["name"], "result" in event


@pytest.mark.parametrize("response_format", [None, ToolStrategy(Contact)], ids=["text", "answer"])
@pytest.mark.parametrize(
    ("tools", "middleware", "reply", "resumed"),
    [
        ([search], [HumanInTheLoopMiddleware(interrupt_on={"search": True})], ASKS, decision(type="approve")),
        ([ask], [], said(call("ask", text="x")), Command(resume="yes")),
    ],
    ids=["approval", "interrupt in a tool"],
)
def test_a_thread_that_waits_for_a_person_is_resumed_after_the_move(
    run: Any, tools: Any, middleware: Any, reply: Any, resumed: Any, response_format: Any
) -> None:
    saver = InMemorySaver()
    options = {"middleware": middleware, "checkpointer": saver, "response_format": response_format}
    before = langchain.agents.create_agent(ScriptedChatModel(replies=[reply.model_copy(deep=True)]), tools, **options)
    assert run(before, QUESTION, THREAD)["__interrupt__"]
    last = "done" if response_format is None else said(GOOD)
    after = answergraph.create_agent(ScriptedChatModel(replies=[last]), tools, **options)
    result = run(after, resumed, THREAD)
    assert [message.type for message in result["messages"]][:4] == ["human", "ai", "tool", "ai"]
    assert result.get("structured_response") == (None if response_format is None else Contact(name="Ada", age=36))


def test_a_finished_thread_goes_on_after_the_move(run: Any) -> None:
    saver = InMemorySaver()
    for create_agent in (langchain.agents.create_agent, answergraph.create_agent):
        model = ScriptedChatModel(replies=[said({**GOOD, "id": create_agent.__module__})])
        agent = create_agent(model, [search], response_format=ToolStrategy(Contact), checkpointer=saver)
        result = run(agent, QUESTION, THREAD)
    assert [message.type for message in result["messages"]] == ["human", "ai", "tool"] * 2
    assert result["outcome"]["status"] == "answered"

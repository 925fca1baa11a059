"""Every hook runs at its place and in LangChain's order, sync and async."""

from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware as LangChainMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from answergraph import AgentSpecError, create_agent
from answergraph.middleware import (
    AgentMiddleware,
    after_agent,
    after_model,
    before_agent,
    before_model,
    dynamic_prompt,
    hook_config,
)
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search
from tests.suite.verdicts import Answer

ANSWER = {"name": "Answer", "args": {"text": "a"}, "id": "9", "type": "tool_call"}
SEARCH = {"name": "search", "args": {"query": "q"}, "id": "1", "type": "tool_call"}
QUESTION: dict[str, Any] = {"messages": ["q"]}


def scripted(*replies: Any) -> ScriptedChatModel:
    return ScriptedChatModel(replies=list(replies))


class Traced(AgentMiddleware[Any, Any, Any]):
    """Writes down every hook it passes."""

    def __init__(self, label: str, trace: list[str]) -> None:
        super().__init__()
        self.label, self.trace = label, trace

    @property
    def name(self) -> str:
        return self.label

    def before_agent(self, state: Any, runtime: Any) -> None:
        self.trace.append(f"{self.label}.before_agent")

    def before_model(self, state: Any, runtime: Any) -> None:
        self.trace.append(f"{self.label}.before_model")

    def after_model(self, state: Any, runtime: Any) -> None:
        self.trace.append(f"{self.label}.after_model")

    def after_agent(self, state: Any, runtime: Any) -> None:
        self.trace.append(f"{self.label}.after_agent")

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        self.trace.append(f"{self.label}.model(")
        response = handler(request)
        self.trace.append(f"{self.label}.model)")
        return response

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        self.trace.append(f"{self.label}.model(")
        response = await handler(request)
        self.trace.append(f"{self.label}.model)")
        return response

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        self.trace.append(f"{self.label}.tool(")
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        self.trace.append(f"{self.label}.tool(")
        return await handler(request)


def test_hooks_run_in_langchains_order(run: Any) -> None:
    trace: list[str] = []
    model = scripted(AIMessage("", tool_calls=[SEARCH]), AIMessage("", tool_calls=[ANSWER]))
    agent = create_agent(model, [search], response_format=Answer, middleware=[Traced("a", trace), Traced("b", trace)])
    run(agent, QUESTION)
    turn = ["a.before_model", "b.before_model", "a.model(", "b.model(", "b.model)", "a.model)", "b.after_model", "a.after_model"]
    start, end = ["a.before_agent", "b.before_agent"], ["b.after_agent", "a.after_agent"]
    assert trace == [*start, *turn, "a.tool(", "b.tool(", *turn, *end]


def test_an_agent_with_every_hook_is_drawn_with_a_node_for_each_and_reasons_on_its_edges(snapshot: Any) -> None:
    agent = create_agent(scripted(), [search], response_format=Answer, middleware=[Traced("a", []), Traced("b", [])])
    assert agent.get_graph().draw_mermaid(with_styles=False) == snapshot


@pytest.mark.parametrize("shape", ["model alone", "tools", "answer", "tools and answer", "return direct"])
def test_each_shape_is_drawn_with_the_nodes_it_can_reach(shape: str, snapshot: Any) -> None:
    direct = tool("stop", return_direct=True, description="Stop.")(lambda: "stopped")
    tools = {"tools": [search], "tools and answer": [search], "return direct": [search, direct]}.get(shape, [])
    response_format = Answer if "answer" in shape else None
    assert (
        create_agent(scripted(), tools, response_format=response_format).get_graph().draw_mermaid(with_styles=False) == snapshot
    )


def test_decorators_make_middleware_of_functions(run: Any) -> None:
    trace: list[str] = []

    @before_agent
    def first(state: Any, runtime: Any) -> None:
        trace.append("first")

    @before_model(name="Renamed")
    def before(state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [HumanMessage("and quick")]}

    @after_model
    def after(state: Any, runtime: Any) -> None:
        trace.append(state["messages"][-1].text)

    @after_agent
    def last(state: Any, runtime: Any) -> None:
        trace.append("last")

    @dynamic_prompt()
    def prompt(request: Any) -> str:
        return f"{len(request.messages)} messages"

    model = scripted("done")
    run(create_agent(model, middleware=[first, before, after, last, prompt]), QUESTION)
    assert trace == ["first", "done", "last"]
    assert [m.text for m in model.requests[0].messages] == ["2 messages", "q", "and quick"]
    assert before.name == "Renamed"


@pytest.mark.parametrize("hook", ["before_agent", "before_model", "after_model"])
@pytest.mark.parametrize("response_format", [None, Answer])
def test_a_jump_to_the_end_ends_the_run_with_an_outcome_if_a_format_was_declared(
    run: Any, hook: str, response_format: Any
) -> None:
    def jump(self: Any, state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end"}

    after: list[str] = []
    middleware = type("Jump", (AgentMiddleware,), {hook: hook_config(can_jump_to=["end"])(jump)})()
    agent = create_agent(
        scripted(AIMessage("prose")),
        response_format=response_format,
        middleware=[middleware, after_agent(lambda state, runtime: after.append("ran"))],
    )
    result = run(agent, QUESTION)
    assert after == ["ran"]
    if response_format is None:
        assert "outcome" not in result
    else:
        assert (result["structured_response"], result["outcome"]["status"]) == (None, "unanswered")


def test_a_jump_to_the_end_over_a_valid_answer_accepts_it(run: Any) -> None:
    @after_model(can_jump_to=["end"])
    def stop(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end"}

    agent = create_agent(scripted(AIMessage("", tool_calls=[ANSWER])), response_format=Answer, middleware=[stop])
    assert run(agent, QUESTION)["structured_response"] == Answer(text="a")


def test_a_jump_to_the_tools_runs_the_calls_a_hook_wrote(run: Any) -> None:
    @before_model(can_jump_to=["tools"])
    def call_first(state: Any, runtime: Any) -> dict[str, Any] | None:
        if len(state["messages"]) > 1:
            return None
        return {"messages": [AIMessage("", tool_calls=[SEARCH])], "jump_to": "tools"}

    result = run(create_agent(scripted("done"), [search], middleware=[call_first]), QUESTION)
    assert [m.text for m in result["messages"]] == ["q", "", "found q", "done"]


def test_an_undeclared_jump_in_a_graph_without_a_loop_is_not_honoured(run: Any) -> None:
    @after_model
    def again(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "model"}

    model = scripted("once", "twice")
    run(create_agent(model, middleware=[again]), QUESTION)
    assert len(model.requests) == 1


def test_two_middleware_of_one_name_are_refused() -> None:
    with pytest.raises(AgentSpecError, match="duplicate middleware"):
        create_agent(scripted(), middleware=[Traced("a", []), Traced("a", [])])


def test_a_users_own_base_class_keeps_its_hooks_whatever_it_is_called(run: Any) -> None:
    """Only LangChain's base class and ours have empty hooks; a user's may have their names and be derived from neither."""
    bases: list[Any] = [object, AgentMiddleware, LangChainMiddleware]
    trace: list[Any] = []

    def base_class(base: Any) -> Any:
        def before_model(self: Any, state: Any, runtime: Any) -> None:
            trace.append(self.name)

        return type(
            "AgentMiddleware", (base,), {"before_model": before_model, "name": property(lambda self: str(bases.index(base)))}
        )

    middleware = [type("Own", (base_class(base),), {})() for base in bases]
    run(create_agent(scripted("yes"), middleware=middleware), QUESTION)
    assert trace == ["0", "1", "2"]


def test_a_hook_whose_runtime_cannot_come_by_its_name_is_refused() -> None:
    class Positional(AgentMiddleware[Any, Any, Any]):
        def before_model(self, state: Any, runtime: Any, /) -> None: ...

    with pytest.raises(AgentSpecError, match=r"takes \(state: Any, runtime: Any, /\) and is called with \(state\)"):
        create_agent(scripted("Hi."), middleware=[Positional()])

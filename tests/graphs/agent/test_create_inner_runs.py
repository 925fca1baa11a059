"""An agent inside another agent's run uses at most the rest of the caller's budget, and is charged to it."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from answergraph import ToolStrategy, UsageLimits, build_agent_graph, create_agent
from answergraph.middleware import AgentMiddleware, after_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

QUESTION: dict[str, Any] = {"messages": ["Is it so?"]}
MANY = 30


def calls(*names: str, **args: Any) -> AIMessage:
    made = [{"name": name, "args": args, "id": f"{name}{place}", "type": "tool_call"} for place, name in enumerate(names)]
    return AIMessage("", tool_calls=made)


VERDICT = calls("Verdict", passed=True)


def searches_for_ever(**options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies=[calls("search", query=str(place)) for place in range(MANY)])
    return create_agent(model, [search], **{"response_format": ToolStrategy(Verdict), **options}), model


def tool_of(agent: Any, outcomes: list[Any], name: str = "ask", times: int = 1) -> BaseTool:
    def ask() -> str:
        outcomes.extend(agent.invoke(QUESTION).get("outcome") for _ in range(times))
        return "asked"

    async def aask() -> str:
        outcomes.extend([(await agent.ainvoke(QUESTION)).get("outcome") for _ in range(times)])
        return "asked"

    return StructuredTool.from_function(ask, aask, name=name, description="Ask another agent.")


def caller(*replies: AIMessage, tools: list[BaseTool], model_calls: int = 8, **options: Any) -> Any:
    model = ScriptedChatModel(replies=list(replies))
    limits = UsageLimits(model_calls=model_calls)
    return create_agent(model, tools, response_format=ToolStrategy(Verdict), limits=limits, **options)


def test_an_agent_in_a_tool_uses_no_more_than_its_caller_has_left_and_the_caller_can_still_answer(run: Any) -> None:
    agent, model = searches_for_ever()
    outcomes: list[Any] = []
    result = run(caller(calls("ask"), VERDICT, tools=[tool_of(agent, outcomes)]), QUESTION)
    # The caller has used one call, and one is reserved for its final answer.
    assert [outcome["status"] for outcome in outcomes] == ["out_of_budget"]
    assert len(model.requests) == 6
    usage = result["outcome"]["usage"]
    assert (result["structured_response"], usage["model_calls"]) == (Verdict(passed=True), 8)
    assert {cause: share["model_calls"] for cause, share in usage["by_cause"].items()} == {
        "turn": 1,
        "inner_run": 6,
        "final_answer": 1,
    }
    assert usage["total_tokens"] == sum(share["total_tokens"] for share in usage["by_cause"].values())


def test_its_own_limits_count_where_they_are_smaller(run: Any) -> None:
    agent, model = searches_for_ever(limits=UsageLimits(model_calls=2))
    run(caller(calls("ask"), VERDICT, tools=[tool_of(agent, [])]), QUESTION)
    assert len(model.requests) == 2


def test_parallel_ones_share_what_is_left_equally(run: Any) -> None:
    one, first = searches_for_ever()
    other, second = searches_for_ever()
    tools = [tool_of(one, [], "ask_one"), tool_of(other, [], "ask_other")]
    result = run(caller(calls("ask_one", "ask_other"), VERDICT, tools=tools), QUESTION)
    assert (len(first.requests), len(second.requests)) == (3, 3)
    assert result["outcome"]["usage"]["model_calls"] == 8


def test_ones_that_run_after_each_other_share_what_is_left(run: Any) -> None:
    agent, model = searches_for_ever(limits=UsageLimits(model_calls=4))
    outcomes: list[Any] = []
    run(caller(calls("ask"), VERDICT, tools=[tool_of(agent, outcomes, times=3)]), QUESTION)
    assert len(model.requests) == 6
    assert [outcome["usage"]["model_calls"] for outcome in outcomes] == [4, 2, 0]
    assert {outcome["status"] for outcome in outcomes} == {"out_of_budget"}


def test_an_agent_without_a_response_format_is_held_to_its_callers_limits_as_well(run: Any) -> None:
    agent, model = searches_for_ever(response_format=None)
    outcomes: list[Any] = []
    run(caller(calls("ask"), VERDICT, tools=[tool_of(agent, outcomes)]), QUESTION)
    assert (len(model.requests), outcomes[0]["status"]) == (6, "out_of_budget")


def test_agents_three_deep_are_all_charged_to_the_outermost(run: Any) -> None:
    innermost, model = searches_for_ever()
    middle = caller(calls("ask"), VERDICT, tools=[tool_of(innermost, [])], model_calls=50)
    result = run(caller(calls("ask"), VERDICT, tools=[tool_of(middle, [])]), QUESTION)
    assert len(model.requests) == 4
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] == 6
    assert result["outcome"]["usage"]["model_calls"] == 8


def test_an_agent_that_is_a_node_of_another_agents_graph_shares_its_limits_and_is_still_a_subgraph(run: Any) -> None:
    model = ScriptedChatModel(replies=[calls("search", query=str(place)) for place in range(MANY)])
    inner = create_agent(
        model, [search], response_format=ToolStrategy(Verdict), output_key="second", name="inner", state_schema=None
    )
    limits = UsageLimits(model_calls=5)
    outer = ScriptedChatModel(replies=[VERDICT])
    graph = build_agent_graph(outer, response_format=ToolStrategy(Verdict), limits=limits, middleware=[_ends_elsewhere])
    graph.add_node("inner", inner)
    graph.add_edge("_ends_elsewhere.after_agent", "inner")
    compiled = graph.compile()
    run(compiled, QUESTION)
    assert len(model.requests) == 3
    assert [name for name, _ in compiled.get_subgraphs()] == ["inner"]


@after_agent
def _ends_elsewhere(state: Any, runtime: Any) -> None:
    """Adds a last node to the graph."""


def test_an_agent_in_a_hook_is_charged(run: Any) -> None:
    agent, model = searches_for_ever(limits=UsageLimits(model_calls=2))

    class Asks(AgentMiddleware[Any, Any, Any]):
        def before_model(self, state: Any, runtime: Any) -> None:
            agent.invoke(QUESTION)

        async def abefore_model(self, state: Any, runtime: Any) -> None:
            await agent.ainvoke(QUESTION)

    result = run(caller(VERDICT, tools=[], middleware=[Asks()]), QUESTION)
    assert len(model.requests) == 2
    assert result["outcome"]["usage"]["model_calls"] == 3


def test_what_was_used_before_an_interrupt_is_charged_when_the_run_goes_on(run: Any) -> None:
    @tool
    def approve() -> str:
        """Ask a person."""
        return str(interrupt("may I?"))

    model = ScriptedChatModel(replies=[calls("search", query="a"), calls("approve"), VERDICT])
    inner = create_agent(model, [search, approve], response_format=ToolStrategy(Verdict))
    agent = caller(calls("ask"), VERDICT, tools=[tool_of(inner, [])], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    run(agent, QUESTION, config)
    result = run(agent, Command(resume="yes"), config)
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] == 3


def test_each_run_of_a_thread_is_charged_for_its_own_inner_runs(run: Any) -> None:
    agent, _ = searches_for_ever(limits=UsageLimits(model_calls=2))
    asking = caller(
        calls("ask"), VERDICT, calls("ask"), VERDICT, tools=[tool_of(agent, [])], model_calls=8, checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    used = [run(asking, QUESTION, config)["outcome"]["usage"]["model_calls"] for _ in range(2)]
    assert used == [4, 4]


@pytest.mark.parametrize("limits", [UsageLimits(tool_calls=3), UsageLimits(total_tokens=60)], ids=["tool calls", "tokens"])
def test_tool_calls_and_tokens_are_shared_too(run: Any, limits: UsageLimits) -> None:
    agent, model = searches_for_ever()
    outer = ScriptedChatModel(replies=[calls("ask"), VERDICT])
    result = run(create_agent(outer, [tool_of(agent, [])], response_format=ToolStrategy(Verdict), limits=limits), QUESTION)
    usage = result["outcome"]["usage"]
    assert len(model.requests) < MANY
    assert limits.tool_calls is None or usage["tool_calls"] <= limits.tool_calls
    assert result["structured_response"] == Verdict(passed=True)


def test_a_command_of_the_tool_that_ran_an_agent_still_counts(run: Any) -> None:
    agent, _ = searches_for_ever(limits=UsageLimits(model_calls=2))

    @tool
    def ask() -> Command[Any]:
        """Ask another agent."""
        agent.invoke(QUESTION)
        return Command(update={"messages": [ToolMessage("asked", tool_call_id="ask0")]})

    result = run(caller(calls("ask"), VERDICT, tools=[ask]), QUESTION)
    assert result["messages"][2].text == "asked"
    assert result["outcome"]["usage"]["by_cause"]["inner_run"]["model_calls"] == 2


def test_a_correction_and_a_confirmation_have_their_own_usage(run: Any) -> None:
    both = AIMessage("", tool_calls=[*calls("search", query="q").tool_calls, *VERDICT.tool_calls])
    model = ScriptedChatModel(replies=[calls("Verdict", passed="perhaps"), both, VERDICT])
    usage = run(create_agent(model, [search], response_format=ToolStrategy(Verdict)), QUESTION)["outcome"]["usage"]
    assert {cause: share["model_calls"] for cause, share in usage["by_cause"].items()} == {
        "turn": 1,
        "correction": 1,
        "confirmation": 1,
    }


def test_retries_by_middleware_have_their_own_usage(run: Any) -> None:
    class Again(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            handler(request)
            return handler(request)

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            await handler(request)
            return await handler(request)

    model = ScriptedChatModel(replies=[calls("Verdict", passed="perhaps"), VERDICT])
    agent = create_agent(model, response_format=ToolStrategy(Verdict), middleware=[Again()])
    usage = run(agent, QUESTION)["outcome"]["usage"]
    assert {cause: share["model_calls"] for cause, share in usage["by_cause"].items()} == {"turn": 1, "retry": 1}
    assert usage["total_tokens"] == sum(share["total_tokens"] for share in usage["by_cause"].values())

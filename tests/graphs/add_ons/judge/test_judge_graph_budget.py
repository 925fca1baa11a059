"""A judge inside an agent's run uses at most the rest of its budget, and says so if nothing is left."""

from typing import Any, NotRequired

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import END
from pydantic import BaseModel

from answergraph import ToolStrategy, UsageLimits, build_agent_graph, create_agent
from answergraph.errors import RuleNotMatched
from answergraph.graphs import create_judge
from answergraph.middleware import AgentState, after_agent
from answergraph.testing import ScriptedChatModel
from answergraph.types import Judgment
from tests.suite.colors import Run

QUESTION: dict[str, Any] = {"messages": ["Assess it."]}
REPORT = {"report": "All done."}
RULES = ["good", "bad"]
NOTHING_LEFT = ["out_of_budget"] * 3


class Word(BaseModel):
    """One word."""

    word: str


def calling(name: str, **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": name, "type": "tool_call"}])


WORD = calling("Word", word="good")


def undecided() -> ScriptedChatModel:
    return ScriptedChatModel(replies=lambda messages: "Hard to say.")


def tool_of(judge: Any, judgments: list[Any]) -> BaseTool:
    def assess() -> str:
        judgments.append(judge.invoke(REPORT)["judgment"])
        return "assessed"

    async def aassess() -> str:
        judgments.append((await judge.ainvoke(REPORT))["judgment"])
        return "assessed"

    return StructuredTool.from_function(assess, aassess, name="assess", description="Assess the report.")


def agent_with(tool: BaseTool, **limits: Any) -> Any:
    model = ScriptedChatModel(replies=[calling("assess"), WORD])
    return create_agent(model, [tool], response_format=ToolStrategy(Word), limits=UsageLimits(**limits))


def statuses(judgment: Any) -> list[str]:
    return [stage["status"] for stage in judgment["stages"]]


@pytest.mark.parametrize(
    ("model_calls", "brought"),
    [(2, NOTHING_LEFT), (4, ["no_match", "no_match", "out_of_budget"]), (5, ["no_match"] * 3)],
)
def test_a_judge_asks_no_more_often_than_the_run_around_it_may(run: Run, model_calls: int, brought: list[str]) -> None:
    model, judgments = undecided(), list[Any]()
    result = run(agent_with(tool_of(create_judge(model, RULES), judgments), model_calls=model_calls), QUESTION)
    # One call is the agent's own, and one is reserved for its final answer.
    assert (len(model.requests), statuses(judgments[0])) == (model_calls - 2, brought)
    assert (result["structured_response"], result["outcome"]["usage"]["model_calls"]) == (Word(word="good"), model_calls)


def test_a_judgment_without_a_call_left_names_no_rule_and_says_why(run: Run) -> None:
    judgments: list[Any] = []
    run(agent_with(tool_of(create_judge(undecided(), RULES), judgments), model_calls=2), QUESTION)
    assert (judgments[0]["index"], judgments[0]["method"]) == (None, None)
    assert "The surrounding run has no model call left for the judge." in judgments[0]["reason"]


def test_it_is_raised_like_any_other_judgment_without_a_rule(run: Run) -> None:
    judge = create_judge(undecided(), RULES, on_failure="raise")
    with pytest.raises(RuleNotMatched, match="no model call left") as raised:
        run(agent_with(tool_of(judge, []), model_calls=2), QUESTION)
    assert statuses(raised.value.judgment) == NOTHING_LEFT


def test_tokens_that_are_spent_leave_no_call_either(run: Run) -> None:
    costly = AIMessage("Hard to say.", usage_metadata={"input_tokens": 900, "output_tokens": 100, "total_tokens": 1000})
    model, judgments = ScriptedChatModel(replies=[costly] * 3), list[Any]()
    run(agent_with(tool_of(create_judge(model, RULES), judgments), total_tokens=500), QUESTION)
    assert statuses(judgments[0]) == ["no_match", "out_of_budget", "out_of_budget"]


def test_what_asks_no_model_needs_no_call(run: Run) -> None:
    judgments: list[Any] = []
    decided = create_judge(None, ["when(report == 'All done.')", *RULES])
    run(agent_with(tool_of(decided, judgments), model_calls=2), QUESTION)
    run(agent_with(tool_of(create_judge(None, RULES), judgments), model_calls=2), QUESTION)
    assert judgments[0]["index"] == 0
    assert statuses(judgments[1]) == ["no_match"]


def test_a_call_that_fails_takes_nothing_from_the_others(run: Run) -> None:
    def fails_once(messages: Any) -> AIMessage:
        if len(model.requests) == 1:
            raise RuntimeError("the provider is down")
        return AIMessage("[STEP:1]")

    model, judgments = ScriptedChatModel(replies=fails_once), list[Any]()
    result = run(agent_with(tool_of(create_judge(model, RULES), judgments), model_calls=3), QUESTION)
    assert statuses(judgments[0]) == ["error", "matched"]
    assert result["outcome"]["usage"]["model_calls"] == 3


def test_judges_at_the_same_time_take_no_more_than_is_left_together(run: Run) -> None:
    model = undecided()
    judge = create_judge(model, RULES)

    def assess() -> str:
        return str(judge.batch([REPORT] * 4))

    async def aassess() -> str:
        return str(await judge.abatch([REPORT] * 4))

    tool = StructuredTool.from_function(assess, aassess, name="assess", description="Assess the reports.")
    run(agent_with(tool, model_calls=5), QUESTION)
    assert len(model.requests) <= 3


class State(AgentState[Any]):
    report: NotRequired[str]
    judgment: NotRequired[Judgment]


@after_agent
def ends_elsewhere(state: Any, runtime: Any) -> None:
    """Adds a last node to the graph."""


@pytest.mark.parametrize(("model_calls", "asked"), [(2, 0), (3, 1)])
def test_a_judge_that_is_a_node_of_the_agents_graph_is_held_to_its_limits(run: Run, model_calls: int, asked: int) -> None:
    model = undecided()
    options: dict[str, Any] = {"state_schema": State, "middleware": [ends_elsewhere]}
    limits = UsageLimits(model_calls=model_calls)
    graph = build_agent_graph(ScriptedChatModel(replies=[WORD]), response_format=ToolStrategy(Word), limits=limits, **options)
    graph.add_node("judge", create_judge(model, RULES))
    graph.add_edge("ends_elsewhere.after_agent", "judge")
    graph.add_edge("judge", END)
    result = run(graph.compile(), {**QUESTION, **REPORT})
    assert (len(model.requests), statuses(result["judgment"])[asked]) == (asked, "out_of_budget")
    assert result["structured_response"] == Word(word="good")

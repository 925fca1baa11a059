"""One case, from the question to the report.

::

    START → ask ──┬─ explore → hand_over → conclude_failed | conclude_passed ─┬→ report → END
                  └─ conclude_flaky ──────────────────────────────────────────┘

``explore`` and the ``conclude`` nodes are agents: the first has tools and no response format, the others answer with a verdict
supported by tool results, or abstain. A test that failed and passed in one run needs no judgment: ``conclude_flaky`` always
uses the offline rules.
"""

from collections.abc import Mapping
from dataclasses import replace
from operator import add
from types import UnionType
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import Abstention, Outcome, UsageLimits, create_agent
from answergraph.evidence import ToolRun, answer_bundle
from answergraph.graphs.add_ons.triage.offline.triage_policy import triage_case
from answergraph.graphs.add_ons.triage.run_files.case_facts import ATTACHED_CASE, left_by_run
from answergraph.graphs.add_ons.triage.triage_prompts import CONCLUDE_PROMPT, CONCLUDE_TASK, ENDED, EXPLORE_PROMPT, EXPLORE_TASK
from answergraph.graphs.add_ons.triage.triage_schema import (
    CaseReport,
    Disagreement,
    FalseNegativeCheck,
    FalsePositiveCheck,
    FlakyCheck,
    JudgedCause,
    Source,
    report_on,
    verdict_in,
)
from answergraph.graphs.add_ons.triage.triage_tools import TRIAGE_TOOLS
from answergraph.kit import correction_message, resolve_model, sealed, tool_runs
from answergraph.middleware import AgentState, GroundedAnswer
from answergraph.offline.offline_policy import attach

EXPLORE, CONCLUDE_FAILED, CONCLUDE_PASSED, CONCLUDE_FLAKY = "explore", "conclude_failed", "conclude_passed", "conclude_flaky"

EXPLORE_LIMITS = UsageLimits(model_calls=25)
CONCLUDE_LIMITS = UsageLimits(model_calls=8)
"""Concluding may call tools again, for better quotes."""

LOOKS = frozenset({"read_case", "read_lines", "search"})
"""The tools whose results can be quoted; lists of names and sizes prove nothing."""


class GroundedInCase(GroundedAnswer):
    """Accepts quotes from earlier tool results and from the agent's own.

    Only text of the test run can be quoted, not a tool's own words.
    """

    def evidence(self, state: Mapping[str, Any]) -> list[ToolRun]:
        own = super().evidence(state)
        taken = {run.tool_call_id for run in own}
        gathered = [run for run in tool_runs(state["messages"]) if run.tool_call_id not in taken]
        looks = [run for run in (*gathered, *own) if run.name in LOOKS and run.succeeded and run.text]
        return [replace(run, texts=(left_by_run(run.name, run.text),)) for run in looks]


class FolderState(AgentState):
    """The state of the two agents."""

    folder: NotRequired[str]


class CaseTask(JudgedCause):
    """The input of one case."""

    folder: str


class CaseOutput(TypedDict):
    """The result of one case."""

    reports: Annotated[list[CaseReport], add]
    bundles: Annotated[list[dict[str, Any]], add]
    """The answer's bundle (see ``answer_bundle``), with the id of its ``case``."""


class CaseState(CaseTask, CaseOutput):
    """The state of one case."""

    messages: Annotated[list[AnyMessage], add_messages]
    structured_response: NotRequired[Any]
    outcome: NotRequired[Outcome | None]


def case_graph(model: str | BaseChatModel) -> CompiledStateGraph[Any, Any]:
    """Return the graph that judges one case, with a chat model or its name for both agents."""
    model = resolve_model(model, offline=triage_case)
    graph = StateGraph(CaseState, input_schema=CaseTask, output_schema=CaseOutput)
    graph.add_node("ask", _ask)
    graph.add_node(EXPLORE, explore_agent(model))
    graph.add_node("hand_over", _hand_over)
    graph.add_node(CONCLUDE_FAILED, conclude_agent(model, FalseNegativeCheck | Disagreement, name=CONCLUDE_FAILED))
    graph.add_node(CONCLUDE_PASSED, conclude_agent(model, FalsePositiveCheck, name=CONCLUDE_PASSED))
    graph.add_node(CONCLUDE_FLAKY, conclude_agent(resolve_model("offline", offline=triage_case), FlakyCheck, name=CONCLUDE_FLAKY))
    graph.add_node("report", _report)

    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", route_after_ask, {"explore": EXPLORE, "conclude": CONCLUDE_FLAKY})
    graph.add_edge(EXPLORE, "hand_over")
    graph.add_conditional_edges("hand_over", route_after_hand_over, {"failed": CONCLUDE_FAILED, "passed": CONCLUDE_PASSED})
    graph.add_edge(CONCLUDE_FAILED, "report")
    graph.add_edge(CONCLUDE_PASSED, "report")
    graph.add_edge(CONCLUDE_FLAKY, "report")
    graph.add_edge("report", END)
    return graph.compile(name="triage_case")


def explore_agent(model: str | BaseChatModel) -> CompiledStateGraph[Any, Any]:
    """Return the agent that explores freely and answers in text."""
    return create_agent(
        model, TRIAGE_TOOLS, system_prompt=EXPLORE_PROMPT, state_schema=FolderState, limits=EXPLORE_LIMITS, name=EXPLORE
    )


def conclude_agent(
    model: str | BaseChatModel, verdict: type[BaseModel] | UnionType, *, name: str
) -> CompiledStateGraph[Any, Any]:
    """Return the agent that answers with a supported verdict or abstains."""
    answers: Any = verdict | Abstention  # known at run time only
    return create_agent(
        model,
        TRIAGE_TOOLS,
        system_prompt=CONCLUDE_PROMPT,
        state_schema=FolderState,
        limits=CONCLUDE_LIMITS,
        name=name,
        response_format=answers,
        middleware=[GroundedInCase(abstain=Abstention)],
    )


def route_after_ask(state: CaseState) -> Literal["explore", "conclude"]:
    """Explore a case that needs judgment; conclude on a flaky one."""
    return "conclude" if state["kind"] == "flaky" else "explore"


def route_after_hand_over(state: CaseState) -> Literal["failed", "passed"]:
    """Return the kind of the case, which decides the question."""
    return "passed" if state["kind"] == "passed" else "failed"


def _ask(state: CaseTask) -> dict[str, object]:
    task = EXPLORE_TASK.format(case=state["case"], test=state["test"], ended=ENDED[state["kind"]])
    return {"messages": [attach(task, ATTACHED_CASE, state["case"])]}


def _hand_over(state: CaseState) -> dict[str, object]:
    # Not a user message: the exploration is part of the run whose evidence counts.
    return {"messages": [correction_message(CONCLUDE_TASK[state["kind"]].format(case=state["case"]))]}


def _report(state: CaseState) -> dict[str, object]:
    outcome, answer = state.get("outcome"), state.get("structured_response")
    fields = outcome["fields"] if outcome else {}
    cited = {each["source"]["id"] for record in fields.values() for each in record["evidence"]}
    runs = [run for run in tool_runs(state["messages"]) if run.tool_call_id in cited]
    report = report_on(
        state,
        verdict=verdict_in(answer),
        status=outcome["status"] if outcome else "unanswered",
        reason=outcome["reason"] if outcome else "The run ended without an outcome.",
        schema=outcome["schema"] if outcome else None,
        answer=answer.model_dump(mode="json") if isinstance(answer, BaseModel) else None,
        fields=fields,
        sources={run.tool_call_id: Source(tool=run.name, args=dict(run.args), text=run.text) for run in runs},
    )
    return {"reports": [report], "bundles": [sealed({"case": state["case"], **answer_bundle(state)})]}

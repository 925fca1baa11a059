"""One case, from the question to the report.

::

    START → ask ──┬─ explore → hand_over → conclude_failed | conclude_passed | conclude_unread ─┬→ report → END
                  └─ conclude_flaky ────────────────────────────────────────────────────────────┘

``explore`` and the ``conclude`` nodes are agents: the first has tools and no response format, the others answer with a verdict
supported by tool results, or abstain. A test that failed and passed in one run needs no judgment: ``conclude_flaky`` always
uses the offline rules. If ``explore`` has read nothing there is nothing to quote: ``conclude_unread`` abstains without a model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import add
from types import UnionType
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import Abstention, AgentGraph, AnswerRejected, Outcome, UsageLimits, create_agent
from answergraph.evidence import ToolRun, answer_bundle
from answergraph.graphs.add_ons.triage.offline.triage_policy import nothing_read, triage_case
from answergraph.graphs.add_ons.triage.offline.witness_table import WITNESSES, heard_in, next_witness, rule_for
from answergraph.graphs.add_ons.triage.run_files.case_facts import ATTACHED_CASE, left_by_run
from answergraph.graphs.add_ons.triage.triage_prompts import (
    CONCLUDE_PROMPT,
    CONCLUDE_TASK,
    ENDED,
    EXPLORE_PROMPT,
    EXPLORE_TASK,
    WITNESS_RULE,
)
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
from answergraph.graphs.add_ons.triage.witnesses.witness_tools import Witnesses
from answergraph.kit import correction_message, resolve_model, sealed, tool_runs
from answergraph.middleware import AgentMiddleware, AgentState, GroundedAnswer
from answergraph.offline.offline_policy import attach

OFFLINE = "offline"
EXPLORE, CONCLUDE_FAILED, CONCLUDE_PASSED, CONCLUDE_FLAKY = "explore", "conclude_failed", "conclude_passed", "conclude_flaky"
CONCLUDE_UNREAD = "conclude_unread"

EXPLORE_LIMITS = UsageLimits(model_calls=25)
CONCLUDE_LIMITS = UsageLimits(model_calls=8)
"""Concluding may call tools again, for better quotes."""

LOOKS = frozenset({"read_case", "read_lines", "search", *WITNESSES})
"""The tools whose results can be quoted; lists of names and sizes prove nothing."""


class WitnessedReal(AgentMiddleware):
    """Accepts that a failure is real only if witnesses have shown it."""

    def check_answer(self, answer: Any, state: Any, runtime: Runtime) -> None:
        """Refuse a verdict that the table of witnesses does not give.

        Raises:
            AnswerRejected: If the answer calls a failure real, and the table does not.
        """
        rule = rule_for(heard_in(state["messages"]))
        if verdict_in(answer) == "real" and (rule is None or rule.verdict != "real"):
            statement = f"The witnesses say {rule.verdict!r}." if rule else "No witness has shown it."
            more = next_witness(heard_in(state["messages"]))
            advice = f" Call {more}." if more else " Conclude on what is shown, or abstain."
            raise AnswerRejected(f"A failure is real only if witnesses show it. {statement}{advice}")


class GroundedInCase(GroundedAnswer):
    """Accepts quotes from earlier tool results and from the agent's own.

    Only text of the test run can be quoted, not a tool's own words.
    """

    def evidence(self, state: Mapping[str, Any]) -> list[ToolRun]:
        own = super().evidence(state)
        ids = {run.tool_call_id for run in own}
        gathered = [run for run in tool_runs(state["messages"]) if run.tool_call_id not in ids]
        looks = [run for run in (*gathered, *own) if run.name in LOOKS and run.succeeded and run.text]
        return [replace(run, texts=(left_by_run(run.name, run.text),)) for run in looks]


class FolderState(AgentState):
    """The state of the two agents."""

    folder: NotRequired[str]
    look: NotRequired[str]


class CaseTask(JudgedCause):
    """The input of one case."""

    folder: str
    look: NotRequired[str]
    """An id of the look at the folder that the cases of a triage share."""


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


def case_graph(
    model: str | BaseChatModel, name: str, witnesses: Witnesses | None = None
) -> CompiledStateGraph[CaseState, None, CaseTask, CaseOutput]:
    """Return the graph that judges one case, with a chat model or its name for both agents."""
    model = resolve_model(model, offline=triage_case)
    heard = witnesses.tools() if witnesses else []
    verdicts = FalseNegativeCheck | FlakyCheck | Disagreement if witnesses else FalseNegativeCheck | Disagreement
    graph = StateGraph(CaseState, input_schema=CaseTask, output_schema=CaseOutput)
    graph.add_node("ask", _ask)
    graph.add_node(EXPLORE, explore_agent(model, heard))
    graph.add_node("hand_over", _hand_over)
    graph.add_node(CONCLUDE_FAILED, conclude_agent(model, verdicts, heard, name=CONCLUDE_FAILED))
    graph.add_node(CONCLUDE_PASSED, conclude_agent(model, FalsePositiveCheck, name=CONCLUDE_PASSED))
    graph.add_node(CONCLUDE_FLAKY, conclude_agent(resolve_model("offline", offline=triage_case), FlakyCheck, name=CONCLUDE_FLAKY))
    graph.add_node(
        CONCLUDE_UNREAD, conclude_agent(resolve_model("offline", offline=nothing_read), verdicts, name=CONCLUDE_UNREAD)
    )
    graph.add_node("report", partial(_report, model=name))

    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", route_after_ask, {"explore": EXPLORE, "conclude": CONCLUDE_FLAKY})
    graph.add_edge(EXPLORE, "hand_over")
    graph.add_conditional_edges(
        "hand_over", route_after_hand_over, {"failed": CONCLUDE_FAILED, "passed": CONCLUDE_PASSED, "unread": CONCLUDE_UNREAD}
    )
    for concluded in (CONCLUDE_FAILED, CONCLUDE_PASSED, CONCLUDE_FLAKY, CONCLUDE_UNREAD):
        graph.add_edge(concluded, "report")
    graph.add_edge("report", END)
    return graph.compile(name="triage_case")


def explore_agent(model: str | BaseChatModel, witnesses: Sequence[BaseTool] = ()) -> AgentGraph:
    """Return the agent that explores freely and answers in text."""
    tools, prompt = [*TRIAGE_TOOLS, *witnesses], EXPLORE_PROMPT + WITNESS_RULE * bool(witnesses)
    return create_agent(model, tools, system_prompt=prompt, state_schema=FolderState, limits=EXPLORE_LIMITS, name=EXPLORE)


def conclude_agent(
    model: str | BaseChatModel, verdict: type[BaseModel] | UnionType, witnesses: Sequence[BaseTool] = (), *, name: str
) -> AgentGraph:
    """Return the agent that answers with a supported verdict or abstains."""
    answers: Any = verdict | Abstention  # known at run time only
    return create_agent(
        model,
        [*TRIAGE_TOOLS, *witnesses],
        system_prompt=CONCLUDE_PROMPT,
        state_schema=FolderState,
        limits=CONCLUDE_LIMITS,
        name=name,
        response_format=answers,
        middleware=[GroundedInCase(abstain=Abstention), *([WitnessedReal()] if witnesses else [])],
    )


def route_after_ask(state: CaseState) -> Literal["explore", "conclude"]:
    """Explore a case that needs judgment; conclude on a flaky one."""
    return "conclude" if state["kind"] == "flaky" else "explore"


def route_after_hand_over(state: CaseState) -> Literal["failed", "passed", "unread"]:
    """Return the kind of the case, which decides the question; ``unread`` if nothing was read that could be quoted."""
    if not any(run.name in LOOKS and run.succeeded and run.text for run in tool_runs(state["messages"])):
        return "unread"
    return "passed" if state["kind"] == "passed" else "failed"


def _ask(state: CaseTask) -> dict[str, object]:
    task = EXPLORE_TASK.format(case=state["case"], test=state["test"], ended=ENDED[state["kind"]])
    return {"messages": [attach(task, ATTACHED_CASE, state["case"])]}


def _hand_over(state: CaseState) -> dict[str, object]:
    # Not a user message: the exploration is part of the run whose evidence counts.
    return {"messages": [correction_message(CONCLUDE_TASK[state["kind"]].format(case=state["case"]))]}


def _report(state: CaseState, model: str) -> dict[str, object]:
    """Return the report and the bundle of a case."""
    outcome, answer = state.get("outcome"), state.get("structured_response")
    by_rules = model == OFFLINE or state["kind"] == "flaky"
    rules = "witnesses" if rule_for(heard_in(state["messages"])) else "rules"
    fields = outcome["fields"] if outcome else {}
    cited = {each["source"]["id"] for record in fields.values() for each in record["evidence"]}
    runs = [run for run in tool_runs(state["messages"]) if run.tool_call_id in cited]
    report = report_on(
        state,
        verdict=verdict_in(answer),
        judge=rules if by_rules else model,
        status=outcome["status"] if outcome else "unanswered",
        reason=_reason(outcome, by_rules=by_rules),
        schema=outcome["schema"] if outcome else None,
        answer=answer.model_dump(mode="json") if isinstance(answer, BaseModel) else None,
        fields=fields,
        sources={run.tool_call_id: Source(tool=run.name, args=dict(run.args), text=run.text) for run in runs},
    )
    return {"reports": [report], "bundles": [sealed({"case": state["case"], **answer_bundle(state)})]}


def _reason(outcome: Outcome | None, *, by_rules: bool) -> str:
    if outcome is None:
        return "The run ended without an outcome."
    by_no_model = {"answered": "Judged by rules.", "abstained": "The rules do not decide it."}
    return by_no_model.get(outcome["status"], outcome["reason"]) if by_rules else outcome["reason"]

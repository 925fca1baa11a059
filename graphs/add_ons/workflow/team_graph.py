"""The agent of a step with TAKT's ``team_leader``: a leader names parts, agents do them side by side, then it may name more.

::

    START → lead ─┬ a part each → part → lead
                  └ "finish" → finish → END

The graph is the agent of a step. Its text has the parts and their results, then the leader's report if the step has one.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import Runnable
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from pydantic import AfterValidator, BaseModel, Field, create_model
from typing_extensions import TypedDict

from answergraph import create_agent
from answergraph.errors import AnswerGraphError, NoAnswerError
from answergraph.graphs.add_ons.workflow.workflow_nodes import StepVisit, step_result, work_text
from answergraph.graphs.add_ons.workflow.workflow_state import StepResult, merged
from answergraph.graphs.add_ons.workflow.workflow_steps import WorkflowStep
from answergraph.kit import GraphNode, Invoke, Router, Work

Agent = Runnable[Any, Any]

MAX_PARTS = 20
"""Parts of one visit, however often the leader asks for more; the number is TAKT's."""
LEAD, PART, FINISH = "lead", "part", "finish"
_SHARE_OUT = "Do not do the work: share it out. Name at most {parts} parts, none of which needs the result of another."
_MORE = "Is anything still to be done? If so, name at most {parts} more parts, under new ids; if not, name none."
_REPORT = "All parts have ended. Write the report."


class Part(TypedDict):
    """One part of the work."""

    id: str
    title: str
    instruction: str
    """All that the agent of this part is told."""


class TeamState(TypedDict):
    """The state of one visit of the step."""

    messages: list[AnyMessage]
    """The step's prompt; at the end, the text of all parts."""
    parts: NotRequired[list[Part]]
    results: NotRequired[Annotated[dict[str, StepResult], merged]]


@dataclass(frozen=True)
class Team:
    """The leader and the agents of the parts; each method is a node, or the edge after one."""

    leader: Agent
    """Names the first parts."""
    planner: Agent
    """Names further parts, or none."""
    worker: Agent
    writer: Agent | None
    """Writes the step's report, if it has one."""
    max_parts: int
    """How many parts are done side by side, and named at a time."""
    part_instruction: str

    def lead(self, state: TeamState, runtime: Runtime[None]) -> Work[dict[str, object]]:
        """Ask for parts, unless some are still to be done."""
        parts = state.get("parts") or []
        if not parts:
            result: Any = yield Invoke(self.leader, self._question(state, _SHARE_OUT))
            return {"parts": result["structured_response"].parts}
        room = min(self.max_parts, MAX_PARTS - len(parts))
        if self._open(state) or not room:
            return {}
        try:
            result = yield Invoke(self.planner, self._question(state, _MORE))
        except NoAnswerError:  # what is done counts without the leader's opinion on it
            return {}
        known = {part["id"] for part in parts}
        return {"parts": [*parts, *(part for part in result["structured_response"].parts if part["id"] not in known)][:MAX_PARTS]}

    def after_lead(self, state: TeamState) -> list[Send] | str:
        """Send each open part to an agent, as many at a time as may run; ``"finish"`` if none is open."""
        return [Send(PART, part) for part in self._open(state)[: self.max_parts]] or FINISH

    def part(self, part: Part, runtime: Runtime[None]) -> Work[dict[str, object]]:
        declared = WorkflowStep(PART, instruction=self.part_instruction)
        visit = StepVisit(part["id"], declared, self.worker, keeps_errors=True)
        return (yield from visit.step({"task": part["instruction"]}, runtime))

    def finish(self, state: TeamState, runtime: Runtime[None]) -> Work[dict[str, object]]:
        """Join the results; raise ``AnswerGraphError`` if every part failed."""
        errors = {name: result.get("error") for name, result in (state.get("results") or {}).items()}
        if all(errors.values()):
            raise AnswerGraphError("; ".join(["All parts failed", *(f"{name}: {error}" for name, error in errors.items())]))
        text = _joined(state)
        if self.writer is not None:
            report: Any = yield Invoke(self.writer, self._question(state, _REPORT))
            text += f"\n\n---\n\n{step_result(report)['text']}"
        return {"messages": [AIMessage(text)]}

    def _open(self, state: TeamState) -> list[Part]:
        done = state.get("results") or {}
        return [part for part in state.get("parts") or () if part["id"] not in done]

    def _question(self, state: TeamState, question: str) -> dict[str, object]:
        done = [HumanMessage(_joined(state))] if state.get("parts") else []
        return {"messages": [*state["messages"], *done, HumanMessage(question.format(parts=self.max_parts))]}


def create_team(
    model: str | BaseChatModel, worker: Agent, *, persona: str | None, max_parts: int, edits: bool, reports: bool
) -> Agent:
    """Create the agent of a step whose leader shares the work out.

    Args:
        model: The leader's model, or its name.
        worker: Does a part.
        persona: The leader's system prompt.
        max_parts: How many parts are named at a time, and done side by side.
        edits: Whether a part may change files.
        reports: Whether the leader writes a report at the end.

    Returns:
        The compiled graph.
    """

    def leader(fewest: int) -> Agent:
        form = _parts_form(fewest, max_parts)
        return create_agent(model, response_format=form, system_prompt=persona, name=LEAD, on_failure="raise")

    writer = create_agent(model, system_prompt=persona, name="report") if reports else None
    instruction = "{task}" if edits else "{task}\n\nChange no file."
    team = Team(leader(1), leader(0), worker, writer, max_parts, instruction)
    graph = StateGraph(TeamState)
    graph.add_node(LEAD, GraphNode(team.lead, name=LEAD))
    graph.add_node(PART, GraphNode(team.part, name=PART))
    graph.add_node(FINISH, GraphNode(team.finish, name=FINISH))
    graph.add_edge(START, LEAD)
    graph.add_conditional_edges(LEAD, Router(team.after_lead, name="route after lead"), [PART, FINISH])
    graph.add_edge(PART, LEAD)
    graph.add_edge(FINISH, END)
    return graph.compile(name="team")


def _parts_form(fewest: int, most: int) -> type[BaseModel]:
    parts = Annotated[list[Part], Field(min_length=fewest, max_length=most), AfterValidator(_with_ids_of_their_own)]
    return create_model("Parts", parts=(parts, ...))


def _with_ids_of_their_own(parts: list[Part]) -> list[Part]:
    ids = [part["id"] for part in parts]
    if len({*ids}) < len(ids):
        raise ValueError(f"each part needs an id of its own; the ids are {ids!r}")
    return parts


def _joined(state: TeamState) -> str:
    parts, results = state.get("parts") or [], state.get("results") or {}
    done = [f"## {part['id']}: {part['title']}\n{work_text(results[part['id']])}" for part in parts if part["id"] in results]
    return "\n\n---\n\n".join([json.dumps({"parts": parts}, ensure_ascii=False), *done])

"""The workflow graph: a work node and a judge node per step, with rules on the edges.

::

    START → begin → plan → plan.judge ─┬ "ready" → implement → implement.judge ─┬ "done" → review → …
                                       ├ no rule matched → ABORT → END          ├ …
                                       └ stopped by a limit → ABORT             └ "approved" → COMPLETE → END

A parallel step fans out to its children, each with its own judge; all lead to the step's judge.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import inf
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from langchain_core.runnables.base import coerce_to_runnable
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel

from answergraph import AgentGraph
from answergraph.graphs.add_ons.graph_schemas import Checkpointer
from answergraph.graphs.add_ons.judge.judge_graph import create_judge
from answergraph.graphs.add_ons.workflow.workflow_nodes import NO_RULE, STOPPED, Endings, JudgedStep, StepVisit
from answergraph.graphs.add_ons.workflow.workflow_state import WorkflowInput, WorkflowOutput, WorkflowState
from answergraph.graphs.add_ons.workflow.workflow_steps import (
    ABORT,
    BEGIN,
    COMPLETE,
    OF_THE_WORKFLOW,
    WorkflowLimits,
    WorkflowStep,
    all_steps,
    check_steps,
    monitors_after,
)
from answergraph.kit import GraphNode, Router, TimedNode, pure, timed

Graph = StateGraph[Any, Any]


def create_workflow(  # noqa: PLR0913 - each argument is a choice of its own
    steps: Sequence[WorkflowStep],
    *,
    model: str | BaseChatModel = "offline",
    task: str = "",
    facts: Mapping[str, object] | None = None,
    limits: WorkflowLimits | None = None,
    judge: Callable[..., Any] = create_judge,
    checkpointer: Checkpointer = None,
    name: str = "workflow",
) -> AgentGraph[str, WorkflowInput, WorkflowOutput]:
    """Create a workflow: steps that are agents, each followed by rules that decide which step comes next.

    The input is a ``task`` and ``facts`` for every agent. The run ends with a ``status``, ``"COMPLETE"`` or ``"ABORT"``, and a
    ``reason``. With a checkpointer, invoke the graph with ``None`` to resume an interrupted or killed run: finished steps do not
    run again. Use ``durability="sync"`` if the process may be killed.

    Args:
        steps: The steps; the first one begins.
        model: The model that judges, or its name.
        task: The default task.
        facts: Facts for agents and rules in every run; a run's own facts take precedence.
        limits: The limits of a run.
        judge: Makes the judge of a step, called with a model and the conditions: ``create_judge``, or a ``partial`` of it.
        checkpointer: Keeps the state of threads.
        name: The graph's name.

    Returns:
        The compiled graph.

    Raises:
        WorkflowSpecError: If the steps are not a valid workflow.

    Example:
        >>> from langchain_core.runnables import RunnableLambda
        >>> say = RunnableLambda(lambda state: {"text": f"{state['task']} is done."})
        >>> work = create_workflow([WorkflowStep("work", say, {"is done": "COMPLETE", "is stuck": "ABORT"})])
        >>> work.invoke({"task": "This"})["status"]
        'COMPLETE'
    """
    check_steps(steps)
    graph: Graph = StateGraph(WorkflowState, input_schema=WorkflowInput, output_schema=WorkflowOutput)
    endings = Endings(limits or WorkflowLimits(), task, dict(facts or {}), steps)
    judges: dict[str, Runnable[Any, Any]] = {
        name: judge(model if step.judge is OF_THE_WORKFLOW else step.judge, step.conditions) for name, step in all_steps(steps)
    }
    _add_nodes(graph, steps, judges, endings)
    _connect(graph, steps, endings)
    compiled = timed(graph.compile(checkpointer, name=name), endings.limits.seconds)
    _show_subgraphs(compiled, steps, judges)
    return cast("AgentGraph[str, WorkflowInput, WorkflowOutput]", compiled)  # at run time it is LangGraph's class


def _add_nodes(graph: Graph, steps: Sequence[WorkflowStep], judges: dict[str, Runnable[Any, Any]], endings: Endings) -> None:
    graph.add_node(BEGIN, GraphNode(pure(endings.begin), name=BEGIN, grace=inf))
    for name, step in all_steps(steps):
        is_child = "." in name
        if step.parallel:
            graph.add_node(name, GraphNode(pure(lambda state, runtime: {}), name=name))
        else:
            visit = StepVisit(name, step, coerce_to_runnable(step.agent), keeps_errors=is_child)
            graph.add_node(name, TimedNode(visit.step, name=name, late=visit.late))
        judged = JudgedStep(name, step, judges[name], is_child)
        graph.add_node(_judge_node(name), TimedNode(judged.step, name=_judge_node(name), late=judged.late))
    graph.add_node(COMPLETE, GraphNode(pure(endings.complete), name=COMPLETE, grace=inf))
    graph.add_node(ABORT, GraphNode(pure(endings.abort), name=ABORT, grace=inf))


def _connect(graph: Graph, steps: Sequence[WorkflowStep], endings: Endings) -> None:
    graph.add_edge(START, BEGIN)
    graph.add_edge(BEGIN, steps[0].name)
    for step in steps:
        children = [f"{step.name}.{child.name}" for child in step.parallel]
        for child in children:
            graph.add_edge(step.name, child)
            graph.add_edge(child, _judge_node(child))
        graph.add_edge([_judge_node(child) for child in children] or step.name, _judge_node(step.name))
        _route(graph, step, endings)
    graph.add_edge(COMPLETE, END)
    graph.add_edge(ABORT, END)


def _route(graph: Graph, step: WorkflowStep, endings: Endings) -> None:
    watched = {reason: monitor.name for reason, monitor in monitors_after(endings.steps, step.name).items()}
    targets = {**step.targets, **watched, NO_RULE: ABORT, STOPPED: ABORT}
    # LangGraph draws one edge between two nodes, so its reasons are joined.
    edges = {target: " · ".join(why for why, where in targets.items() if where == target) for target in targets.values()}
    where: dict[Hashable, str] = {edge: target for target, edge in edges.items()}
    router = Router(lambda state: edges[targets[endings.route(state)]], name=f"route after {step.name}")
    graph.add_conditional_edges(_judge_node(step.name), router, where)


def _judge_node(step: str) -> str:
    return f"{step}.judge"


def _show_subgraphs(
    compiled: CompiledStateGraph[Any, Any], steps: Sequence[WorkflowStep], judges: dict[str, Runnable[Any, Any]]
) -> None:
    """Register the nodes' subgraphs for drawings and subgraph states."""
    for name, step in all_steps(steps):
        if isinstance(step.agent, Pregel):
            compiled.nodes[name].subgraphs = [step.agent]
        if isinstance(judge := judges[name], Pregel):
            compiled.nodes[_judge_node(name)].subgraphs = [judge]

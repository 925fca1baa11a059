"""Cases and agents as the types of other evaluation libraries, which are installed besides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from answergraph.evaluation.alike import folded
from answergraph.evaluation.evaluating import comparison_for
from answergraph.evaluation.evaluation_cases import Case, named_cases
from answergraph.kit import require_extra
from answergraph.many.ledger.agent_door import AgentDoor

if TYPE_CHECKING:
    from inspect_ai import Task
    from pydantic_evals import Dataset

    from answergraph import AgentGraph


def pydantic_evals_dataset(
    agent: AgentGraph,
    cases: Iterable[Case] | str | Path,
    *,
    keys: Mapping[str, str] | None = None,
    normalize: Callable[[str], str] = folded,
) -> tuple[Dataset, Callable[[object], Awaitable[dict[str, object]]]]:
    """Return cases as a dataset of pydantic-evals, and an agent as its task. It needs the extra ``pydantic-evals``.

    A report has a score per field, the share that is right, with the problems as its reason; the status as a label; calls, tokens
    and cost as metrics.

    Args:
        agent: As that of ``evaluate``; it is awaited.
        cases: As those of ``evaluate``.
        keys: As those of ``evaluate``.
        normalize: As that of ``evaluate``.

    Raises:
        AgentSpecError: If a case cannot be used, or the agent has no response format.

    Example:
        >>> import asyncio
        >>> from answergraph import create_agent
        >>> from answergraph.testing import Case, ScriptedChatModel, pydantic_evals_dataset
        >>> agent = create_agent(ScriptedChatModel(replies=["[4, 9]"]), response_format=list[int])
        >>> dataset, task = pydantic_evals_dataset(agent, [Case("The squares of 2 and 3?", [4, 9])])
        >>> asyncio.run(dataset.evaluate(task, progress=False)).cases[0].scores["[]"].value
        1.0
    """
    require_extra("pydantic-evals", "pydantic_evals")
    from answergraph.evaluation.pydantic_evals_dataset import AgentTask, dataset_of  # noqa: PLC0415 - an optional dependency

    return dataset_of(named_cases(cases), comparison_for(agent, keys, normalize)), AgentTask(AgentDoor(agent))


def inspect_ai_task(
    agent: AgentGraph,
    cases: Iterable[Case] | str | Path,
    *,
    keys: Mapping[str, str] | None = None,
    normalize: Callable[[str], str] = folded,
) -> Task:
    """Return cases and an agent as a task of inspect-ai, for its ``eval`` and its log viewer. It needs ``inspect-ai``.

    A sample has a score per field, the share that is right, with status, reason and problems as its explanation; the agent's
    outcome is in the sample's metadata. The agent asks its own model, so pass ``model=None`` to ``eval``.

    Args:
        agent: As that of ``evaluate``; it is awaited.
        cases: As those of ``evaluate``.
        keys: As those of ``evaluate``.
        normalize: As that of ``evaluate``.

    Raises:
        AgentSpecError: If a case cannot be used, or the agent has no response format.
        ImportError: If inspect-ai is not installed.
    """
    if find_spec("inspect_ai") is None:
        raise ImportError("inspect_ai_task needs inspect-ai: pip install inspect-ai", name="inspect_ai")
    from answergraph.evaluation.inspect_ai_task import task_of  # noqa: PLC0415 - an optional dependency

    return task_of(named_cases(cases), AgentDoor(agent), comparison_for(agent, keys, normalize))

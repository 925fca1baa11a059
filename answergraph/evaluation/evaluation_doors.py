"""Cases and agents as the types of another evaluation library, which is an extra."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from answergraph.evaluation.alike import folded
from answergraph.evaluation.evaluating import declared_keys, names_of
from answergraph.evaluation.evaluation_cases import Case, named_cases
from answergraph.evaluation.field_results import FieldComparison
from answergraph.kit import require_extra
from answergraph.many.ledger.agent_door import AgentDoor

if TYPE_CHECKING:
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

    comparison = FieldComparison(declared_keys(agent), keys or {}, normalize, names_of(agent))
    return dataset_of(named_cases(cases), comparison), AgentTask(AgentDoor(agent))

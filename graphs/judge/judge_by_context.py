"""The judge of a server: its model and rules come with the run's context, and there is one graph per choice, made once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field, ValidationError

from answergraph.graphs.judge.judge_graph import create_judge
from answergraph.models.resolve import OFFLINE
from answergraph.state.errors import AgentSpecError

MAX_GRAPHS = 64
"""How many choices have their graph kept; one that was dropped is built again."""


class JudgeContext(BaseModel):
    """What a run of the judge may set; a server shows it as a form."""

    model: str = Field(
        default=OFFLINE,
        description=(
            "The chat model: 'openai:NAME', 'provider:NAME', or 'offline', a set of rules that chooses the condition which the "
            "work states word for word, and is no language model."
        ),
    )
    rules: list[str] = Field(
        default=["approved", "needs fix"],
        description="The conditions in order: labels, when(...), all(...), any(...).",
    )
    structured_output: bool = Field(default=True, description="Whether the judgment begins by asking for an object.")
    tag_word: str = Field(default="STEP", description="The word of the tags, as in [STEP:1].")


def judge_by_context(context: Mapping[str, Any] | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the judge for a run's context, the same graph for equal ones.

    Args:
        context: The fields of a ``JudgeContext``; other keys are left alone.

    Returns:
        The compiled graph.

    Raises:
        AgentSpecError: If a field has the wrong type, or the judge cannot be built.

    Example:
        >>> judge_by_context({"rules": ["good", "bad"]}).invoke({"report": "All good."})["judgment"]["label"]
        'good'
    """
    given = {name: value for name, value in (context or {}).items() if name in JudgeContext.model_fields and value is not None}
    try:
        chosen = JudgeContext(**given)
    except ValidationError as error:
        raise AgentSpecError(f"The judge's context cannot be used: {error}") from error
    return _judge(chosen.model, tuple(chosen.rules), chosen.structured_output, chosen.tag_word)


@lru_cache(maxsize=MAX_GRAPHS)
def _judge(model: str, rules: tuple[str, ...], structured_output: bool, tag_word: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    options: dict[str, Any] = {"structured_output": structured_output, "tag_word": tag_word}
    return create_judge(model, list(rules), context_schema=JudgeContext, **options)

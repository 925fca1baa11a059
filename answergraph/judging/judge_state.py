"""The state of a judge: its input, its output, and what it keeps to itself."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, get_type_hints

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from answergraph.judging.judgment import Judgment, StageRecord
from answergraph.state.agent_state import StateSchemas


class Judging(TypedDict):
    """How far a judgment has come."""

    work: str
    """The text to judge."""
    candidates: list[str]
    """The labels to choose from."""
    open: bool
    """Whether a judge has to be asked."""
    chosen: str | None
    """The label that is taken because it is the only one."""
    stages: list[StageRecord]


class JudgeInput(TypedDict):
    """The input of a judge."""

    messages: NotRequired[Annotated[list[AnyMessage], add_messages]]
    """A conversation; its last AI message is judged where there is no report."""
    report: NotRequired[str]
    """The text to judge."""
    facts: NotRequired[dict[str, Any]]
    """Values that ``when(...)`` reads by name."""
    children: NotRequired[list[str]]
    """The labels of parallel children, for ``all(...)`` and ``any(...)``."""


class JudgeState(JudgeInput):
    """The state of a judge without the judgment, whose key has a name of the caller's."""

    judging: NotRequired[Judging]
    """How far the judgment has come; streams show each stage by it."""


def judge_schemas(output_key: str, own: type[Any] | None) -> StateSchemas:
    """Return the schemas of a judge, with the keys of the caller's own ``TypedDict``.

    The output is the judgment alone, so that a judge inside another graph changes nothing else.
    """
    further = get_type_hints(own, include_extras=True) if own is not None else {}
    output: dict[str, Any] = {output_key: NotRequired[Judgment]}
    given = {**get_type_hints(JudgeInput, include_extras=True), **further}
    given.pop(output_key, None)
    state = {**get_type_hints(JudgeState, include_extras=True), **given, **output}
    return StateSchemas(
        state=_typed_dict("JudgeState", state), input=_typed_dict("JudgeInput", given), output=_typed_dict("JudgeOutput", output)
    )


def _typed_dict(name: str, fields: dict[str, Any]) -> type[Any]:
    # The functional form: the fields are known only once the caller's are.
    schema: type[Any] = TypedDict(name, fields)  # type: ignore[misc]  # mypy wants literal fields
    return schema

"""The judge: chooses the rule that holds for an agent's work, in up to three stages of one model call each.

::

    START → read_rules ─┬ judge ──→ structured_output ─┬ no_match → phase3_tag ─┬ no_match → ai_judge ─┐
                        │                              │ matched                │ matched              │
                        └ decided ──→ match_rule ←─────┴────────────────────────┴──────────────────────┘
                                          └→ END

``read_rules`` decides without a judge if possible; ``match_rule`` applies all rules in order with the choice. Unreachable
stages are omitted.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Literal, Unpack, overload

from langchain_core.language_models import BaseChatModel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypedDict

from answergraph import AgentGraph, AgentSpecError, AutoStrategy
from answergraph.graphs.add_ons.graph_schemas import Checkpointer
from answergraph.graphs.add_ons.judge.judging.decision import RuleSelection
from answergraph.graphs.add_ons.judge.judging.judgment import JUDGING, JudgeInput, JudgeResult, Judgment, judge_schemas
from answergraph.graphs.add_ons.judge.judging.questions import (
    EVALUATION,
    JUDGE_TAG,
    RULE_NUMBER,
    TAG_AND_REASON,
    TAG_ONLY,
    JudgePrompt,
    choice_schema,
)
from answergraph.graphs.add_ons.judge.judging.stages import AskForNumber, AskForTag, ReadOwnTag, Stage
from answergraph.graphs.add_ons.judge.offline_judge import stated_condition
from answergraph.graphs.add_ons.judge.rules.rule import Rules
from answergraph.kit import GraphNode, Router, off_loop, pure, resolve_model

READ_RULES = "read_rules"
MATCH_RULE = "match_rule"
RULE_NOT_MATCHED = "rule_not_matched"
MIN_LABELS_TO_JUDGE = 2
"""Minimum number of labels for a judge; a single one is chosen directly."""
MAX_GRAPHS = 64


class JudgeOptions(TypedDict, total=False):
    """The arguments of ``create_judge`` that do not affect the types."""

    structured_output: bool
    tag_word: str
    strategy: Callable[[Any], object]
    grounded: bool
    on_failure: Literal["return", "raise"]
    context_schema: type[object] | None
    checkpointer: Checkpointer
    name: str


@overload
def create_judge(
    model: str | BaseChatModel | None,
    rules: Sequence[str],
    *,
    output_key: Literal["judgment"] = "judgment",
    state_schema: None = None,
    **options: Unpack[JudgeOptions],
) -> AgentGraph[Judgment, JudgeInput, JudgeResult]: ...
@overload
def create_judge(
    model: str | BaseChatModel | None,
    rules: Sequence[str],
    *,
    output_key: str = "judgment",
    state_schema: type[object] | None = None,
    **options: Unpack[JudgeOptions],
) -> AgentGraph[Judgment, Any, dict[str, Any]]: ...
def create_judge(  # noqa: PLR0913  # waiver: each argument is a choice of its own
    model: str | BaseChatModel | None,
    rules: Sequence[str],
    *,
    structured_output: bool = True,
    tag_word: str = "STEP",
    strategy: Callable[[Any], object] = AutoStrategy,
    grounded: bool = False,
    on_failure: Literal["return", "raise"] = "return",
    output_key: str = "judgment",
    state_schema: type[object] | None = None,
    context_schema: type[object] | None = None,
    checkpointer: Checkpointer = None,
    name: str = "judge",
) -> CompiledStateGraph[Any, Any]:
    """Create a judge: a graph that says which rule holds for an agent's last work, in at most three calls of the model.

    The input is a ``report``, or ``messages``, whose last AI message is judged. ``when(...)`` reads ``facts`` and the keys of
    ``state_schema``; ``all(...)`` and ``any(...)`` compare the labels in ``children``.

    Args:
        model: A chat model or its name; ``None`` asks no model and reads the tag in the work itself (``phase1_tag``).
        rules: The conditions; the first that holds counts. Each is a label, ``when(...)`` on the facts, ``all("X")`` or
            ``any("X", "Y")`` over children, or a label or aggregate with a guard, ``X && when(...)``.
        structured_output: Whether to ask for an object first; ``False`` asks for a tag.
        tag_word: The word in the tags, ``[STEP:1]`` by default.
        strategy: Makes the strategy that asks for an object: ``AutoStrategy``, ``ToolStrategy`` and so on.
        grounded: Whether a reason counts only if it quotes the work word for word.
        on_failure: With ``"raise"`` the graph ends in ``RuleNotMatched`` if no rule holds; the checkpoint keeps the judgment.
        output_key: The state key of the judgment.
        state_schema: A ``TypedDict`` with further keys of the state, which ``when(...)`` may name.
        context_schema: The type of the run's context.
        checkpointer: Keeps the state of threads.
        name: The graph's name.

    Returns:
        The compiled graph. ``result["judgment"]`` is a ``Judgment``; its ``index`` is ``None`` if no rule holds.

    Raises:
        AgentSpecError: If it cannot be built as asked.
        RuleSyntaxError: If a rule is malformed.

    Example:
        >>> judge = create_judge("offline", ["tests pass", "needs fix"])
        >>> judge.invoke({"report": "All the tests pass."})["judgment"]["label"]
        'tests pass'
    """
    if grounded and model is None:
        raise AgentSpecError("grounded=True needs a reason, but model=None only reads the tag of the work; pass a model.")
    if not tag_word.isidentifier() or tag_word.upper() == JUDGE_TAG:
        raise AgentSpecError(f"tag_word={tag_word!r}: write a single word other than {JUDGE_TAG!r}.")
    if on_failure not in ("return", "raise"):
        raise AgentSpecError(f"on_failure={on_failure!r} must be one of ('return', 'raise').")
    selection = RuleSelection(Rules(rules), tag_word, output_key)
    schemas = judge_schemas(output_key, state_schema)
    graph = StateGraph[Any, Any](schemas.state, context_schema, input_schema=schemas.input, output_schema=schemas.output)
    labels = selection.rules.candidates
    is_judged = len(labels) >= MIN_LABELS_TO_JUDGE
    stages = _stages(model, labels, tag_word, strategy, structured_output=structured_output, quotes=grounded) if is_judged else []
    last = RULE_NOT_MATCHED if on_failure == "raise" else END
    _add_nodes(graph, selection, stages)
    if last == RULE_NOT_MATCHED:
        graph.add_node(last, GraphNode(pure(selection.raise_without_match), name=last))
        graph.add_edge(last, END)
    _connect(graph, [stage.name for stage in stages], last=last)
    return graph.compile(checkpointer, name=name)


def _stages(
    model: str | BaseChatModel | None,
    labels: Sequence[str],
    word: str,
    strategy: Callable[[Any], object],
    *,
    structured_output: bool,
    quotes: bool,
) -> list[Stage]:
    if model is None:
        return [Stage("phase1_tag", ReadOwnTag(word))]
    model = resolve_model(model, offline=stated_condition)
    named = (("judgment", "step"), ("evaluation", "matched_index"))
    step, index = (strategy(choice_schema(title, key, labels)) for title, key in named)
    number = AskForNumber(model, JudgePrompt(RULE_NUMBER, None, quotes, word), step, "step", word, "phase3_tag")
    tag = AskForTag(model, JudgePrompt(TAG_AND_REASON if quotes else TAG_ONLY, word, quotes), word)
    evaluation = AskForNumber(model, JudgePrompt(EVALUATION, JUDGE_TAG, quotes, word), index, "matched_index", JUDGE_TAG)
    first = [Stage("structured_output", number, quotes)] if structured_output else []
    return [*first, Stage("phase3_tag", tag, quotes), Stage("ai_judge", evaluation, quotes)]


def _add_nodes(graph: StateGraph[Any, Any], selection: RuleSelection, stages: list[Stage]) -> None:
    graph.add_node(READ_RULES, GraphNode(partial(off_loop, selection.begin), name=READ_RULES))
    for stage in stages:
        graph.add_node(stage.name, GraphNode(stage.step, name=stage.name))
    graph.add_node(MATCH_RULE, GraphNode(partial(off_loop, selection.conclude), name=MATCH_RULE))


def _connect(graph: StateGraph[Any, Any], stages: Sequence[str], *, last: str) -> None:
    matched: dict[Hashable, str] = {"matched": MATCH_RULE}
    graph.add_edge(START, READ_RULES)
    if stages:
        _route(graph, READ_RULES, route_after_read_rules, {"judge": stages[0], "decided": MATCH_RULE})
        graph.add_edge(stages[-1], MATCH_RULE)
    else:
        graph.add_edge(READ_RULES, MATCH_RULE)
    for stage, following in pairwise(stages):
        _route(graph, stage, route_after_stage, {**matched, "no_match": following})
    graph.add_edge(MATCH_RULE, last)


def _route(graph: StateGraph[Any, Any], source: str, route: Callable[..., object], where: dict[Hashable, str]) -> None:
    graph.add_conditional_edges(source, Router(route, name=f"route after {source}"), where)


def route_after_read_rules(state: Any) -> Literal["judge", "decided"]:
    return "judge" if state[JUDGING]["open"] else "decided"


def route_after_stage(state: Any) -> Literal["matched", "no_match"]:
    return "matched" if state[JUDGING]["stages"][-1]["status"] == "matched" else "no_match"


class JudgeContext(BaseModel):
    """The context of a run of the judge; a server shows it as a form."""

    model: str = Field(
        default="offline",
        description=(
            "The chat model: 'openai:NAME', 'provider:NAME', or 'offline', a set of rules, not a language model, that chooses "
            "the condition stated word for word in the work."
        ),
    )
    rules: list[str] = Field(
        default=["approved", "needs fix"],
        description="The conditions in order: labels, when(...), all(...), any(...).",
    )
    structured_output: bool = Field(default=True, description="Whether to ask for an object first.")
    tag_word: str = Field(default="STEP", description="The word of the tags, as in [STEP:1].")


def judge_by_context(context: Mapping[str, Any] | None = None) -> CompiledStateGraph[Any, Any]:
    """Return the cached judge for the fields of a ``JudgeContext``; raise ``AgentSpecError`` if it cannot be built of them."""
    options = {name: value for name, value in (context or {}).items() if name in JudgeContext.model_fields and value is not None}
    try:
        chosen = JudgeContext(**options)
    except ValidationError as error:
        raise AgentSpecError(f"The judge's context cannot be used: {error}") from error
    return _judge(chosen.model, tuple(chosen.rules), chosen.structured_output, chosen.tag_word)


@lru_cache(maxsize=MAX_GRAPHS)
def _judge(model: str, rules: tuple[str, ...], structured_output: bool, tag_word: str) -> CompiledStateGraph[Any, Any]:
    options: dict[str, Any] = {"structured_output": structured_output, "tag_word": tag_word}
    return create_judge(model, list(rules), context_schema=JudgeContext, **options)

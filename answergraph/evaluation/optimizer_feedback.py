"""A score with its reasons, for programs that improve prompts."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from answergraph.answers.schemas.item_keys import keys_of
from answergraph.answers.schemas.json_names import field_at
from answergraph.evaluation.alike import folded
from answergraph.evaluation.evaluating import Ending, check_of
from answergraph.evaluation.evaluation_cases import Case
from answergraph.evaluation.field_results import FieldComparison
from answergraph.runtime.errors import AgentSpecError


class Feedback(NamedTuple):
    """A score, and what to do better."""

    score: float
    """The share of fields that are right, 0 to 1."""
    feedback: str
    """How the run ended and why, and a line for each field that is not right or that a check doubted."""


def feedback_on(
    result: Mapping[str, Any],
    expected_output: Any,
    *,
    keys: Mapping[str, str] | None = None,
    normalize: Callable[[str], str] = folded,
) -> Feedback:
    """Score a result of an agent, and say in words what is wrong: what GEPA, or an optimizer of DSPy, learns from.

    Args:
        result: What ``agent.invoke`` returned.
        expected_output: As that of a ``Case``.
        keys: As those of ``evaluate``. The ``Key`` of a list is read from the class of the answer; plain JSON has none.
        normalize: As that of ``evaluate``.

    Raises:
        AgentSpecError: If the result has no outcome, or what is expected cannot be compared.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel, feedback_on
        >>> agent = create_agent(ScriptedChatModel(replies=["[4, 9]"]), response_format=list[int])
        >>> feedback_on(agent.invoke({"messages": "The squares of 2 and 3?"}), [4, 10]).score
        0.3333333333333333
    """
    outcome = result.get("outcome")
    if outcome is None:
        raise AgentSpecError("feedback_on(…): the result has no outcome; pass what an agent with a response_format returned.")
    ending = Ending.of(result)
    declared = type(ending.answer)
    comparison = FieldComparison(keys_of(declared), keys or {}, normalize, lambda json_path: field_at(declared, json_path).path)
    marks = check_of("expected_output", Case(None, expected_output), comparison)(ending)
    lines = [f"{outcome['status']}: {outcome['reason']}"]
    lines += [f"{each['field'] or 'the answer'}: {each['problem']}" for each in marks if each["problem"]]
    lines += [f"{path}: {record['problem']}" for path, record in ending.fields.items() if record["problem"]]
    return Feedback(sum(each["mark"] == "right" for each in marks) / len(marks), "\n".join(lines))

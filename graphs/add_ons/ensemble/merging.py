"""Merges partial answers of one type, as a reducer of any graph's state."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import TypeAdapter
from typing_extensions import TypeVar

from answergraph import AgentSpecError, AnswerRejected
from answergraph.graphs.add_ons.ensemble.agreement import MERGE, Agreement, Reading
from answergraph.graphs.add_ons.ensemble.ensemble_rules import BACKED
from answergraph.graphs.add_ons.ensemble.usages import usage_by_round
from answergraph.kit import AnswerSchema
from answergraph.types import FieldRecord

AnswerT = TypeVar("AnswerT", default=Any)

DIFFER = "The answers differ about {paths}; merge the results of agents to have both readings."


def merge_answers(left: AnswerT, right: AnswerT) -> AnswerT:
    """Return partial answers of parallel nodes as one: a reducer, ``Annotated[dict, merge_answers]``.

    A field that one answer lacks, or has as ``None``, is taken from the other; items of lists are matched by their ``Key``, else
    by the best match.

    Args:
        left: What there is: the result of an agent, with ``structured_response`` and ``outcome``, or an answer itself.
        right: What comes in, of the same kind; of ``None`` and ``{}`` the other one is returned.

    Returns:
        Of results: one with the fields of both. Where they differ, the value of the left one stands with the status ``disputed``,
        and its record has both readings and their evidence.

    Raises:
        AgentSpecError: If the answers are of different types.
        AnswerRejected: If plain answers differ; its ``fields`` say where. They have no place for two readings.

    Example:
        >>> merge_answers({"number": "A-17", "total": None}, {"total": 12})
        {'number': 'A-17', 'total': 12}
    """
    results = [_result_of(each) for each in (left, right)]
    readings = [_reading(number, each) for number, each in enumerate(results, start=1)]
    if any(reading["value"] in (None, {}) for reading in readings):
        return left if readings[1]["value"] in (None, {}) else right
    declared, other = (type(each["structured_response"]) for each in results)
    if not (issubclass(declared, other) or issubclass(other, declared)):
        raise AgentSpecError(f"merge_answers: a {declared.__name__} and a {other.__name__} are no parts of one answer.")
    is_json = issubclass(declared, dict)
    merged = Agreement(readings, MERGE, (), None if is_json else AnswerSchema.of(declared))
    answer: Any = merged.value if is_json else TypeAdapter(declared).validate_python(merged.value)
    disputed = {path: str(merged.fields[path]["problem"]) for path in merged.doubts}
    if results[0] is left:
        return cast("AnswerT", {"structured_response": answer, "outcome": _outcome(results, merged.fields)})
    if disputed:
        paths = ", ".join(path or "the whole answer" for path in disputed)
        raise AnswerRejected(DIFFER.format(paths=paths), fields=disputed)
    return cast("AnswerT", answer)


def _result_of(value: Any) -> Any:
    is_result = isinstance(value, Mapping) and value.keys() >= {"structured_response", "outcome"}
    return value if is_result else {"structured_response": value, "outcome": {"fields": {}}}


def _reading(number: int, result: Any) -> Reading:
    answer = result["structured_response"]
    names = [message.name for message in result.get("messages", ()) if message.type == "ai" and message.name]
    value = answer
    if answer is not None and not isinstance(answer, Mapping):
        value = TypeAdapter(type(answer)).dump_python(answer, mode="json", by_alias=True, exclude_unset=True)
    reader = names[-1] if names else f"answer_{number}"
    return Reading(reader=reader, round=0, asked=None, schema=None, value=_filled(value), outcome=result["outcome"])


def _filled(data: Any) -> Any:
    """Return JSON without the fields that are ``None``: a partial answer says nothing of them."""
    if isinstance(data, Mapping):
        return {key: _filled(value) for key, value in data.items() if value is not None}
    return list(map(_filled, data)) if isinstance(data, list) else data


def _outcome(results: Sequence[Any], fields: Mapping[str, FieldRecord]) -> dict[str, object]:
    left, right = (result["outcome"] for result in results)
    statuses = [record["status"] for record in fields.values()]
    support = sum(each in BACKED for each in statuses) / len(statuses) if set(statuses) - {"unchecked", "disputed"} else None
    usage = usage_by_round([(0, each["usage"]) for each in (left, right)])
    attempts = [*left["attempts"], *right["attempts"]]
    return {**right, "fields": dict(fields), "support": support, "usage": usage, "attempts": attempts}

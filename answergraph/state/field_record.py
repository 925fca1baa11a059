"""The record of one field: what stands behind it, and what is wrong with it. Plain JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

FieldStatus = Literal[
    "supported",  # found in a source
    "derived",  # recomputed from supported fields
    "judged",  # a judge says that its quotes say it
    "given",  # set by a person, or by the caller's ``existing``
    "disputed",  # readings differ and no majority
    "ambiguous",  # several places or readings that differ
    "unsupported",  # it is there, but not as the value of that
    "not_found",  # in no source: made up
    "unchecked",  # no mark asked for a check
]
"""What stands behind one field."""

BACKED: frozenset[FieldStatus] = frozenset({"supported", "derived", "judged", "given"})
"""The statuses that count for ``support``."""

Pair = tuple[int, int]
"""Start and end; as JSON, and so in every outcome, a list of two."""


OnDoubt = Literal["refuse", "omit", "review"]
"""What becomes of a field that stays doubtful. ``refuse``: no answer; ``omit``: the field's default; ``review``: ask a person."""


class SourceRef(TypedDict):
    """Where evidence is from."""

    kind: Literal["tool", "input", "text"]
    id: str
    """The tool call's id (``outer/inner`` of a sub-agent), the message's id, or the name given to ``check_evidence``."""
    name: str
    """The tool, or the file."""
    title: NotRequired[str]
    url: NotRequired[str]
    overruled_by: NotRequired[str]
    """The id of a later call of the same tool with the same arguments that returned something else."""


class Evidence(TypedDict):
    """One place in one source."""

    source: SourceRef
    unit: str
    """The lines of the source with the value; of long ones at most 300 characters around the marks, the rest is ``…``."""
    marks: list[Pair]
    """Places of the value in ``unit``, in characters; two if the quote has an ellipsis."""
    place: Pair
    """Place of ``unit`` in the source's text, in characters."""
    page: NotRequired[int]
    """From 1; sources with pages only."""
    box: NotRequired[tuple[float, float, float, float]]
    """Left, top, right, bottom, as shares of the page from its upper left corner (0 to 1); PDFs only."""
    boxes: NotRequired[list[tuple[float, float, float, float]]]
    """One per line, where the place breaks over lines."""


class FieldReading(TypedDict):
    """What one reader gave for a field."""

    reader: str
    """The agent's name, or the model's."""
    value: Any
    """As JSON."""


class FieldRecord(TypedDict):
    """All there is to know about one field."""

    status: FieldStatus
    evidence: list[Evidence]
    problem: str | None
    """One sentence; ``None`` if nothing is wrong."""
    others: NotRequired[list[Evidence]]
    """Of a value that stands where its label is, the places of the label with another value; the status is ``ambiguous``."""
    nearest: NotRequired[Evidence]
    """The most similar place, for what was not found."""
    readings: NotRequired[list[FieldReading]]
    """Where more than one reader was asked."""
    repeats: NotRequired[str]
    """The item with the same quote, which supports both once."""
    accepted_by: NotRequired[Literal["first_answer", "repair", "agreement", "escalation", "person"]]


Fields = Mapping[str, FieldRecord]
"""The records of an answer's fields by path."""


def record_of(problem: str | None = None, status: FieldStatus = "unchecked") -> FieldRecord:
    """Return the record of a field without evidence."""
    return FieldRecord(status=status, evidence=[], problem=problem)


def given_by_person(evidence: Sequence[Evidence] = ()) -> FieldRecord:
    return FieldRecord(status="given", evidence=[*evidence], problem=None, accepted_by="person")


def is_persons(record: FieldRecord) -> bool:
    return record.get("accepted_by") == "person"


def is_backed(record: FieldRecord) -> bool:
    """Return whether something stands behind a value, though its label may have other values as well."""
    return record["status"] in BACKED or "others" in record


def support_of(fields: Fields) -> float | None:
    """Return the share of fields that something stands behind, 0 to 1; ``None`` if none was checked."""
    statuses = [record["status"] for record in fields.values() if "repeats" not in record]
    if all(status == "unchecked" for status in statuses):
        return None
    return sum(status in BACKED for status in statuses) / len(statuses)


def evidence_in(fields: Fields) -> Iterator[Evidence]:
    """Yield all evidence of an answer, and what its fields name beside it."""
    for record in fields.values():
        yield from record["evidence"]
        yield from record.get("others", ())


def cited_in(fields: Fields) -> set[str]:
    """Return the ids of the sources that the evidence names."""
    return {evidence["source"]["id"] for evidence in evidence_in(fields)}


def spans_of(evidence: Evidence) -> list[Pair]:
    """Return the marked places in the source's text, in characters."""
    start = evidence["place"][0]
    return [(start + first, start + last) for first, last in evidence["marks"]]


def passage_of(evidence: Evidence) -> str:
    """Return the marked words, ``…`` between two places."""
    return " … ".join(evidence["unit"][first:last] for first, last in evidence["marks"])

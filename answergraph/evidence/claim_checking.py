"""Checks the claims of an answer against the run's tool results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import Any, Literal

from answergraph.evidence.claims import Claim, claim_of, fields_by_path, fields_of
from answergraph.evidence.marks import Derived, FromTools, Grounded, Mark, Quote, SupportedBy
from answergraph.evidence.numbers.number_units import Number, has_value, sizes_of
from answergraph.evidence.quotes import NOT_FOUND, Found, nearest_passage, places_of_quote, places_shown
from answergraph.evidence.said_claims import check_said
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.source_runs import Source, runs_of, with_overruled
from answergraph.evidence.texts.folding import fold
from answergraph.evidence.texts.written_words import WrittenWords
from answergraph.evidence.value_records import beside_others, compute, is_echoed, record_of_value
from answergraph.runtime.argument_checks import one_of
from answergraph.state.field_path import FieldPath
from answergraph.state.field_record import FieldRecord, Fields, is_persons, record_of, support_of
from answergraph.state.messages import is_default_repr
from answergraph.state.tool_results import ToolRun

_NO_SUCH_NUMBER = "no tool result holds this number"
_ONLY_ECHOED = "the number occurs only where a tool repeats its arguments"
_NOT_FINITE = "it is not a finite number"
_MAX_SHOWN_CHARACTERS = 200
_MAX_SHOWN_PROBLEMS = 10
_INTRODUCTION = "Your answer is not supported by what the tools of this run returned:"
_OF_SOURCES = (
    "Your answer is not supported by its sources, which are the user's messages and the tool results that count:",
    "Give each value as it stands there, as the value of what is asked for, and leave out what does not stand there. Then answer "
    "again.",
)
_OF_DISAGREEING = ("Look at your answer again:", "Call further tools if that decides it, then answer again.")
_ADVICE = (
    "Copy quotes word for word from one place of one tool result, and take numbers from tool results as they are. Your own words "
    "and the user's are no evidence. Call further tools if need be, then answer again."
)


@dataclass(frozen=True)
class EvidenceReport:
    """What stands behind each field of an answer."""

    fields: Mapping[str, FieldRecord]
    """By path, in the order of the declared type; the same as ``outcome["fields"]``."""
    support: float
    """Share of the filled fields that are supported, derived, judged or given; 0 to 1."""
    feedback: str
    """The problems in words for a model; empty if there is none."""

    @property
    def made_up(self) -> list[str]:
        """Paths whose status is ``not_found``."""
        return [path for path, record in self.fields.items() if record["status"] == "not_found"]


def check_evidence(
    answer: object,
    sources: Source | Sequence[Source],
    *,
    marks: Mapping[str, Mark] | None = None,
    declared: object = None,
    fields: Literal["auto", "marked", "all"] = "auto",
) -> EvidenceReport:
    """Say for each field of an answer, of any agent or program, where it stands in the sources, as ``GroundedAnswer`` does.

    Args:
        answer: A model, a dataclass or a mapping.
        sources: Texts, files (``Path``), and calls of tools with their results, oldest first. The arguments of a call count as
            the model's own words from then on; a call with ``counts=False`` supports nothing.
        marks: The marks by path, ``{"findings[].quote": Quote()}``, for a value that has none.
        declared: The type with the marks, for a value that does not carry them.
        fields: ``"all"``: what is not marked is checked as ``Grounded()`` too. ``"auto"``: so if there is no mark at all.

    Raises:
        AgentSpecError: If a source is neither a text, a path, nor a ``ToolRun``.

    Example:
        >>> report = check_evidence({"number": "A-17", "total": 1250, "buyer": "Ada"}, "Invoice A-17. Total: 1,250.00 EUR")
        >>> report.made_up
        ['buyer']
        >>> report.fields["total"]["evidence"][0]["unit"]
        'Invoice A-17. Total: 1,250.00 EUR'
    """
    one = one_of("fields", Literal["auto", "marked", "all"], fields)
    claims = fields_of(answer, declared) if marks is None else fields_by_path(answer, marks)
    is_all = one == "all" or (one == "auto" and marks is None and all(claim.mark is None for claim in claims))
    return check_fields(claims, runs_of(sources), Grounded(min_items=0) if is_all else None)


def locate(value: object, mark: Mark, texts: Sequence[str]) -> FieldRecord:
    """Say where one value stands in texts, as ``GroundedAnswer`` does for each field; no nearest passage is searched.

    Args:
        value: A text, a number, or a list of them; an empty one is unsupported.
        mark: What it must have behind it.
        texts: The sources, oldest first; the ``id`` of one in the evidence is its number, from 0.

    Example:
        >>> from answergraph import Quote
        >>> record = locate("the disk is full", Quote(), ["12:03 the disk is full"])
        >>> record["status"], record["evidence"][0]["marks"]
        ('supported', [[6, 22]])
    """
    results = [SearchedResult(ToolRun(str(number), "text", {}, (text,), kind="text")) for number, text in enumerate(texts)][::-1]
    fields = fields_by_path({"value": value}, {"value": mark}) or [Claim(FieldPath("value"), mark, None, "it is empty")]
    return reduce(_both, [_record_of(field, fields, results, (), "") for field in fields])


def may_support(run: ToolRun) -> bool:
    return run.succeeded and run.counts and bool(run.text) and not is_default_repr(run.text)


def check_fields(
    fields: Iterable[Claim],
    runs: Sequence[ToolRun],
    unmarked: Grounded | None = None,
    given: Fields | None = None,
    *,
    has_judge: bool = False,
    is_settled: bool = False,
) -> EvidenceReport:
    """Search the sources of a run, oldest first, for support of each field with a mark; ``unmarked`` is the mark of the others.

    What was ``given`` stands if no source supports it, and in any case if it is a person's.
    With a judge, claims that hold by rule stay unchecked. Once it is settled which of the sources that disagree is meant, nothing
    is wrong with a value of one of them.

    Arguments that the model wrote support nothing. Similarity is not support: a quote that is not in one text of one result is
    unsupported.
    """
    written, runs = WrittenWords(runs), with_overruled(runs)
    # The newest result comes first: the model most likely answered from it.
    results = [SearchedResult(run, written, place) for place, run in enumerate(runs) if may_support(run)][::-1]
    saying = [result for result in results if not result.run.computes]
    kinds = dict.fromkeys(kind for run in runs for kind in run.unread)
    unread = f" There is no text to quote in: {', '.join(kinds)}." if kinds else ""
    fields, given = list(fields), given or {}
    records: dict[str, FieldRecord] = {}
    problems = 0
    for each in fields:
        field = claim_of(each.path, unmarked, each.value) if each.mark is None and unmarked is not None else each
        # Search for the nearest passage only where it is shown.
        searched = saying if _is_text(field) else results
        record = _record_of(field, fields, searched, searched if problems < _MAX_SHOWN_PROBLEMS else [], unread)
        path = str(field.path)
        record = _decided(record, given.get(path), is_settled=is_settled)
        problems += record["problem"] is not None
        records[path] = _both(records[path], record) if path in records else record
    _note_repeated(fields, records)
    records |= {path: own for path, own in given.items() if path not in records and is_persons(own)}
    compute(fields, records)
    check_said(fields, records, has_judge=has_judge)
    return report_of(records, has_input=any(run.kind != "tool" for run in runs))


def _decided(record: FieldRecord, given: FieldRecord | None, *, is_settled: bool) -> FieldRecord:
    """Return the record of a field after what was given for it, and after what was settled between sources."""
    if given and (is_persons(given) or record["problem"] is not None):
        record = {**given, "evidence": record["evidence"] or given["evidence"]}
    return {**record, "problem": None} if is_settled and "others" in record else record


def _note_repeated(fields: Iterable[Claim], records: dict[str, FieldRecord]) -> None:
    """Write into the record of a quote that repeats another one which that is."""
    first: dict[tuple[FieldPath, str], str] = {}
    for field in fields:
        record = records[field.path]
        if isinstance(field.mark, Quote) and record["status"] == "supported":
            same = first.setdefault((field.path.pattern, " ".join(field.value.split())), str(field.path))
            records[field.path] = record if same == field.path else {**record, "repeats": same}


def _is_text(field: Claim) -> bool:
    """Return whether only what a tool says can support a field, and not what it computes."""
    is_number = isinstance(field.value, int | float | Decimal) and not isinstance(field.value, bool)
    return isinstance(field.mark, Quote) or (not is_number and any(map(str.isalpha, str(field.value))))


def report_of(records: Fields, *, has_input: bool) -> EvidenceReport:
    return EvidenceReport(records, support_of(records) or 0.0, _feedback(records, has_input=has_input))


def _record_of(
    field: Claim, fields: Sequence[Claim], results: Sequence[SearchedResult], near: Sequence[SearchedResult], unread: str
) -> FieldRecord:
    if field.mark is None or (isinstance(field.mark, Derived | SupportedBy) and field.problem is None):
        return record_of()
    if isinstance(field.mark, Grounded) and field.problem is None:
        record = beside_others(record_of_value(field.value, field.mark, results), field, fields, results)
        return record if record["problem"] is None else {**record, "problem": _problem(field, record["problem"]) + unread}
    found = _find(field, field.mark, results)
    if isinstance(found, Found):
        return {"status": "supported", "evidence": [found.evidence], "problem": None}
    record = record_of(_problem(field, found) + unread, "not_found" if found == _missing(field.mark) else "unsupported")
    is_quote = isinstance(field.mark, Quote) and field.problem is None
    passage = nearest_passage(fold(field.value), near) if is_quote else None
    if passage is not None:
        run = passage.result.run
        record["nearest"] = passage.evidence
        record["problem"] = (
            f"{record['problem']} The nearest passage, in the result of {run.name} ({run.tool_call_id}): {passage.passage!r}"
        )
    return record


def _both(one: FieldRecord, other: FieldRecord) -> FieldRecord:
    """Return the record of a field with two marks: both have to hold."""
    if one["problem"] is not None or other["problem"] is not None:
        return other if one["problem"] is None else one
    return {**one, "evidence": [*one["evidence"], *(new for new in other["evidence"] if new not in one["evidence"])]}


def _feedback(records: Fields, *, has_input: bool) -> str:
    listed = [f"- {path}: {record['problem']}" for path, record in records.items() if record["problem"] is not None]
    more = [f"- and {len(listed) - _MAX_SHOWN_PROBLEMS} more"] if len(listed) > _MAX_SHOWN_PROBLEMS else []
    first, last = _OF_SOURCES if has_input else (_INTRODUCTION, _ADVICE)
    if all("others" in record for record in records.values() if record["problem"] is not None):
        first, last = _OF_DISAGREEING
    return "\n".join([first, *listed[:_MAX_SHOWN_PROBLEMS], *more, last]) if listed else ""


def _find(claim: Claim, mark: Mark, results: Sequence[SearchedResult]) -> Found | str:
    if claim.problem is not None:
        return claim.problem
    problem = _missing(mark)
    for result in results:
        for place in _places(claim.value, mark, result):
            if isinstance(place, Found):
                return place
            problem = place
    return problem


def _places(value: Any, mark: Mark, result: SearchedResult) -> Iterator[Found | str]:
    """Yield each place that supports a value, and for other places the reason against it."""
    if isinstance(mark, Quote):
        yield from places_of_quote(value, result, mark)
        yield from places_shown(value, result, mark)
    elif isinstance(mark, FromTools):
        yield from _places_of_number(value, result, mark)


def _problem(claim: Claim, problem: str) -> str:
    if claim.value is None:
        return f"{problem}."
    value = getattr(claim.value, "value", claim.value)  # an enum shows what the document would say
    shown = repr(value) if isinstance(value, str | int | float) else str(value)
    return f"{shown[:_MAX_SHOWN_CHARACTERS]}{'…' * (len(shown) > _MAX_SHOWN_CHARACTERS)}: {problem}."


def _places_of_number(wanted: Number, result: SearchedResult, mark: FromTools) -> Iterator[Found | str]:
    """Yield each place of a number in a result, sign included, or the reason against it."""
    if not Decimal(wanted).is_finite():
        yield _NOT_FINITE
        return
    for part in range(len(result.run.texts)):
        view, numerals = result.counted(part, mark.locale)
        for numeral in numerals.within(sizes_of(wanted, mark)):
            if not has_value(numeral, view.text, wanted, mark):
                continue
            if not mark.echoes and is_echoed(numeral, view.text, result):
                yield _ONLY_ECHOED
                continue
            start, end = view.span(numeral.start, numeral.end)
            yield Found(result, result.offsets[part] + start, result.offsets[part] + end)


def _missing(mark: Mark) -> str:
    if isinstance(mark, Quote):
        return NOT_FOUND
    units = "" if isinstance(mark, Derived | SupportedBy) else ", ".join(unit for unit, _ in mark.units or ())
    return f"{_NO_SUCH_NUMBER} with a unit of {units}" if units else _NO_SUCH_NUMBER

"""Says what the sources of a run say of a value, but for where a tool only repeats what the model wrote; or recomputes it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import cast

from answergraph.evidence.claims import Claim
from answergraph.evidence.marks import Derived, Grounded
from answergraph.evidence.numbers.formula import FormulaError, Operands, is_equal, numbers_in, parsed
from answergraph.evidence.numbers.numerals import Numeral
from answergraph.evidence.quotes import says_nothing_around
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.cldr_names import ARE_KNOWN
from answergraph.evidence.texts.folding import fold
from answergraph.evidence.units import evidence_at
from answergraph.evidence.values.finder import ValueFinder
from answergraph.evidence.values.labels import OtherValue, Span
from answergraph.state.field_path import MappingKey
from answergraph.state.field_record import Evidence, FieldRecord, FieldStatus, SourceRef, is_backed, record_of

_MAX_PLACES = 10
"""Operands that are named or shown."""
IN_NO_SOURCE = "it stands in no source"
_UNREAD = f"{IN_NO_SOURCE}; names of months are read only with pip install 'answergraph[documents]'"
_ONLY_ECHOED = "it occurs only where a tool repeats what it was given"
_TOO_FEW = "it stands in {count} of the {least} different sources that it needs"
DISAGREE = "the sources disagree"
"""In the problem of a value that stands where its label is, if another source has another value there."""
_DISAGREE = f"{DISAGREE}: {{said}}. Answer again with the one that is meant; this one is accepted too"
_MAX_LINE_CHARACTERS = 80
_RANK: Mapping[str, int] = {"supported": 0, "ambiguous": 1, "unsupported": 2}


def record_of_value(value: object, mark: Grounded, results: Sequence[SearchedResult]) -> FieldRecord:
    """Return what the sources, the most trusted first, say about a value."""
    best: FieldRecord = record_of(_UNREAD if isinstance(value, date) and not ARE_KNOWN else IN_NO_SOURCE, "not_found")
    rank = len(_RANK)
    holding: dict[tuple[str, ...], FieldRecord] = {}
    for result in results:
        for record in _records_in(value, mark, result):
            if _RANK[record["status"]] < rank:
                rank, best = _RANK[record["status"]], record
            if record["status"] == "supported":
                holding.setdefault(result.run.texts, record)
                break
        if len(holding) >= mark.min_sources:
            evidence = [place for record in holding.values() for place in record["evidence"]]
            return {"status": "supported", "evidence": evidence, "problem": None}
    if holding:
        # What one source alone says is shown, but not enough.
        best = {**best, "status": "unsupported", "problem": _TOO_FEW.format(count=len(holding), least=mark.min_sources)}
    # What does not support a value is no evidence; it is what stands nearest to it.
    return (
        best
        if best["status"] == "ambiguous" or not best["evidence"]
        else {**best, "evidence": [], "nearest": best["evidence"][0]}
    )


def beside_others(record: FieldRecord, field: Claim, fields: Sequence[Claim], results: Sequence[SearchedResult]) -> FieldRecord:
    """Return the record of a field that is supported, and ambiguous if its label has another value too.

    A source that says both does not disagree: it names several things alike, such as the totals of its pages. The items of a list
    share a label, and differ. What another of the ``fields`` has is no other value, unless both might be turned round.
    """
    mark = cast("Grounded", field.mark)
    if record["status"] != "supported" or not mark.label or _is_item(field):
        return record
    texts = _texts_of(field.value, mark, results)
    others = [(text, place) for text in texts for place in islice(text.others(), _MAX_PLACES)]
    # "Sub total" says nothing against the "Total".
    is_exact = bool(others) and any(text.names(place) for text in texts for place in text.own)
    others = [(text, place) for text, place in others if text.names(place) or not is_exact]
    answered = _answered(field, mark, fields, results) if others else {}
    differing = [(text.evidence(place), answered.get(text.at(place))) for text, place in others]
    listed = [place for place, is_turned in differing if is_turned is not False]
    if not listed:
        return record
    own = record["evidence"][0]
    holding = [own["source"], *(text.evidence(place)["source"] for text in texts for place in text.own)]
    against = {repr(place["source"]): place for place, by in differing if by is None and place["source"] not in holding}
    said = ", ".join(f"{_name_of(place['source'])} says {_line_of(place)!r}" for place in (own, *against.values()))
    problem = _DISAGREE.format(said=said) if against else None
    return {**record, "status": "ambiguous", "problem": problem, "others": listed[:_MAX_PLACES]}


def _is_item(field: Claim) -> bool:
    return any(isinstance(part, int | MappingKey) for part in field.path.parts)


def _answered(
    field: Claim, mark: Grounded, fields: Sequence[Claim], results: Sequence[SearchedResult]
) -> dict[tuple[int, int, int], bool]:
    """Return the places that are the values of fields with a label of this one, and whether each may be turned round with it."""
    answered: dict[tuple[int, int, int], bool] = {}
    for other in fields:
        shared = {*mark.label}.intersection(other.mark.label if isinstance(other.mark, Grounded) else ())
        if shared and other is not field and other.problem is None and not _is_item(other):
            their = cast("Grounded", other.mark)
            is_turned = any(text.own for text in _texts_of(field.value, their, results))
            answered |= {text.at(at): is_turned for text in _texts_of(other.value, their, results) for at in text.own}
    return answered


def _texts_of(value: object, mark: Grounded, results: Sequence[SearchedResult]) -> list["_Text"]:
    return [_Text(result, part, value, mark) for result in results for part in range(len(result.run.texts))]


@dataclass(frozen=True)
class _Text:
    """One text of a source, and the value that is looked for in it."""

    result: SearchedResult
    part: int
    value: object
    mark: Grounded

    @property
    def finder(self) -> ValueFinder:
        return self.result.read(self.part).finder

    @cached_property
    def own(self) -> list[Span]:
        """The places where the label has the value, outside of tables."""
        return list(self.finder.stands(self.value, self.mark))

    def others(self) -> Iterator[OtherValue]:
        others = () if self.result.run.overruled_by else self.finder.others(self.value, self.mark, self.own)
        return (other for other in others if self.mark.echoes or not _is_echo(other.value, other, self.part, self.result))

    def at(self, place: Span) -> tuple[int, int, int]:
        """Return a place among those of all texts."""
        return self.result.upto, self.part, place.start

    def names(self, place: Span) -> bool:
        """Return whether the label and nothing else names a place."""
        return self.finder.is_named(place, self.mark)

    def evidence(self, place: Span) -> Evidence:
        return _evidence(place, self.part, self.result)


def _name_of(source: SourceRef) -> str:
    name = source["name"] if source["kind"] != "tool" else f"{source['name']} ({source['id']})"
    return source.get("title", name)


def _line_of(evidence: Evidence) -> str:
    """Return the line of a place, or what stands around the place in a long one."""
    (start, end), unit = evidence["marks"][0], evidence["unit"]
    low = max(unit.rfind("\n", 0, start) + 1, end - _MAX_LINE_CHARACTERS)
    return unit[low : low + _MAX_LINE_CHARACTERS].partition("\n")[0].strip()


def _evidence(place: Span, part: int, result: SearchedResult) -> Evidence:
    start, end = result.read(part).mapped.span(place.start, place.end)
    return evidence_at(result, [(result.offsets[part] + start, result.offsets[part] + end)])


def _records_in(value: object, mark: Grounded, result: SearchedResult) -> Iterator[FieldRecord]:
    """Yield what each place of a value in a result says of it."""
    matches = ((part, match) for part in range(len(result.run.texts)) for match in result.read(part).finder.matches(value, mark))
    for part, match in matches:
        is_repeated = not mark.echoes and _is_echo(value, match, part, result)
        status: FieldStatus = "unsupported" if is_repeated else match.status
        problem = _ONLY_ECHOED if is_repeated else match.problem
        yield {"status": status, "evidence": [_evidence(match, part, result)], "problem": problem}


def _is_echo(value: object, match: Span, part: int, result: SearchedResult) -> bool:
    """Return whether a place only repeats what the model wrote into a call: nothing else stands on its line."""
    searched = result.read(part).finder.searched
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        numeral = Numeral(abs(Decimal(str(value))), match.start, match.end, match.start)
        return is_echoed(numeral, searched.text.replace('"', "'"), result)
    line = fold(searched.text[slice(*searched.line_at(match.start))])
    words = fold(searched.text[match.start : match.end])
    at = line.find(words)
    if at < 0 or result.written.without(line, at, at + len(words), result.upto):
        return False
    rest = line[:at] + " " * len(words) + line[at + len(words) :]
    return says_nothing_around(result.written.without(rest, 0, len(rest), result.upto))


_LOOK_CHARACTERS = 80
_KEY = re.compile(r"'([^'\n]+)' ?: ?'?\Z")


def is_echoed(numeral: Numeral, text: str, result: SearchedResult) -> bool:
    """Return whether a number only repeats the model's words: it is beside the same word, or nothing else is around it.

    Equal digits in an argument alone do not make a number an echo.
    """
    written, upto = result.written, result.upto
    number = abs(numeral.value)
    if written.numbers.get(number, upto + 1) > upto:
        return False
    before = text[max(numeral.start - _LOOK_CHARACTERS, 0) : numeral.start]
    after = text[numeral.end : numeral.end + _LOOK_CHARACTERS]
    if not (before.strip() or after.strip()):
        # The whole result is a number, perhaps of a calculation, whose result may equal an operand.
        # A result that equals the only argument was not calculated from it.
        arguments = [fold(str(argument)) for argument in result.run.args.values()]
        return arguments == [text.strip()] or written.repeats(text.strip(), upto)
    line_before, line_after = before.rpartition("\n")[2], after.partition("\n")[0]
    if written.names(line_before, number, line_after, upto):
        return True
    return _KEY.search(before) is None and says_nothing_around(f"{line_before} {line_after}")


def compute(fields: Sequence[Claim], records: dict[str, FieldRecord]) -> None:
    """Replace the records of fields that are derived from others, those first that the others need."""
    derived = {field.path: field for field in fields if isinstance(field.mark, Derived) and field.problem is None}
    derived = {path: field for path, field in derived.items() if records[str(path)]["status"] != "given"}
    if not derived:
        return
    numbers = numbers_in((field.path, field.value) for field in fields)
    operands = Operands(numbers)
    for _ in range(len(derived)):
        waiting = {path: field for path, field in derived.items() if records[str(path)]["status"] != "derived"}
        for path, field in waiting.items():
            problem, evidence = _derived(field, operands, numbers[path], records)
            status: FieldStatus = "derived" if problem is None else "unsupported"
            records[str(path)] = FieldRecord(status=status, evidence=evidence, problem=problem and f"{field.value}: {problem}.")
        if all(records[str(path)]["status"] != "derived" for path in waiting):
            return


def _derived(
    field: Claim, operands: Operands, value: Decimal, records: Mapping[str, FieldRecord]
) -> tuple[str | None, list[Evidence]]:
    """Return why a value does not follow from its formula, or the evidence of the operands."""
    mark = cast("Derived", field.mark)
    formula = parsed(mark.formula)
    places = [str(place) for name in formula.operands.values() for place in operands.places_of(name, field.path)]
    if unsupported := [place for place in dict.fromkeys(places) if not is_backed(records[place])]:
        return f"it is computed from {', '.join(unsupported[:_MAX_PLACES])}, and nothing stands behind that", []
    try:
        computed = operands.value_of(formula, field.path)
    except FormulaError as error:
        return f"{mark.formula} cannot be computed: {error}", []
    if not is_equal(computed, value, mark.rounding):
        return f"{mark.formula} is {computed}", []
    evidence = [each for place in dict.fromkeys(places) for each in records[place]["evidence"]]
    return None, evidence[:_MAX_PLACES]

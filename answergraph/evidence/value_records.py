"""Looks a marked value up in the sources of a run, but for where a tool only repeats what the model wrote; or recomputes it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import cast

from answergraph.evidence.claims import Claim
from answergraph.evidence.marks import Derived, Grounded
from answergraph.evidence.numbers.formula import FormulaError, Operands, is_equal, numbers_in, parsed
from answergraph.evidence.numbers.numerals import Numeral
from answergraph.evidence.quotes import says_nothing_around
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.folding import fold
from answergraph.evidence.units import evidence_at
from answergraph.evidence.values.finder import ValueMatch
from answergraph.state.field_record import BACKED, Evidence, FieldRecord, FieldStatus, record_of

_MAX_PLACES = 10
"""Operands that are named or shown."""
IN_NO_SOURCE = "it stands in no source"
_ONLY_ECHOED = "it occurs only where a tool repeats what it was given"
_TOO_FEW = "it stands in {count} of the {least} different sources that it needs"
_RANK: Mapping[str, int] = {"supported": 0, "ambiguous": 1, "unsupported": 2}


def record_of_value(value: object, mark: Grounded, results: Sequence[SearchedResult]) -> FieldRecord:
    """Return what the sources, the most trusted first, say about a value."""
    best: FieldRecord = record_of(IN_NO_SOURCE, "not_found")
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


def _records_in(value: object, mark: Grounded, result: SearchedResult) -> Iterator[FieldRecord]:
    """Yield what each place of a value in a result says of it."""
    matches = ((part, match) for part in range(len(result.run.texts)) for match in result.read(part).finder.matches(value, mark))
    for part, match in matches:
        is_echo = not mark.echoes and _is_echo(value, match, part, result)
        status: FieldStatus = "unsupported" if is_echo else match.status
        start, end = result.read(part).mapped.span(match.start, match.end)
        offset = result.offsets[part]
        problem = _ONLY_ECHOED if is_echo else match.problem
        yield {"status": status, "evidence": [evidence_at(result, [(offset + start, offset + end)])], "problem": problem}


def _is_echo(value: object, match: ValueMatch, part: int, result: SearchedResult) -> bool:
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
    if unsupported := [place for place in dict.fromkeys(places) if records[place]["status"] not in BACKED]:
        return f"it is computed from {', '.join(unsupported[:_MAX_PLACES])}, and nothing stands behind that", []
    try:
        computed = operands.value_of(formula, field.path)
    except FormulaError as error:
        return f"{mark.formula} cannot be computed: {error}", []
    if not is_equal(computed, value, mark.rounding):
        return f"{mark.formula} is {computed}", []
    evidence = [each for place in dict.fromkeys(places) for each in records[place]["evidence"]]
    return None, evidence[:_MAX_PLACES]

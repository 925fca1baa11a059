"""Checks by rule whether the fields that a claim names say it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from answergraph.evidence.claims import Claim
from answergraph.evidence.marks import SupportedBy
from answergraph.evidence.quotes import says_nothing
from answergraph.evidence.schema_parts import is_named
from answergraph.evidence.texts.folding import fold
from answergraph.evidence.texts.line_breaks import WIDE, sentence_around
from answergraph.evidence.texts.quote_borders import holds_negation
from answergraph.evidence.texts.written_words import as_number
from answergraph.state.field_path import FieldPath
from answergraph.state.field_record import Evidence, FieldRecord, Fields, FieldStatus, is_backed, record_of

NEEDS_JUDGE = "a rule cannot tell whether its quotes say it, only GroundedAnswer(judge=…) can"
_NOTHING = "nothing stands in {names}, which should say it"
_UNSUPPORTED = "it rests on {names}, and nothing stands behind that"
_NOT_NAMED = "{words} stands in none of its quotes"
_DENIED = "its quotes deny it, or it denies what they say"
_ELSEWHERE = "its quotes speak of something else: they hold {held} of its {count} words"

_TOKEN = re.compile(rf"[{WIDE}]|[^\W_]+(?:[-_.,:/@#][^\W_]+)*")
_FIRST_WORD = re.compile(r"(?:\A|(?<!\d)[.!?:;]\s+)[\W_]*([^\W\d_]+)")
_ID = re.compile(r"\d|\w[_./@#]\w")
_STEM = 4
"""Letters of a word that stay when it is inflected."""
_MIN_SHARE = 0.6
"""Least share of a claim's words that its quotes hold."""
_MAX_PLACES = 10


def check_said(fields: Sequence[Claim], records: dict[str, FieldRecord], *, has_judge: bool) -> None:
    """Replace the records of claims: supported where what they name says them by rule, or left to a judge."""
    for field in fields:
        is_given = records[str(field.path)]["status"] == "given"
        if isinstance(field.mark, SupportedBy) and field.problem is None and not is_given:
            problem, evidence = _verdict(field, field.mark, records)
            if problem == NEEDS_JUDGE and has_judge:
                problem = None
            left: FieldStatus = "unchecked" if has_judge else "supported"
            record = record_of(problem and f"{field.value!r}: {problem}.", "unsupported" if problem else left)
            records[str(field.path)] = {**record, "evidence": [] if problem not in {None, NEEDS_JUDGE} else evidence}


def unjudged(fields: Sequence[Claim], records: Fields) -> list[Claim]:
    """Return the claims that are left to a judge."""
    return [each for each in fields if isinstance(each.mark, SupportedBy) and records[each.path]["status"] == "unchecked"]


def _verdict(field: Claim, mark: SupportedBy, records: Fields) -> tuple[str | None, list[Evidence]]:
    places = [place for name in mark.fields for place in _places_of(name, field.path, records)]
    named = " and ".join(mark.fields)
    if not places:
        return _NOTHING.format(names=named), []
    if bad := [place for place in dict.fromkeys(places) if not is_backed(records[place])]:
        return _UNSUPPORTED.format(names=", ".join(bad[:_MAX_PLACES])), []
    evidence = [each for place in dict.fromkeys(places) for each in records[place]["evidence"]][:_MAX_PLACES]
    value = field.value.value if isinstance(field.value, Enum) else field.value
    return NEEDS_JUDGE if isinstance(value, bool) else _problem(str(value), evidence), evidence


def _places_of(name: str, field: FieldPath, records: Mapping[str, object]) -> Iterator[str]:
    """Yield the fields at and below a name beside a field, else from the top of the answer."""
    paths = {written: FieldPath(written).parts for written in records}
    for outer in dict.fromkeys((field.parts[:-1], ())):
        whole = (*outer, *FieldPath(name).parts)
        if places := [each for each, parts in paths.items() if len(parts) >= len(whole) and all(map(is_named, parts, whole))]:
            yield from (place for place in places if place != str(field))
            return


def _problem(claim: str, evidence: Sequence[Evidence]) -> str | None:
    """Return why units do not say a claim, by rule."""
    claim = fold(claim)
    units = [fold(each["unit"]) for each in evidence]
    there = {_value(token) for unit in units for token in _TOKEN.findall(unit)}
    named = [token for token in _named(claim) if _value(token) not in there]
    if named:
        return _NOT_NAMED.format(words=", ".join(map(repr, dict.fromkeys(named))))
    said = [sentence_around(each["unit"], *each["marks"][0]) for each in evidence]
    if said and _denies(claim) not in {_denies(fold(sentence)) for sentence in said}:
        return _DENIED
    words = [word for word in map(_value, _TOKEN.findall(claim)) if not says_nothing(word)]
    stems = {word[:_STEM] for word in there}
    held = sum(word[:_STEM] in stems for word in words)
    return _ELSEWHERE.format(held=held, count=len(words)) if held < _MIN_SHARE * len(words) else None


def _named(text: str) -> Iterator[str]:
    """Yield the numbers, ids and names of a claim: what has a digit, a mark within, or a capital that begins no sentence."""
    first = {match.start(1) for match in _FIRST_WORD.finditer(text)}
    for match in _TOKEN.finditer(text):
        token = match.group()
        begins = token[0].isupper() and match.start() not in first
        if begins or token[1:] != token[1:].lower() or _ID.search(token):
            yield token


def _denies(text: str) -> bool:
    # A name may be a word that denies in another language: "am 1. Mai".
    names = {token for token in _named(text) if token.istitle()}
    return holds_negation(_TOKEN.sub(lambda match: "" if match.group() in names else f" {match.group()} ", text))


def _value(token: str) -> str:
    """Return a token for comparison, a number by its value."""
    return as_number(token) or token.lower()

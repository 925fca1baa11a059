"""Clusters failures by cause; each cluster is judged and shown once.

Two failures share a cause if the rules see the same features in them, and if they share one of these: the message without
its values, the line of the application that broke, the test without its parameters, or telling values.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.normalised_text import normalised
from answergraph.graphs.add_ons.triage.offline.triage_case_text import CaseText
from answergraph.graphs.add_ons.triage.run_files.case_facts import facts_of
from answergraph.graphs.add_ons.triage.run_files.case_survey import Case, Survey

MAX_CAUSE_CHARACTERS = 300
"""Characters of a failure's text used for clustering."""
_MIN_TELLING_WORDS = 2

_WORD = re.compile(r"(?<![<\w])[A-Za-z]{3,}(?![\w>])")
_LITTLE = """
assert assertion assertionerror error exception failed failure expect expected received actual got but was were found not equal
equals equality object same true false none null undefined that the and are for instead value values should strictly deeply
type check message test case
"""
_SAYS_LITTLE = frozenset(_LITTLE.split())
_TELLING_VALUE = re.compile(r"'([^'\n]{3,})'|\"([^\"\n]{3,})\"|(?<![\w.])(\d{2,}(?:\.\d+)?)(?![\w.])")
_PARAMETERS = re.compile(r"[\[(].*|#\d+$| with data set .*", re.DOTALL)


@dataclass(frozen=True)
class Cluster:
    """Failures of one cause."""

    cause: str
    """The common text of its cases, without values."""
    fingerprint: str
    """Stable across runs."""
    cases: tuple[Case, ...]
    """At least one, in survey order; the first is judged."""


def clusters_of(survey: Survey) -> list[Cluster]:
    """Return the cases of a survey by cause, in the order of their first cases."""
    texts = [CaseText(**facts_of(case, survey)) for case in survey.cases]
    names = [_names(text) for text in texts]
    groups: dict[int, list[int]] = {}
    for index, root in enumerate(_roots(names)):
        groups.setdefault(root, []).append(index)
    clusters = []
    for first, *others in groups.values():
        fingerprint = hashlib.sha256(repr(names[first][0]).encode(errors="backslashreplace")).hexdigest()[:16]
        cases = tuple(survey.cases[index] for index in (first, *others))
        clusters.append(Cluster(normalised(_line(texts[first])), fingerprint, cases))
    return clusters


def _roots(names: Sequence[Sequence[tuple[object, ...]]]) -> Iterator[int]:
    """Yield for each failure the first one with a shared name."""
    parent = list(range(len(names)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    first: dict[tuple[object, ...], int] = {}
    for index, own in enumerate(names):
        for name in own:
            one, other = sorted((root(index), root(first.setdefault(name, index))))
            parent[other] = one
    return (root(index) for index in range(len(names)))


def _names(case: CaseText) -> list[tuple[object, ...]]:
    """Return the names of a failure's cause, the most stable first."""
    text = _line(case)
    words, course = normalised(text), _course(case)
    frame = case.own_frames[-1] if case.broke_in == "application" else None
    path = frame.path if frame else ""
    test = normalised(_PARAMETERS.sub("", case.test))
    names: list[tuple[object, ...]] = [("test", test, words)]
    if frame:
        names.insert(0, ("line", f"{frame.path}:{frame.line}"))
    telling = [word.lower() for word in _WORD.findall(words) if word.lower() not in _SAYS_LITTLE]
    if len(set(telling)) >= _MIN_TELLING_WORDS:
        names.insert(0, ("words", words, path))
    elif _TELLING_VALUE.search(text):
        names.append(("values", text, path))
    return [(*course, *name) for name in names]


def _line(case: CaseText) -> str:
    """Return the failure's text in one line."""
    lines = case.error_lines[-1:]
    if case.is_assertion and (case.marked_lines or case.message):
        lines = case.marked_lines[:1]
    for text in (*lines, case.message, case.details, case.sign, *case.tries):
        if text.strip():
            return " ".join(text.split())[:MAX_CAUSE_CHARACTERS]
    return ""


def _course(case: CaseText) -> tuple[object, ...]:
    """Return the features of a failure that rules look at."""
    others = tuple(sorted({(other["status"], other["order"]) for other in case.other_runs}))
    elsewhere = tuple(sorted({(other["status"], *other["differs"]) for other in case.elsewhere}))
    text = "\n".join([*case.error_lines, case.message])
    system = tuple(name for name, sign in signs.SYSTEM.items() if sign.search(text))
    logged = tuple(name for name, sign in signs.SYSTEM.items() if case.is_assertion and sign.search(case.complaints))
    return (case.kind, case.status, case.error_type, bool(case.tries), others, elsewhere, system, logged, case.is_suspicious)

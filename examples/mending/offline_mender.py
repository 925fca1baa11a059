"""The rules that repair without a language model: small changes that may make a failing test pass.

There are three rules: an undefined name becomes the nearest defined one, a range ends one later, an operator becomes its
opposite. The tests show which one helps; the reports of the earlier steps show what was tried.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage

from answergraph.graphs.add_ons.workflow.workflow_nodes import ATTACHED_WORK, AttachedWork
from answergraph.offline.offline_policy import OfflineRequest, answered_calls, decline_all_but

READ, REPLACE, RUN = "read_file", "replace_in_file", "run_tests"
CANNOT = AIMessage("It cannot be mended: none of my rules is left to try.")

_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_FAILURE = re.compile(r"^\w*Error\b.*$", re.MULTILINE)
_REPLACED = re.compile(r"Replaced `(.+?)` by `(.+?)` in `(.+?)`")
_RANGE = re.compile(r"range\((.+), (\w+)\)")
_NAME = re.compile(r"\b[^\W\d]\w*\b")
_OPPOSITES = {" - ": " + ", " + ": " - ", " * ": " + "}
_STATEMENT = re.compile(r"^(?!def |for |if |while |\"|#).*=|^return ")


@dataclass(frozen=True)
class Mend:
    """A replacement of one line."""

    old: str
    new: str


@dataclass(frozen=True)
class Visit:
    """One visit of a step, and the tool results in it."""

    request: OfflineRequest
    file: str
    """The module to repair."""
    said: str
    """The reports of the earlier steps."""
    results: Sequence[str]

    def plan(self) -> AIMessage:
        if not self.results:
            return self.request.call(RUN, {})
        if self.results[0].startswith("PASSED"):
            return AIMessage("The tests pass already; there is nothing to implement.")
        if len(self.results) == 1:
            return self.request.call(READ, {"file": self.file})
        failure = _failure(self.results[0])
        if not mends(self.results[1], failure):
            return CANNOT
        return AIMessage(f"Ready to implement: {self.file} fails with {failure}")

    def mend(self) -> AIMessage:
        """Undo the last repair, read the module, make the next repair, and report it; one call for each."""
        tried = [Mend(old, new) for old, new, _ in _REPLACED.findall(self.said)]
        if tried and not self.results:
            return self._replace(Mend(tried[-1].new, tried[-1].old))
        results = self.results[1:] if tried else self.results
        if not results:
            return self.request.call(READ, {"file": self.file})
        left = [mend for mend in mends(results[0], _failure_of_plan(self.said)) if mend not in tried]
        if not left:
            return CANNOT
        if len(results) == 1:
            return self._replace(left[0])
        return AIMessage(f"Replaced `{left[0].old}` by `{left[0].new}` in `{self.file}`.")

    def review(self) -> AIMessage:
        if not self.results:
            return self.request.call(RUN, {})
        if self.results[-1].startswith("PASSED"):
            return AIMessage("The tests pass: approved.")
        return AIMessage(f"It needs fix: the tests fail with {_failure(self.results[-1])}")

    def _replace(self, mend: Mend) -> AIMessage:
        return self.request.call(REPLACE, {"file": self.file, "old": mend.old, "new": mend.new})


_ROLES = {(READ, RUN): Visit.plan, (READ, REPLACE): Visit.mend, (RUN,): Visit.review}


def small_mends(request: OfflineRequest) -> AIMessage:
    """Plan, make or review a small repair; the bound tools determine the role."""
    work: AttachedWork | None = request.attached(ATTACHED_WORK)
    role = _ROLES.get(tuple(sorted(request.tools)))
    if work is None or role is None:
        return decline_all_but("mend a failing unit test by three small rules")
    modules = work["facts"].get("modules") or ()
    if not modules:
        return CANNOT
    said = "\n".join(step["said"] for step in work["earlier"])
    return role(Visit(request, modules[0], said, [call.text for call in answered_calls(request.messages)]))


def mends(source: str, failure: str) -> list[Mend]:
    """Return the possible repairs of a module, the likeliest first; each changes a line that occurs once."""
    lines = [line.strip() for line in source.splitlines()]
    undefined = _UNDEFINED.search(failure)
    found = _names(lines, undefined[1]) if undefined else [*_ranges(lines), *_operators(lines)]
    return [mend for mend in found if lines.count(mend.old) == 1]


def _names(lines: Sequence[str], undefined: str) -> Iterator[Mend]:
    known = sorted({name for line in lines for name in _NAME.findall(line)} - {undefined})
    wrong = re.compile(rf"\b{re.escape(undefined)}\b")
    for name in difflib.get_close_matches(undefined, known, n=3):
        yield from (Mend(line, wrong.sub(name, line)) for line in lines if wrong.search(line))


def _ranges(lines: Sequence[str]) -> Iterator[Mend]:
    for line in lines:
        if _RANGE.search(line):
            yield Mend(line, _RANGE.sub(r"range(\1, \2 + 1)", line))


def _operators(lines: Sequence[str]) -> Iterator[Mend]:
    for line in filter(_STATEMENT.match, lines):
        for operator, opposite in _OPPOSITES.items():
            if operator in line:
                yield Mend(line, line.replace(operator, opposite, 1))


def _failure(output: str) -> str:
    found = _FAILURE.findall(output)
    return str(found[-1]) if found else "no message"


def _failure_of_plan(said: str) -> str:
    return said.rpartition("Ready to implement:")[2].partition("\n")[0]

"""The offline model's rules for mending: which small change may make a failing test pass.

Three rules: a name that is not defined becomes the nearest one that is, a range goes one further, an operator becomes its
opposite. Which of them helps, only the tests can say; what was tried is read from the conversation.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from answergraph.models.offline.offline_policy import OfflineRequest

READ, REPLACE, RUN = "read_file", "replace_in_file", "run_tests"
CANNOT = "It cannot be mended: none of my rules is left to try."

_DONE = "What was done so far"
_MODULE = re.compile(r"\b(?!test_)\w+\.py\b")
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_FAILURE = re.compile(r"^\w*Error\b.*$", re.MULTILINE)
_REPLACED = re.compile(r"Replaced `(.+?)` by `(.+?)` in `(.+?)`")
_RANGE = re.compile(r"range\((.+), (\w+)\)")
_NAME = re.compile(r"\b[^\W\d]\w*\b")
_OPPOSITES = {" - ": " + ", " + ": " - ", " * ": " + "}
_STATEMENT = re.compile(r"^(?!def |for |if |while |\"|#).*=|^return ")


@dataclass(frozen=True)
class Mend:
    """One line in place of another."""

    old: str
    new: str


class MendingPolicy:
    """Plans, makes and reviews small mends, in the role that its tools give it."""

    ability = "mend a failing unit test by three small rules"

    def reply(self, request: OfflineRequest) -> AIMessage | None:
        """Return the next step of the role.

        Args:
            request: The conversation and what is bound.

        Returns:
            The call or the report; ``None`` without the tools of a role.
        """
        roles = {(READ, RUN): _plan, (READ, REPLACE): _mend, (RUN,): _review}
        role = roles.get(tuple(sorted(request.tools)))
        if role is None:
            return None
        asked = max((i for i, m in enumerate(request.messages) if isinstance(m, HumanMessage)), default=-1)
        if asked < 0:
            return None
        results = [m.text for m in request.messages[asked:] if isinstance(m, ToolMessage)]
        return role(request.messages[asked].text, results)


def mends(source: str, failure: str) -> list[Mend]:
    """Return the mends that may help, the likeliest first.

    Args:
        source: The module.
        failure: What the test says.

    Returns:
        Each changes one line that stands in the module once.
    """
    lines = [line.strip() for line in source.splitlines()]
    undefined = _UNDEFINED.search(failure)
    found = _names(lines, undefined[1]) if undefined else [*_ranges(lines), *_operators(lines)]
    return [mend for mend in found if lines.count(mend.old) == 1]


def _plan(prompt: str, results: Sequence[str]) -> AIMessage:
    module = _MODULE.search(prompt)
    if not results:
        return _call(RUN)
    if results[0].startswith("PASSED"):
        return AIMessage("The tests pass already; there is nothing to implement.")
    if module is None:
        return AIMessage(CANNOT)
    if len(results) == 1:
        return _call(READ, file=module[0])
    failure = _failure(results[0])
    if not mends(results[1], failure):
        return AIMessage(CANNOT)
    return AIMessage(f"Ready to implement: {module[0]} fails with {failure}")


def _mend(prompt: str, results: Sequence[str]) -> AIMessage:
    """Take the last mend back, read the module, make the next mend, and say so: one call for each."""
    # What stands above is the instruction, which shows the form of such a sentence.
    tried = [Mend(old, new) for old, new, _ in _REPLACED.findall(prompt.partition(_DONE)[2])]
    module = _MODULE.search(prompt)
    if module is None:
        return AIMessage(CANNOT)
    file = module[0]
    if tried and not results:
        return _call(REPLACE, file=file, old=tried[-1].new, new=tried[-1].old)
    results = results[1:] if tried else results
    if not results:
        return _call(READ, file=file)
    left = [mend for mend in mends(results[0], _plan_failure(prompt)) if mend not in tried]
    if not left:
        return AIMessage(CANNOT)
    if len(results) == 1:
        return _call(REPLACE, file=file, old=left[0].old, new=left[0].new)
    return AIMessage(f"Replaced `{left[0].old}` by `{left[0].new}` in `{file}`.")


def _review(prompt: str, results: Sequence[str]) -> AIMessage:
    if not results:
        return _call(RUN)
    passed = results[-1].startswith("PASSED")
    return AIMessage("The tests pass: approved." if passed else f"It needs fix: the tests fail with {_failure(results[-1])}")


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


def _plan_failure(prompt: str) -> str:
    return prompt.rpartition("Ready to implement:")[2].partition("\n")[0]


def _call(tool: str, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": f"call_{tool}_{len(str(arguments))}"}])

"""Makes small projects with one failing test; names and values differ from project to project."""

from __future__ import annotations

import random
from pathlib import Path
from textwrap import dedent
from typing import Literal, get_args

Fault = Literal["wrong_operator", "off_by_one", "misspelt_name", "unknown_formula"]
"""The faults of the projects; the last one cannot be repaired from the code alone."""
FAULTS: tuple[Fault, ...] = get_args(Fault)

_SYLLABLES = ("ba", "du", "fe", "go", "ki", "lo", "mi", "nu", "pa", "re", "so", "tu", "va", "zi")
OUT_OF_REACH = 1_000_000
"""No small change of a formula gives values of this size."""


def make_project(folder: Path, fault: Fault, seed: int) -> Path:
    """Write a module with one fault, and a test that shows it."""
    chance = random.Random(seed)
    names = _names(chance, 5)
    module, function = names[0], names[1]
    values = [chance.randint(3, 90) for _ in range(3)]
    source, arguments, expected = _MAKERS[fault](function, names[2:], values)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{module}.py"
    path.write_text(dedent(source).lstrip(), encoding="utf-8")
    test = _TEST.format(module=module, function=function, arguments=arguments, expected=expected, title=module.title())
    (folder / f"test_{module}.py").write_text(test, encoding="utf-8")
    return path


_TEST = '''\
"""The test of {module}."""

import unittest

from {module} import {function}


class {title}Test(unittest.TestCase):
    def test_{function}(self):
        self.assertEqual({function}({arguments}), {expected})


if __name__ == "__main__":
    unittest.main()
'''


def _names(chance: random.Random, count: int) -> list[str]:
    names: list[str] = []
    while len(names) < count:
        name = "".join(chance.sample(_SYLLABLES, 3))
        if name not in names:
            names.append(name)
    return names


def _wrong_operator(function: str, names: list[str], values: list[int]) -> tuple[str, str, int]:
    first, second, total = names
    a, b, more = values
    # Either of the two may be wrong, so the first repair may not help.
    one, other = ("-", "+") if sum(values) % 2 else ("+", "-")
    source = f'''
        """Sums."""


        def {function}({first}, {second}):
            """Return both together, and {more} more."""
            {total} = {first} {one} {second}
            return {total} {other} {more}
    '''
    return source, f"{a}, {b}", a + b + more


def _off_by_one(function: str, names: list[str], values: list[int]) -> tuple[str, str, int]:
    last, index, total = names
    n, start, factor = values
    source = f'''
        """Series."""


        def {function}({last}):
            """Return the sum of all multiples of {factor} up to that of the last number."""
            {total} = {start}
            for {index} in range(1, {last}):
                {total} += {index} * {factor}
            return {total}
    '''
    return source, str(n), start + factor * n * (n + 1) // 2


def _misspelt_name(function: str, names: list[str], values: list[int]) -> tuple[str, str, int]:
    first, second, total = names
    a, b, factor = values
    source = f'''
        """Prices."""


        def {function}({first}, {second}):
            """Return the first, and {factor} times the second."""
            {total} = {first} + {second} * {factor}
            return {total[:-1]}
    '''
    return source, f"{a}, {b}", a + b * factor


def _unknown_formula(function: str, names: list[str], values: list[int]) -> tuple[str, str, int]:
    first, second, _ = names
    a, b, factor = values
    source = f'''
        """Codes."""


        def {function}({first}, {second}):
            """Return the code of both."""
            return {first} * {factor} + {second}
    '''
    return source, f"{a}, {b}", OUT_OF_REACH + a * b


_MAKERS = {
    "wrong_operator": _wrong_operator,
    "off_by_one": _off_by_one,
    "misspelt_name": _misspelt_name,
    "unknown_formula": _unknown_formula,
}

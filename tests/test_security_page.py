"""Each threat and each finding of `docs/security.md` names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "security.md").read_text()
FINDINGS = 12


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table below a heading, each with its cells."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@cache
def functions_of(file: Path) -> set[str]:
    if not file.exists():
        return set()
    return {
        node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def named_in(row: list[str]) -> list[str]:
    return re.findall(r"`([\w/.]+\.py::test_\w+)`", row[-1])


def test_every_row_names_a_test() -> None:
    table = [*rows("Threats"), *rows("An attack from outside")]
    assert len(rows("Threats")) > FINDINGS
    assert [row for row in table if not named_in(row) or not all(row)] == []


def test_each_test_that_is_named_exists() -> None:
    named = [name for row in [*rows("Threats"), *rows("An attack from outside")] for name in named_in(row)]
    assert [name for name in named for file, _, test in [name.partition("::")] if test not in functions_of(TESTS / file)] == []


def test_every_finding_has_its_row() -> None:
    assert [row[0] for row in rows("An attack from outside")] == [str(number) for number in range(1, FINDINGS + 1)]

"""Places in a package's code and tests where a statement can be put, chosen by chance."""

from __future__ import annotations

import ast
import random
import textwrap
from pathlib import Path

from examples.failures.checkouts import Checkout

FIXTURE = "\n\nimport pytest\n\n\n@pytest.fixture(autouse=True)\ndef prepared_store({needs}):\n{body}\n"
REVERSED = "import os\n\n\ndef pytest_collection_modifyitems(items):\n"
REVERSED += "    if os.environ.get('STORE_REVERSED'):\n        items.reverse()\n"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def put(checkout: Checkout, site: str, use: str, chance: random.Random) -> None:
    """Put statements into a ``test``, a ``fixture`` or a function of the ``code``, above a ``module``, or into ``conftest``.

    With ``needed`` a fixture needs another, which the statements name. With ``left`` a test sees what one before it left, and
    with ``needs`` it needs that.
    """
    kind = chance.choice(("code", "test")) if site == "module" else "code" if site == "code" else "test"
    file = chance.choice(_files(checkout, kind))
    text = file.read_text()
    if site == "conftest":
        file = checkout.root / "conftest.py"
        text = f"{use}\n\n{file.read_text() if file.exists() else ''}"
    elif site == "module":
        text = _above(text, use)
    elif site in {"fixture", "needed"}:
        needs, body = ("", use) if site == "fixture" else (use, "pass")
        text += FIXTURE.format(needs=needs, body=textwrap.indent(body, "    "))
    elif site in {"left", "needs"}:
        text = _pair(text, "assert not _KEPT" if site == "left" else "assert _KEPT", chance)
        (checkout.root / "conftest.py").write_text(REVERSED)
    else:
        text = _inside(text, chance.choice(_functions(text, of_tests=site == "test")), use)
    file.write_text(text)


def _files(checkout: Checkout, kind: str) -> list[Path]:
    of_tests = kind == "test"
    files = checkout.files(checkout.package.tests if of_tests else checkout.package.code)
    return [file for file in files if len(_functions(file.read_text(), of_tests=of_tests)) > 1]


def _functions(text: str, *, of_tests: bool) -> list[Function]:
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, Function)]
    written_below = [each for each in functions if _first(each).lineno > each.lineno]
    return [each for each in written_below if each.name.startswith("test") or not of_tests]


def _first(function: Function) -> ast.stmt:
    """Return the first statement after the docstring."""
    rest = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (rest or function.body)[0]


def _inside(text: str, function: Function, use: str) -> str:
    rows = text.splitlines()
    first = _first(function)
    rows.insert(first.lineno - 1, textwrap.indent(use, " " * first.col_offset))
    return "\n".join(rows) + "\n"


def _above(text: str, use: str) -> str:
    body = ast.parse(text).body
    is_docstring = isinstance(body[0], ast.Expr)
    head = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    line = max([node.end_lineno or 0 for node in [*(body[:1] if is_docstring else []), *head]], default=0)
    rows = text.splitlines()
    return "\n".join([*rows[:line], use, *rows[line:]]) + "\n"


def _pair(text: str, check: str, chance: random.Random) -> str:
    """Let a test see what one before it in the file left behind."""
    places = sorted(chance.sample(_functions(text, of_tests=True), 2), key=lambda function: function.lineno)
    later = _inside(text, places[1], check)
    return _inside(later, places[0], "_KEPT.append('row')") + "\n\n_KEPT = []\n"

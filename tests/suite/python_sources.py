"""What the rules for the shape of the code ask of a file of Python, from one parse."""

import ast
import re
from dataclasses import dataclass

_PRIVATE_TO_OTHERS = {"langchain", "langchain_core", "langchain_openai", "langgraph", "langgraph_sdk", "openai"}
_BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match)
_DECIDING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.IfExp)
_WAIVER = re.compile(r"# waiver: \w+ \w+")


@dataclass(frozen=True)
class Function:
    """One function or method, measured."""

    place: str
    lines: int
    """Without the docstring."""
    nesting: int
    decisions: int
    waived: bool


@dataclass(frozen=True)
class Source:
    """What the rules ask of one file; the files are 127,000 lines, so each is parsed once."""

    functions: list[Function]
    nested_choices: list[int]
    """The lines of conditional expressions that hold another: a statement can be read from top to bottom."""
    private_imports: list[str]
    """The imports of private names of other packages."""


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = function.body[0]
    docstring = 0
    if ast.get_docstring(function, clean=False) is not None:
        docstring = (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def nesting_of(node: ast.AST) -> int:
    """Return the nesting depth of blocks; an inner function is measured separately."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            elif_branch = isinstance(node, ast.If) and isinstance(child, ast.If) and [child] == node.orelse
            deepest = max(deepest, nesting_of(child) + (isinstance(child, _BLOCKS) and not elif_branch))
    return deepest


def decisions_in(node: ast.AST) -> int:
    """Return how often a function decides: branches, loops, conditional expressions, ``and``, ``or``, filters."""
    count = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        count += isinstance(child, _DECIDING)
        count += len(child.values) - 1 if isinstance(child, ast.BoolOp) else 0
        count += len(child.ifs) if isinstance(child, ast.comprehension) else 0
        count += decisions_in(child)
    return count


def read_source(text: str, place: str = "") -> Source:
    rows = text.splitlines()
    source = Source([], [], [])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            where, waived = f"{place}:{node.lineno} {node.name}", bool(_WAIVER.search(rows[node.lineno - 1]))
            source.functions.append(Function(where, lines_of(node), nesting_of(node), decisions_in(node), waived))
        elif isinstance(node, ast.IfExp) and any(isinstance(inner, ast.IfExp) for inner in ast.walk(node) if inner is not node):
            source.nested_choices.append(node.lineno)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            parent = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            source.private_imports.extend(filter(is_private_to_others, (parent + alias.name for alias in node.names)))
    return source


def is_private_to_others(path: str) -> bool:
    words = path.split(".")
    return words[0] in _PRIVATE_TO_OTHERS and any(map(is_private, words))


def is_private(word: str) -> bool:
    return word.startswith("_") and not word.endswith("__")

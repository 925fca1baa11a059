"""Lazy imports for packages: names whose modules are imported at first use (PEP 562)."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def imported_later(door: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports some of its names late.

    These are the names that it imports under ``TYPE_CHECKING``: each stands there once, for type checkers and for programs.

    Args:
        door: The package's ``__name__``.

    Returns:
        The two functions; a name that was asked for once is an ordinary attribute from then on.
    """

    @cache
    def homes() -> dict[str, str | None]:
        imports = [node for node in ast.walk(ast.parse(inspect.getsource(package))) if isinstance(node, ast.ImportFrom)]
        return {alias.name: node.module for node in imports for alias in node.names}

    def get(name: str) -> Any:
        # Python asks for names of its own, too: they need no look at the source.
        home = None if name.startswith("__") else homes().get(name)
        if home is None:
            raise AttributeError(f"module {door!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        setattr(package, name, value)
        return value

    package = sys.modules[door]
    return get, lambda: [*{*vars(package), *package.__all__}]

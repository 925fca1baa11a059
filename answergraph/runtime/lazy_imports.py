"""Lazy imports for packages: names whose modules are imported at first use (PEP 562)."""

from __future__ import annotations

import ast
import inspect
import sys
import warnings
from collections.abc import Callable, Collection
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_ROOM_NAMES = ".middleware .testing .graphs .many .serving .telemetry .kit .types .errors .evidence .streaming .models"
ROOMS = ("answergraph", *(f"answergraph{suffix}" for suffix in _ROOM_NAMES.split()))
"""The public modules."""

_LIKE_A_NAME = 0.8
"""Minimum similarity of a misspelt name, of 1."""


def imported_later(door: str, moved: Collection[str] = ()) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports some of its names late.

    They are the names that the package imports under ``TYPE_CHECKING``, so that one list serves type checkers and programs. At
    its first use, a name becomes an ordinary attribute of the package. Names that have ``moved`` to
    another public module are given with a warning.
    """

    @cache
    def homes() -> dict[str, str | None]:
        imports = [node for node in ast.walk(ast.parse(inspect.getsource(package))) if isinstance(node, ast.ImportFrom)]
        return {alias.name: node.module for node in imports for alias in node.names}

    def get(name: str) -> Any:
        # Python also looks up special names, for which the source is not parsed.
        home = None if name.startswith("__") else homes().get(name)
        if name in moved and (home := _room_of(name, door)):
            warnings.warn(f"{name} has moved: write `from {home} import {name}`.", DeprecationWarning, stacklevel=2)
        if home is None:
            if not name.startswith("_") and not _has_module(package, name) and (lines := _lines_for(name, door)):
                # ``from … import`` replaces the message of an AttributeError by its own.
                raise ImportError(f"{door} has no {name}; write {' or '.join(lines)}.", name=name)
            raise AttributeError(f"module {door!r} has no attribute {name!r}")
        module = import_module(home)
        value = getattr(module, name)
        if door != "answergraph.kit":  # its functions run in every step
            # Imported here: it imports LangChain, which the help of the command line does without.
            value = import_module("answergraph.runtime.explained_arguments").with_explained_arguments(value)
            setattr(module, name, value)  # one object, at whichever door it is asked for, and for pickle
        setattr(package, name, value)
        return value

    package = sys.modules[door]
    return get, lambda: [*{*vars(package), *package.__all__}]


def _has_module(package: ModuleType, name: str) -> bool:
    """Return whether a name is a module's: Python asks a package for it before it imports it."""
    return hasattr(package, "__path__") and find_spec(f"{package.__name__}.{name}") is not None


def _lines_for(name: str, door: str) -> list[str]:
    """Return the lines that import a name that is looked for elsewhere, or names that are like it."""
    if room := _room_of(name, door):
        return [f"`from {room} import {name}`"]
    from difflib import get_close_matches  # noqa: PLC0415 - only for the message

    rooms = {each: room for room in ROOMS[::-1] for each in getattr(import_module(room), "__all__", ())}
    return [f"`from {rooms[near]} import {near}`" for near in get_close_matches(name, rooms, 2, _LIKE_A_NAME)]


def _room_of(name: str, door: str) -> str | None:
    """Return the public module that has a name which is looked for elsewhere."""
    rooms = (room for room in ROOMS if room != door and name in getattr(import_module(room), "__all__", ()))
    return next(rooms, None)

"""Lazy imports for packages: names whose modules are imported at first use (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def imported_later(door: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that imports some of its names late (PEP 562).

    Args:
        door: The package's ``__name__``.
        names: The names of each module. Type checkers read the same from the package's ``TYPE_CHECKING`` imports.

    Returns:
        The function; a name that was asked for once is an ordinary attribute from then on.
    """
    homes = {name: module for module, names_in_it in names.items() for name in names_in_it}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {door!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[door], name, value)
        return value

    return get

"""Hands LangChain's own modules and names through under our paths, where answergraph has none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType
from typing import Any

from answergraph.runtime.extras import extra_needed

OURS, LANGCHAINS = "answergraph.agents.middleware.", "langchain.agents.middleware."


class LangChainsModules(MetaPathFinder, Loader):
    """Finds ``answergraph.agents.middleware.summarization`` and its like: the very modules of LangChain."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        is_there = fullname.startswith(OURS) and find_spec("langchain") and find_spec(_home(fullname))
        return spec_from_loader(fullname, self) if is_there else None

    def exec_module(self, module: ModuleType) -> None:
        """Put LangChain's module in the place of the new one, so that its classes are there once."""
        sys.modules[module.__name__] = import_module(_home(module.__name__))


def _home(name: str) -> str:
    return name.replace(OURS, LANGCHAINS)


def handed_through(home: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module (PEP 562) that has LangChain's names where answergraph has none."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with extra_needed("langchain", f"{name} of {home}"):
            return getattr(import_module(home), name)

    return get

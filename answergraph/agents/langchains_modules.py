"""Re-exports LangChain's modules and names that answergraph does not define."""

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
    """Imports ``answergraph.agents.middleware.summarization`` and similar paths as LangChain's own modules."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        is_there = fullname.startswith(OURS) and find_spec("langchain") and find_spec(_home(fullname))
        return spec_from_loader(fullname, self) if is_there else None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module with LangChain's, so that each class exists once."""
        sys.modules[module.__name__] = import_module(_home(module.__name__))


def _home(name: str) -> str:
    return name.replace(OURS, LANGCHAINS)


def handed_through(home: str) -> Callable[[str], object]:
    """Return a module ``__getattr__`` (PEP 562) that falls back to LangChain's names."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with extra_needed("langchain", f"{name} of {home}"):
            langchains = import_module(home)
        if vars(langchains).get("__getattr__") is get:
            raise ImportError(f"{name}: sys.modules has answergraph's module as {home!r}. Call answergraph.install() instead.")
        return getattr(langchains, name)

    return get

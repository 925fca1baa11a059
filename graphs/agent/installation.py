"""Puts our ``create_agent`` in the place of LangChain's, for packages that import it themselves."""

import sys
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any, Self

from answergraph.graphs.agent.create import create_agent
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.runtime.extras import extra_needed

_PACKAGE, _HOME = "langchain.agents", "langchain.agents.factory"
_REPLACED: list[object] = []
"""LangChain's function while ours is in its place."""


@wraps(create_agent)
def _installed(*args: Any, **kwargs: Any) -> object:
    # A function of its own: ``uninstall`` leaves modules alone that import ours by its name.
    return create_agent(*args, **kwargs)


@explains_arguments("install(), and create_agent(…) as before")
class install:  # noqa: N801 - used like a function, and as a context
    """Let ``langchain.agents.create_agent`` be answergraph's, for packages that import it themselves.

    Packages may be imported before or after this. Twice does nothing. A context undoes it at its end. What a package has kept
    elsewhere than in the global names of a module, for instance in a ``functools.partial``, stays LangChain's.

    Example:
        >>> import langchain.agents
        >>> with install():
        ...     langchain.agents.create_agent.__module__
        'answergraph.graphs.agent.create'
        >>> langchain.agents.create_agent.__module__
        'langchain.agents.factory'
    """

    def __init__(self) -> None:
        """Replace LangChain's function in every imported module.

        Raises:
            MissingExtraError: If LangChain is not installed.
        """
        with extra_needed("langchain", "install()"):
            package, home = import_module(_PACKAGE), import_module(_HOME)
        if not _REPLACED:
            _REPLACED.append(home.create_agent)
            _swap(home.create_agent, _installed)
            # It may have been assigned to already.
            vars(package)["create_agent"] = _installed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        uninstall()


def uninstall() -> None:
    """Undo ``install``; does nothing if nothing was installed."""
    if _REPLACED:
        _swap(_installed, _REPLACED.pop())


def _swap(old: object, new: object) -> None:
    modules = [module for name, module in list(sys.modules.items()) if isinstance(module, ModuleType) and name != __name__]
    for module in modules:
        for name in [name for name, value in list(vars(module).items()) if value is old]:
            setattr(module, name, new)

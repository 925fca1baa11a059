"""JSON in a text, and packages of an extra."""

from importlib import import_module

from answergraph.evidence.texts.documents import opened_pdf
from answergraph.json_text import json_in_text
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.extras import MissingExtraError

__all__ = ["ExtraNotInstalledError", "find_json", "opened_pdf", "require_extra"]


class ExtraNotInstalledError(MissingExtraError, AgentSpecError):
    """A package of an extra is not installed."""


def find_json(text: str) -> list[object]:
    """Return the JSON values in a text: the whole text, else those in code fences, else the outermost objects.

    Small mistakes of syntax are mended if there is no other value.

    Args:
        text: What a model wrote.

    Example:
        >>> find_json('First {"a": 1}, then {"b": [2]}.')
        [{'a': 1}, {'b': [2]}]
    """
    return [finding.data for finding in json_in_text.find_json(text)]


def require_extra(extra: str, module: str) -> None:
    """Import a module that an extra installs, before a feature needs it.

    Args:
        extra: The extra of answergraph.
        module: The module to import.

    Raises:
        AgentSpecError: If it is not installed; the message says what to install.

    Example:
        >>> require_extra("page", "there_is_no_such_module")
        Traceback (most recent call last):
        ...
        answergraph.kit.texts.ExtraNotInstalledError: page needs there_is_no_such_module: pip install 'answergraph[page]'
    """
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        install = f"{extra} needs {error.name}: pip install 'answergraph[{extra}]'"
        raise ExtraNotInstalledError(install, name=error.name) from error

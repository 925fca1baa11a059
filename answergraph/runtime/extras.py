"""Says in one line which extra installs a missing package."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtraError(ImportError):
    """A package from an extra of answergraph is not installed; the message says what to install."""


@contextmanager
def extra_needed(extra: str, user: str) -> Iterator[None]:
    """Import packages of an extra within this context; ``user`` names in the error what needs them.

    Raises:
        MissingExtraError: If one of them is not installed.

    Example:
        >>> with extra_needed("page", "the page"):
        ...     import there_is_no_such_package
        Traceback (most recent call last):
        ...
        answergraph.runtime.extras.MissingExtraError: the page needs there_is_no_such_package: pip install 'answergraph[page]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "answergraph":
            raise
        raise MissingExtraError(f"{user} needs {package}: pip install 'answergraph[{extra}]'", name=package) from error

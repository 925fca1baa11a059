"""What a provider says in an HTTP error of its client, whichever client that is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from langchain_core.exceptions import ModelInvalidRequestError

MAX_BODY_DEPTH = 8
"""Levels of a body that are searched."""
_BAD_REQUEST = 400


class ProviderError(NamedTuple):
    """An HTTP error: a client's own class of it, or the one that it was raised from."""

    status: int | None
    """``None`` for an error that came in the middle of a stream."""
    text: str
    body: Any
    """As JSON, ``None`` if the client keeps none."""

    def find(self, name: str) -> str:
        """Return the text that the body has under a name at any depth, empty if it has none."""
        return next((value for key, value in _members(self.body) if key == name and isinstance(value, str)), "")


def provider_error(error: BaseException, address: str = "") -> ProviderError | None:
    """Return what a provider said, ``None`` for an error that is not one of the client that asks at this address.

    Looked for along ``__cause__``: some clients raise an error of their own from it. A plain error of Python, such as
    ``ValueError``, is a program's, whatever it was raised from.
    """
    if type(error).__module__ == "builtins":
        return None
    chain = list(_causes(error))
    for each in chain:
        body = _body(each)
        if ((status := _status(each)) is not None or isinstance(body, dict)) and _is_from(each, address):
            return ProviderError(status, f"{error} {'' if body is None else json.dumps(body, default=str)}", body)
    is_invalid = any(isinstance(each, ModelInvalidRequestError) for each in chain)
    return ProviderError(_BAD_REQUEST, str(error), None) if is_invalid else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        # The shape of botocore's ClientError.
        found = [response.get("ResponseMetadata", {}).get("HTTPStatusCode")]
    else:
        found = [getattr(error, "status_code", None), getattr(response, "status_code", None), getattr(error, "code", None)]
    return next((status for status in found if isinstance(status, int) and status >= _BAD_REQUEST), None)


def _body(error: BaseException) -> Any:
    """Return the body of a response as JSON: OpenAI's clients and their like keep it, Google's and httpx have it elsewhere."""
    found = [getattr(error, name, None) for name in ("body", "details", "error")]
    body = next((each for each in found if isinstance(each, dict | str)), None)
    return _parsed(body) if isinstance(body, str) else body


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_from(error: Any, address: str) -> bool:
    """Return whether an error answers a request to the client's address; true where either is not known."""
    try:
        asked = urlsplit(str(error.request.url)).netloc
    except (AttributeError, RuntimeError):
        # httpx raises the latter where there is no request.
        return True
    own = urlsplit(address).netloc
    return not own or not asked or own == asked


def _members(data: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(data, str) and data.lstrip().startswith("{"):
        # Gateways hand on the body of the provider behind them as a text.
        data = _parsed(data)
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in children:
        yield str(key), value
        if depth < MAX_BODY_DEPTH:
            yield from _members(value, depth + 1)

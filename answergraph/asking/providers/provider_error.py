"""Reads the provider's HTTP error from any client."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from langchain_core.exceptions import ModelInvalidRequestError

from answergraph.json_text.json_depth import members

MAX_BODY_DEPTH = 8  # maximum depth of a searched body
MAX_ERROR_CHARACTERS = 20_000
"""Maximum length of the searched text; the objection comes first."""
_BAD_REQUEST = 400


class ProviderError(NamedTuple):
    """An HTTP error of a client."""

    status: int | None
    """``None`` for an error in the middle of a stream."""
    text: str
    body: Any
    """The body as JSON, ``None`` if unknown."""

    def find(self, name: str) -> str:
        """Return the text under a name at any depth of the body, else empty."""
        return next((value for key, value in _members(self.body) if key == name and isinstance(value, str)), "")


def provider_error(error: BaseException, address: str = "") -> ProviderError | None:
    """Return the provider's error, ``None`` if the error is not from the client of this address.

    Follows ``__cause__``, as some clients wrap the error. Plain Python errors such as ``ValueError`` come from the program.
    """
    if type(error).__module__ == "builtins":
        return None
    chain = list(_causes(error))
    for each in chain:
        body = _body(each)
        if ((status := _status(each)) is not None or isinstance(body, dict)) and _is_from(each, address):
            text = f"{error} {'' if body is None else json.dumps(body, default=str)}"
            return ProviderError(status, text[:MAX_ERROR_CHARACTERS], body)
    is_invalid = any(isinstance(each, ModelInvalidRequestError) for each in chain)
    return ProviderError(_BAD_REQUEST, str(error)[:MAX_ERROR_CHARACTERS], None) if is_invalid else None


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
        statuses = [response.get("ResponseMetadata", {}).get("HTTPStatusCode")]
    else:
        statuses = [getattr(error, "status_code", None), getattr(response, "status_code", None), getattr(error, "code", None)]
    return next((status for status in statuses if isinstance(status, int) and status >= _BAD_REQUEST), None)


def _body(error: BaseException) -> object:
    """Return the body of a response as JSON; clients keep it in different attributes."""
    bodies = [getattr(error, name, None) for name in ("body", "details", "error")]
    body = next((each for each in bodies if isinstance(each, dict | str)), None)
    return _parsed(body) if isinstance(body, str) else body


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_from(error: Any, address: str) -> bool:
    """Return whether an error belongs to the client's address; true if unknown."""
    try:
        request_host = urlsplit(str(error.request.url)).netloc
    except (AttributeError, RuntimeError):
        # httpx raises RuntimeError without a request.
        return True
    client_host = urlsplit(address).netloc
    return not client_host or not request_host or client_host == request_host


def _members(data: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    if isinstance(data, str) and data.lstrip().startswith("{"):
        # Gateways embed the provider's body as a string.
        data = _parsed(data)
    for key, value in members(data):
        yield str(key), value
        if depth < MAX_BODY_DEPTH:
            yield from _members(value, depth + 1)

"""The ways of asking that providers have refused: read from their errors, remembered for the life of the process."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import astuple, dataclass, replace
from typing import Any

from answergraph.response_format.providers.model_capabilities import model_name

_BAD_REQUEST = {400, 422}
_NO_SUCH_ABILITY = {*_BAD_REQUEST, 404, 501}
# Patterns are compiled at their first use: few programs see a refusal.
_ABOUT_THE_FORMAT = (
    r"tool[_ ]?choice|response[_ ]?format|response[_ ]?mime[_ ]?type|output_config|json_schema|json_object|json mode|\bstrict\b|"
    r"\bschema\b|structured output|(not|n't) support(ed)? (tools?|functions?|tool use)|tool (use|calling) is not"
)

TOOL_CALLING = "tool_calling"
"""Used as the strategy of a refusal where the model has no tool calling at all."""

_HAS_NO_TOOLS = (
    r"(not|n't|no\b.*) support (for )?(tools?|functions?|tool use|(tool|function)[ _-]?call(s|ing)?)\b|"
    r"(tool|function)s?[ _-]?(use|call(s|ing)?)?[`'\"]* (is|are) not (supported|enabled|available)"
)
_FUNCTION = r"for function ['\"`]?([\w-]+)"


@dataclass(frozen=True)
class Refusal:
    """A way of asking that the provider of one model has refused."""

    model_class: str
    """The chat model's class, with its module."""
    model: str
    """The model's name as the provider knows it."""
    base_url: str
    """The provider's address, empty if the model does not tell."""
    strategy: str
    """The strategy's name."""
    beside_tools: bool
    """Whether it was refused beside tools; without any it may be taken."""

    @classmethod
    def of(cls, model: Any, strategy: str, *, beside_tools: bool) -> Refusal:
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        base_url = next((getattr(model, name) for name in ("openai_api_base", "base_url") if getattr(model, name, None)), "")
        return cls(kind, model_name(model), str(base_url), strategy, beside_tools)


_known: set[Refusal] = set()


def known_refusals() -> list[Refusal]:
    """Return the refusals that this process remembers until it ends or ``forget_refusals`` is called."""
    return sorted(_known, key=astuple)


def forget_refusals() -> None:
    """Forget all refusals, for instance after a server was updated."""
    _known.clear()


def remember_refusal(model: Any, strategy: str, *, beside_tools: bool) -> None:
    _known.add(Refusal.of(model, strategy, beside_tools=beside_tools))


def is_refused(model: Any, strategy: str, *, beside_tools: bool) -> bool:
    if not _known:
        return False
    refusal = Refusal.of(model, strategy, beside_tools=beside_tools)
    return refusal in _known or replace(refusal, beside_tools=False) in _known


def refuses_format(error: BaseException, answers: Collection[str] = ()) -> bool:
    """Return whether an error of a model call means that the provider, or its client, does not take the format.

    True for HTTP 400 and 422 about tool choice, response format, strictness or the schema, for an unknown keyword argument, for a
    client's own ``ValueError`` about these, and for a model class without tools; not for authentication, rate limits or the
    network. ``answers`` are the names of the answer schemas: a complaint about another function is about a user's tool.
    """
    if refuses_tools(error):
        return True
    if isinstance(error, TypeError):
        return "unexpected keyword argument" in str(error)
    text = str(error)
    function = re.search(_FUNCTION, text)
    # A client raises a plain ValueError for what it knows its provider would refuse.
    is_bad_request = _status(error) in _BAD_REQUEST or type(error) is ValueError
    if not is_bad_request or (function is not None and function[1] not in answers):
        return False
    return re.search(_ABOUT_THE_FORMAT, text, re.IGNORECASE) is not None


def refuses_tools(error: BaseException) -> bool:
    """Return whether an error means that the model has no tool calling at all.

    True for a model class without ``bind_tools``, and for the words of a provider, as of Ollama ("does not support tools"), Groq
    ("`tool calling` is not supported with this model") and OpenRouter ("No endpoints found that support tool use").
    """
    if isinstance(error, NotImplementedError):
        return True
    return _status(error) in _NO_SUCH_ABILITY and re.search(_HAS_NO_TOOLS, str(error), re.IGNORECASE) is not None


def _status(error: BaseException) -> Any:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        # The shape of botocore's ClientError.
        return response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return getattr(error, "status_code", None) or getattr(response, "status_code", None) or getattr(error, "code", None)

"""Reads from providers' errors which strategies they refuse, and remembers the refusals for a limited time."""

import re
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import astuple, dataclass, replace
from threading import Lock
from time import monotonic
from typing import NamedTuple, Self

from answergraph.asking.providers.failed_samples import reply_in
from answergraph.asking.providers.model_capabilities import address_of, deployment_of
from answergraph.asking.providers.provider_error import ProviderError, provider_error

MAX_REFUSALS = 256
"""Number of refusals remembered; the oldest is forgotten first."""
MAX_REFUSAL_AGE_SECONDS = 3600.0
"""After this time a refused strategy is tried again."""

_BAD_REQUEST = {None, 400, 422}
_NO_SUCH_ABILITY = {400, 404, 422, 501}
# Patterns are compiled on first use: refusals are rare.
_PARAMETER = (
    r"tool[_ ]?choice|toolConfig|response[_ ]?format|response[_ ]?(mime[_ ]?type|json[_ ]?schema|schema)|output_?config|"
    r"text\.format|json_schema|json_object|json mode|\bstrict\b|structured output"
)
_SCHEMA = r"\bschemas?\b|\bgrammar\b|\bnesting\b"
_IS_NOT_TAKEN = (
    r"not (currently )?(be )?(support|allow|permit|accept|available|enabled|recogni[sz]ed)|"
    r"n't (currently )?(support|allow|accept)|"
    r"unsupported|unavailable|unknown|unrecogni[sz]ed|unexpected|extra (inputs|fields)|may not|cannot|can't|incompatible|only|"
    r"requires|must (not )?be|should be|forces tool use|is enabled"
)
_SPOILT_SCHEMA = (
    r"invalid (json )?schema|schema is invalid|schema (is )?too|too many (states|properties|parameters|optional)|too complex|"
    r"the specified schema|in context=|\bgrammar\b|additionalProperties|nesting|depth|schema\.\w|format\.schema|"
    r"for '\w+' type|keyword"
)
_BARE = r"request contains an invalid argument"
"""Gemini's only message for many schemas."""
_WITHOUT_ENDPOINT = r"no endpoints found that can handle the requested parameters"
_HAS_NO_TOOLS = (
    r"(not|n't|no\b.*) support (for )?(tools?|functions?|tool use|(tool|function)[ _-]?call(s|ing)?)\b|"
    r"(tool|function)s?[ _-]?(use|call(s|ing)?)?[`'\"]* (is|are) not (supported|enabled|available)|"
    r"no endpoints found that support tool use"
)
_WITHOUT_TEMPLATES = r"tools param requires --jinja"
"""llama.cpp's message, with HTTP 500."""
_FUNCTION = r"for function ['\"`]?([\w-]+)"
_TOOL_INDEX = r"(?:tools|function_?declarations)[.\[](\d+)"

TOOL_CALLING = "tool_calling"
"""The strategy of a refusal by a model without tool calling."""


@dataclass(frozen=True)
class Refusal:
    """A strategy that the provider of one model has refused."""

    model_class: str
    """The chat model's class, with its module."""
    model: str
    """The provider's name of the model."""
    base_url: str
    """The provider's address, empty if unknown."""
    strategy: str
    """The strategy's name."""
    beside_tools: bool
    """Whether it was refused beside tools; without tools it may work."""
    schema: str = ""
    """A digest of the refused schema; empty if any schema is refused."""

    @classmethod
    def of(cls, model: object, strategy: str, *, beside_tools: bool, schema: str = "") -> Self:
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        return cls(kind, deployment_of(model), address_of(model), strategy, beside_tools, schema)


class Objection(NamedTuple):
    """A provider's objection to a request."""

    to_schema: bool = False
    """Whether it is about the schema, not the strategy."""
    to_tools: bool = False
    """Whether the model has no tool calling at all."""
    beside_tools: bool = False
    """Whether it is about tools: without them the strategy may work."""
    names_parameter: bool = True
    """Whether it names the parameter; otherwise one error is not enough."""


class _Heard(NamedTuple):
    at_seconds: float
    is_learned: bool
    """Whether it is avoided: one error is enough only if it names the parameter."""


_heard: OrderedDict[Refusal, _Heard] = OrderedDict()
"""The refusals with their age, the oldest first."""
_lock = Lock()


def known_refusals() -> list[Refusal]:
    """Return the refusals that this process remembers for an hour, or until ``forget_refusals`` is called."""
    with _lock:
        return sorted(filter(_is_learned, _heard), key=astuple)


def forget_refusals() -> None:
    """Forget all refusals, for instance after a server was updated."""
    with _lock:
        _heard.clear()


def remember_refusal(
    model: object, strategy: str, *, beside_tools: bool, schema: str = "", objection: Objection | None = None
) -> None:
    """Record a refusal. It applies to ``schema`` alone if the objection is to the schema, else to every schema."""
    objection = objection or Objection()
    digest = schema if objection.to_schema else ""
    refusal = Refusal.of(model, strategy, beside_tools=beside_tools, schema=digest)
    with _lock:
        _heard[refusal] = _Heard(monotonic(), is_learned=objection.names_parameter or _fresh(refusal) is not None)
        _heard.move_to_end(refusal)
        while len(_heard) > MAX_REFUSALS:
            _heard.popitem(last=False)


def has_refusals() -> bool:
    return bool(_heard)


def is_refused(model: object, strategy: str, *, beside_tools: bool, schema: str = "") -> bool:
    if not _heard:
        return False
    refusal = Refusal.of(model, strategy, beside_tools=beside_tools)
    ways = {refusal, replace(refusal, beside_tools=False)}
    return any(_is_learned(way) or (schema and _is_learned(replace(way, schema=schema))) for way in ways)


def _fresh(refusal: Refusal) -> _Heard | None:
    known = _heard.get(refusal)
    return known if known is not None and monotonic() - known.at_seconds < MAX_REFUSAL_AGE_SECONDS else None


def _is_learned(refusal: Refusal) -> bool:
    known = _fresh(refusal)
    return known is not None and known.is_learned


def cannot_be_bound(error: BaseException) -> bool:
    """Return whether a client rejected a strategy while binding the model, before sending."""
    if isinstance(error, TypeError):
        return "unexpected keyword argument" in str(error)
    names_parameter = type(error) is ValueError and re.search(_PARAMETER, str(error), re.IGNORECASE) is not None
    return names_parameter or isinstance(error, NotImplementedError)


def objection_in(error: BaseException, model: object, answers: Collection[str] = (), user_tools: int = 0) -> Objection | None:
    """Return the provider's objection to the strategy in an error of a model call, ``None`` if there is none.

    Only HTTP errors of the model's client count, about the tool choice, the response format, strictness, a schema or missing tool
    calling. Errors about the user's tools do not count: ``answers`` are the names of the answer schemas, ``user_tools`` is the
    number of tools before theirs.
    """
    failure = provider_error(error, address_of(model))
    if failure is None or reply_in(error, model) is not None or _is_about_a_users_tool(failure.text, answers, user_tools):
        return None
    if (failure.status in _NO_SUCH_ABILITY and _says(_HAS_NO_TOOLS, failure)) or _says(_WITHOUT_TEMPLATES, failure):
        return Objection(to_tools=True)
    if failure.status == 404 and _says(_WITHOUT_ENDPOINT, failure):  # noqa: PLR2004 - OpenRouter: none of its providers accepts the request
        return Objection(names_parameter=False)
    if _says(_BARE, failure):
        return Objection(to_schema=True, names_parameter=False)
    names_parameter = _says(_PARAMETER, failure)
    if failure.status not in _BAD_REQUEST or not (names_parameter or _says(_SCHEMA, failure)):
        return None
    to_schema = _says(_SPOILT_SCHEMA, failure) or not (names_parameter and _says(_IS_NOT_TAKEN, failure))
    return Objection(to_schema=to_schema, beside_tools=_says(r"\btools?\b|function", failure), names_parameter=names_parameter)


def _says(pattern: str, failure: ProviderError) -> bool:
    return re.search(pattern, failure.text, re.IGNORECASE) is not None


def _is_about_a_users_tool(text: str, answers: Collection[str], user_tools: int) -> bool:
    function, index = re.search(_FUNCTION, text), re.search(_TOOL_INDEX, text, re.IGNORECASE)
    if function is not None:
        return function[1] not in answers
    return index is not None and int(index[1]) < user_tools

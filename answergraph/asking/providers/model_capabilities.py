"""The capabilities of a model according to the provider table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel

from answergraph.asking.providers.provider_table import Availability, ProviderFamily, TurnRule, matching_families
from answergraph.json_schema.dialects import Dialect

# Settings that turn thinking on: fields of the client, or keys of the fields below.
_THINKING_FIELDS = ("thinking", "reasoning", "enable_thinking")
_REQUEST_FIELDS = ("extra_body", "model_kwargs", "additional_model_request_fields")
# The tool choice that forbids calls, per client class; ChatOllama and ChatBedrockConverse have none.
_NO_CALL_CHOICES: Mapping[str, object] = {
    **dict.fromkeys(("BaseChatOpenAI", "ChatMistralAI", "ChatGroq", "ChatOpenRouter", "ChatFireworks"), "none"),
    **dict.fromkeys(("ChatGoogleGenerativeAI", "ChatVertexAI", "StandardChatModel"), "none"),
    # It reads the string as a tool name.
    "ChatAnthropic": {"type": "none"},
}
# Address fields of the clients of OpenAI, Azure, Anthropic, Groq, OpenRouter, DeepSeek, Bedrock, Mistral and others.
_ADDRESS_FIELDS = (
    *("openai_api_base", "azure_endpoint", "anthropic_api_url", "groq_api_base", "openrouter_api_base", "api_base"),
    *("endpoint_url", "endpoint", "base_url"),
)


def model_name(model: object) -> str:
    """Return the provider's name of a model, empty if unknown."""
    return _first_text(model, "model_name", "model", "model_id")


def deployment_of(model: object) -> str:
    """Return the deployment that a chat model's requests go to, or the model if there is none."""
    return _first_text(model, "deployment_name") or model_name(model)


def address_of(model: object) -> str:
    """Return the address or region of a model's client, empty if unknown."""
    return _first_text(model, *_ADDRESS_FIELDS) or _first_text(model, "region_name", "location")


def supports_native_format(model: BaseChatModel, tools: Sequence[object], *, calls: bool = True) -> bool:
    """Return whether the provider can enforce a JSON schema beside these tools; ``calls`` says whether they may be called.

    The model's ``profile``, if any, says whether the mode exists; the table says whether it works with tools.
    """
    columns = [family.ways.native for family in _families_of(model)]
    profile = getattr(model, "profile", None)
    if profile is not None and "structured_output" in profile:
        if not profile["structured_output"]:
            return False
        columns = [when for when in columns if when is not Availability.NEVER]
    return _hold(columns, model, tools, calls=calls)


def supports_json_mode(model: object, tools: Sequence[object], *, calls: bool = True) -> bool:
    return _hold([family.ways.json_mode for family in _families_of(model)], model, tools, calls=calls)


def takes_format_beside_tools(model: object) -> bool:
    """Return whether a provider may accept a format in a request with tools."""
    return not any(Availability.WITHOUT_TOOLS in family.ways for family in _families_of(model))


def needs_tools_for_calls(model: object) -> bool:
    """Return whether a provider requires tools for a conversation with tool calls."""
    return any(family.needs_tools for family in _families_of(model))


def no_call_choice(model: object) -> Any:
    """Return the tool choice that forbids calls, ``None`` if the client has none."""
    return next((_NO_CALL_CHOICES[kind.__name__] for kind in type(model).__mro__ if kind.__name__ in _NO_CALL_CHOICES), None)


def refuses_forced_tools(model: object) -> bool:
    """Return whether a model is known to refuse or ignore forced calls, as many do while they think."""
    if not _lists_tool_choice(model, "any"):
        return True
    return not _hold([family.ways.forced_tool for family in _families_of(model)], model, ())


def wire_dialect(model: object) -> Dialect:
    """Return the dialect of a model's native mode: that of its ``wire_dialect`` attribute, else that of its maker."""
    own = getattr(model, "wire_dialect", None)
    return own if isinstance(own, Dialect) else _families_of(model)[-1].dialect


def answers_last(model: object) -> bool:
    """Return whether a model calls tools only while no answer is requested."""
    return any(family.answers_last for family in _families_of(model))


def may_write_calls(model: object) -> bool:
    """Return whether a server may return calls as text.

    If only the maker serves a model, every call is parsed, so text that looks like a call is a quotation.
    """
    return all(family.open_weights for family in _families_of(model))


def names_forced_tool(model: object) -> bool:
    return _lists_tool_choice(model, "tool")


def _lists_tool_choice(model: object, kind: str) -> bool:
    # The client of Bedrock raises for kinds of tool choice it does not list here.
    kinds = getattr(model, "supports_tool_choice_values", None)
    return not isinstance(kinds, tuple | list) or kind in kinds


def turn_rules(model: object) -> frozenset[TurnRule]:
    return frozenset().union(*(family.turns for family in _families_of(model)))


def wants_thoughts(model: object) -> bool:
    return any(family.wants_thoughts for family in _families_of(model))


def _hold(columns: list[Availability], model: object, tools: Sequence[object], *, calls: bool = True) -> bool:
    thinking = Availability.WITHOUT_THINKING in columns and _thinks(model)
    return all(when.holds(tools=bool(tools), thinking=thinking, calls=calls) for when in columns)


def _families_of(model: object) -> tuple[ProviderFamily, ...]:
    clients = frozenset(kind.__name__ for kind in type(model).__mro__)
    return matching_families(clients, _first_text(model, *_ADDRESS_FIELDS), model_name(model).lower())


def _first_text(model: object, *attributes: str) -> str:
    values = (getattr(model, attribute, None) for attribute in attributes)
    return next((value for value in values if value and isinstance(value, str)), "")


def _thinks(model: object) -> bool:
    """Return whether a model thinks, by its client's settings, else by name.

    Anthropic's adaptive thinking does not count: it causes no refusals.
    """
    setting = next(_thinking_settings(model), None)
    name = model_name(model).lower()
    return any(family.thinks_unasked(name) for family in _families_of(model)) if setting is None else setting


def _thinking_settings(model: object) -> Iterator[bool]:
    own = {name: getattr(model, name, None) for name in _THINKING_FIELDS}
    for settings in (own, *(getattr(model, name, None) for name in _REQUEST_FIELDS)):
        if not isinstance(settings, Mapping):
            continue
        thinking, reasoning, enabled = (settings.get(name) for name in _THINKING_FIELDS)
        if isinstance(thinking, Mapping):
            yield thinking.get("type") == "enabled"
        if isinstance(reasoning, Mapping):
            yield reasoning.get("effort") != "none" and reasoning.get("enabled") is not False
        if isinstance(enabled, bool):
            yield enabled

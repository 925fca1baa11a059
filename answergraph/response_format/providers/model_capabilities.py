"""What a model can do in a call, and how its client wants to be asked, by the provider table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel

from answergraph.response_format.providers.provider_family import Availability, ProviderFamily
from answergraph.response_format.providers.provider_table import matching_families
from answergraph.response_format.wire.dialects import Dialect

# Settings that turn thinking on: fields of the client, or keys of the fields below, which go along with every request.
_THINKING_FIELDS = ("thinking", "reasoning", "enable_thinking")
_REQUEST_FIELDS = ("extra_body", "model_kwargs", "additional_model_request_fields")
# Per class of a client how it is told that no tool may be called; ChatOllama and ChatBedrockConverse have no way to say it.
_NO_CALL_CHOICES: Mapping[str, Any] = {
    **dict.fromkeys(("BaseChatOpenAI", "ChatMistralAI", "ChatGroq", "ChatOpenRouter", "ChatFireworks"), "none"),
    **dict.fromkeys(("ChatGoogleGenerativeAI", "ChatVertexAI", "InProcessChatModel", "ReActTextModel"), "none"),
    # It takes the string for the name of a tool.
    "ChatAnthropic": {"type": "none"},
}
# Where the clients of OpenAI, Azure, Anthropic, Groq, OpenRouter, DeepSeek, Bedrock, Mistral and others keep their address.
_ADDRESS_FIELDS = (
    *("openai_api_base", "azure_endpoint", "anthropic_api_url", "groq_api_base", "openrouter_api_base", "api_base"),
    *("endpoint_url", "endpoint", "base_url"),
)


def model_name(model: Any) -> str:
    """Return a chat model's name as its provider knows it, empty if the model does not tell."""
    return _first_text(model, "model_name", "model", "model_id")


def deployment_of(model: Any) -> str:
    """Return the deployment that a chat model's requests go to, or the model if there is none."""
    return _first_text(model, "deployment_name") or model_name(model)


def address_of(model: Any) -> str:
    """Return the address of a chat model's client, or the region of a client without one; empty if it has neither."""
    return _first_text(model, *_ADDRESS_FIELDS) or _first_text(model, "region_name", "location")


def supports_native_format(model: BaseChatModel, tools: Sequence[Any], *, calls: bool = True) -> bool:
    """Return whether the provider can hold a model to a JSON schema in a call with these tools; ``calls`` if it may call them.

    The model's ``profile``, if it has one, says whether there is such a mode; whether it goes with tools is in the table only.
    """
    families = _families_of(model)
    columns = [family.ways.native for family in families]
    profile = getattr(model, "profile", None)
    if profile is not None and "structured_output" in profile:
        if not profile["structured_output"]:
            return False
        columns = [when for when in columns if when is not Availability.NEVER]
    return _hold(columns, model, families, tools, calls=calls)


def supports_json_mode(model: Any, tools: Sequence[Any], *, calls: bool = True) -> bool:
    families = _families_of(model)
    return _hold([family.ways.json_mode for family in families], model, families, tools, calls=calls)


def takes_format_beside_tools(model: Any) -> bool:
    """Return whether a provider is not known to refuse any format in a request that has tools, callable or not."""
    return not any(Availability.WITHOUT_TOOLS in family.ways for family in _families_of(model))


def needs_tools_for_calls(model: Any) -> bool:
    """Return whether a provider refuses a conversation with tool calls where no tools are defined."""
    return any(family.needs_tools for family in _families_of(model))


def no_call_choice(model: Any) -> Any:
    """Return the tool choice by which a model's client says that no tool may be called, ``None`` if it has none."""
    return next((_NO_CALL_CHOICES[kind.__name__] for kind in type(model).__mro__ if kind.__name__ in _NO_CALL_CHOICES), None)


def refuses_forced_tools(model: Any) -> bool:
    """Return whether a model is known to refuse or ignore a forced tool call, as many do while they think."""
    if not _lists_tool_choice(model, "any"):
        return True
    families = _families_of(model)
    return not _hold([family.ways.forced_tool for family in families], model, families, ())


def wire_dialect(model: Any) -> Dialect:
    """Return the dialect of a model's native mode: its own attribute, else that of its maker, also behind a gateway."""
    own = getattr(model, "wire_dialect", None)
    return own if isinstance(own, Dialect) else _families_of(model)[-1].dialect


def answers_last(model: Any) -> bool:
    """Return whether a model calls its tools only while no answer is asked for."""
    return any(family.answers_last for family in _families_of(model))


def may_write_calls(model: Any) -> bool:
    """Return whether a server may hand a call on as the model wrote it, as text.

    Makers that alone serve their models turn every call into one: a text that looks like a call is a quotation there.
    """
    return all(family.open_weights for family in _families_of(model))


def names_forced_tool(model: Any) -> bool:
    return _lists_tool_choice(model, "tool")


def _lists_tool_choice(model: Any, kind: str) -> bool:
    # The client of Bedrock raises for the kinds of tool choice that it does not list here.
    kinds = getattr(model, "supports_tool_choice_values", None)
    return not isinstance(kinds, tuple | list) or kind in kinds


def takes_user_after_tool(model: Any) -> bool:
    return all(family.user_after_tool for family in _families_of(model))


def wants_thoughts(model: Any) -> bool:
    return any(family.wants_thoughts for family in _families_of(model))


def _hold(
    columns: list[Availability], model: Any, families: tuple[ProviderFamily, ...], tools: Sequence[Any], *, calls: bool = True
) -> bool:
    thinking = Availability.WITHOUT_THINKING in columns and _thinks(model, families)
    return all(when.holds(tools=bool(tools), thinking=thinking, calls=calls) for when in columns)


def _families_of(model: Any) -> tuple[ProviderFamily, ...]:
    clients = frozenset(kind.__name__ for kind in type(model).__mro__)
    return matching_families(clients, _first_text(model, *_ADDRESS_FIELDS), model_name(model).lower())


def _first_text(model: Any, *attributes: str) -> str:
    values = (getattr(model, attribute, None) for attribute in attributes)
    return next((value for value in values if value and isinstance(value, str)), "")


def _thinks(model: Any, families: tuple[ProviderFamily, ...]) -> bool:
    """Return whether a model thinks, by its client's settings, else by its name.

    Anthropic's adaptive thinking counts as none: nothing is refused because of it.
    """
    setting = next(_thinking_settings(model), None)
    return any(family.thinks_unasked(model_name(model).lower()) for family in families) if setting is None else setting


def _thinking_settings(model: Any) -> Iterator[bool]:
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

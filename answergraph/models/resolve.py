"""Finds the chat model a name stands for; the only place that imports provider packages, when they are needed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable

from answergraph.runtime.extras import extra_needed
from answergraph.state.errors import AgentSpecError

if TYPE_CHECKING:
    from answergraph.models.offline.offline_policy import OfflinePolicy

OFFLINE = "offline"
"""The name of the model that needs no key, and is no language model."""

_EXAMPLES = "'offline', 'openai:gpt-4.1' or a chat model object"


def resolve_model(model: Any, *, offline: OfflinePolicy | None = None, **settings: Any) -> BaseChatModel:
    """Return the chat model for ``"offline"``, ``"openai:NAME"`` or, by LangChain's ``init_chat_model``, ``"provider:NAME"``.

    A chat model is returned as it is. ``offline`` holds the rules that ``"offline"`` stands for, arithmetic by default; the
    settings go to the model's class.

    Raises:
        AgentSpecError: If the name is unknown, or what it needs is missing; the message says what to install or pass.
    """
    if isinstance(model, Runnable) and hasattr(model, "bind_tools"):
        # A chat model, or one with settings or fallbacks bound to it.
        return model  # type: ignore[return-value]  # these have a chat model's methods and no common class
    if not isinstance(model, str) or not model.strip():
        raise AgentSpecError(f"{model!r} is no model; pass {_EXAMPLES}.")
    if model == OFFLINE:
        return _offline(offline)
    provider, _, name = model.partition(":")
    try:
        return _openai(name, settings) if provider == "openai" else _through_langchain(model, settings)
    except Exception as error:
        # Each provider's package has error classes of its own for a missing key, package or name.
        raise AgentSpecError(f"Model {model!r} cannot be used: {error}") from error


def _offline(policy: OfflinePolicy | None) -> BaseChatModel:
    # The calculator behind it is a twentieth of the package's import.
    from answergraph.models.offline.offline_model import OfflineChatModel

    return OfflineChatModel(policy=policy) if policy else OfflineChatModel()


def _openai(name: str, settings: dict[str, Any]) -> BaseChatModel:
    if not name:
        raise ValueError("the name is missing after 'openai:'")
    # Takes 0.8 s to import; an agent on another model does not pay for it.
    made: BaseChatModel = importlib.import_module("langchain_openai").ChatOpenAI(model=name, **settings)
    return made


def _through_langchain(model: str, settings: dict[str, Any]) -> BaseChatModel:
    with extra_needed("langchain", f"a model other than {_EXAMPLES}"):
        langchain = importlib.import_module("langchain.chat_models")
    made: BaseChatModel = langchain.init_chat_model(model, **settings)
    return made

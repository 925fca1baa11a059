"""Finds the chat model for a name; the only module that imports provider packages, and only when one is needed."""

import importlib
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable

from answergraph.models.model_names import OFFLINE
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.extras import extra_needed

_OPENAI_NAMES = ("gpt-", "chatgpt-", "o1", "o3", "o4")
_LIKENESS = 0.75
"""Minimum similarity, from 0 to 1, of a misspelt name to a known one."""

_EXAMPLES = "'offline', 'openai:gpt-4.1', 'local:smollm2' or a chat model object"
_PROVIDERS = ("openai:", "local:")


def resolve_model(model: object, *, offline: Callable[[Any], AIMessage] | None = None, **settings: object) -> BaseChatModel:
    """Return the chat model for a name.

    Names are ``"offline"``, ``"openai:NAME"``, ``"local:smollm2"``, ``"local:/file.gguf"`` and, by LangChain's
    ``init_chat_model``, ``"provider:NAME"``.

    A chat model is returned unchanged. ``offline`` is the policy of ``"offline"``, arithmetic by default; settings go to the
    model's class. Raise ``AgentSpecError`` if the name is unknown, or a package or key is missing; the message says what to do.
    """
    if isinstance(model, Runnable) and hasattr(model, "bind_tools"):
        # A chat model, or one with settings or fallbacks bound to it.
        return model  # type: ignore[return-value]  # these have a chat model's methods and no common class
    if not isinstance(model, str) or not model.strip():
        raise AgentSpecError(f"{shown(model)} is not a model; {_advice(model)}.")
    if model == OFFLINE:
        return _offline(offline)
    provider, _, name = model.partition(":")
    try:
        if provider == "local":
            return _local(name, settings)
        return _openai(name, settings) if provider == "openai" else _through_langchain(model, settings)
    except Exception as error:
        # Providers raise their own error classes for a missing key, package or name.
        meant = _meant(model) if isinstance(error, ImportError | ValueError) else None
        problem = error if meant is None else f"there is no such name. Did you mean {meant!r}?"
        raise AgentSpecError(f"Model {model!r} cannot be used: {problem}") from error


def _advice(model: object) -> str:
    if isinstance(model, type):
        return f"it is a class, write {shown(model)}(…)"
    if isinstance(model, Runnable):
        return f"it has no tool calls; wrap it, ReActTextModel({type(model).__name__}(…))"
    return f"pass {_EXAMPLES}"


def _meant(name: str) -> str | None:
    provider, separator, rest = name.replace("/", ":", 1).partition(":")
    if get_close_matches(name.lower(), [OFFLINE], cutoff=_LIKENESS):
        return OFFLINE
    if not separator and provider.startswith(_OPENAI_NAMES):
        return f"openai:{provider}"
    if not rest or name.startswith(_PROVIDERS):
        return None
    near = get_close_matches(provider.lower(), [each.rstrip(":") for each in _PROVIDERS], n=1, cutoff=_LIKENESS)
    return f"{near[0]}:{rest}" if near else None


def _offline(policy: Callable[[Any], AIMessage] | None) -> BaseChatModel:
    # By its name: the core knows no add-on, and importing its calculator takes a twentieth of the package's import time.
    offline = importlib.import_module("answergraph.offline.offline_model")
    chat_model: BaseChatModel = offline.OfflineChatModel(policy=policy) if policy else offline.OfflineChatModel()
    return chat_model


def _openai(name: str, settings: dict[str, object]) -> BaseChatModel:
    if not name:
        raise ValueError("the name is missing after 'openai:'")
    # The import takes 0.8 s, and other models do not need it.
    chat_model: BaseChatModel = importlib.import_module("langchain_openai").ChatOpenAI(model=name, **settings)
    return chat_model


def _local(name: str, settings: dict[str, object]) -> BaseChatModel:
    if not name:
        raise ValueError("the name is missing after 'local:'")
    # By its name: only who names a local model needs the engine.
    chat_model: BaseChatModel = importlib.import_module("answergraph.models.local_model").local_model(name, settings)
    return chat_model


def _through_langchain(model: str, settings: dict[str, object]) -> BaseChatModel:
    with extra_needed("langchain", f"a model other than {_EXAMPLES}"):
        langchain = importlib.import_module("langchain.chat_models")
    chat_model: BaseChatModel = langchain.init_chat_model(model, **settings)
    return chat_model

"""The model that the options of a command name."""

from __future__ import annotations

import os

from langchain_core.language_models import BaseChatModel

from answergraph.nodes.chat_models.resolve import resolve_model
from answergraph.nodes.errors import AgentSpecError

OFFLINE_NOTE = (
    "The default model, 'offline', is no language model: it is a set of rules that reads arithmetic and plans tool calls, and "
    "it needs no key and no network."
)


def model_of(name: str, base_url: str | None) -> BaseChatModel:
    """Return the chat model of ``--model`` and ``--base-url``.

    Args:
        name: The model's name.
        base_url: The address of an OpenAI-compatible server, ``None`` for the provider's own.

    Raises:
        AgentSpecError: If the two do not go together, or the model cannot be used.
    """
    if base_url is None:
        return resolve_model(name)
    if not name.startswith("openai:"):
        raise AgentSpecError(f"--base-url goes with --model openai:NAME, not with {name!r}.")
    # A server of one's own often wants no key, but the client insists on one.
    return resolve_model(name, base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY") or "none")

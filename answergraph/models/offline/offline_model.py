"""The model for a machine without a key: rules instead of a language model, behind a chat model's interface."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.language_models import ModelProfile
from langchain_core.messages import AIMessage

from answergraph.graphs.judge.offline_judge import JudgingPolicy
from answergraph.graphs.triage.offline.triage_policy import TriagePolicy
from answergraph.models.in_process.in_process_model import ChatRequest, InProcessChatModel
from answergraph.models.offline.arithmetic_policy import ArithmeticPolicy
from answergraph.models.offline.offline_policy import OfflinePolicy, OfflineRequest, decline
from examples.mending.offline_mender import MendingPolicy

POLICIES: Sequence[OfflinePolicy] = (JudgingPolicy(), MendingPolicy(), TriagePolicy(), ArithmeticPolicy())
"""What the offline model can do; the first policy that knows what to reply is heard."""


class OfflineChatModel(InProcessChatModel):
    """A deterministic, rule-based chat model that needs no key and no network. It is no language model.

    It reads the tools, the answer format and the tool choice it was bound with, and plans one tool call per step for
    arithmetic: ``+ - × * ÷ /``, parentheses, decimals, negative numbers and full-width digits, in a sentence around the
    expression in English or Japanese. It computes nothing itself: every number in its replies was written by the user or
    returned by a tool, right or wrong. When the last result is there it fills the answer schema, calling
    ``validate_calculation`` first if the schema has a ``validation_result``. What it cannot do it says in plain text,
    even where a call is demanded.

    As a judge it chooses the condition that the work states word for word; see ``JudgingPolicy``.

    It keeps no state: the next step is read from the messages. Usage is an estimate, one token for four characters.

    Example:
        >>> from langchain_core.tools import tool
        >>> @tool
        ... def add(a: float, b: float) -> float:
        ...     '''Add two numbers.'''
        ...     return a + b
        >>> OfflineChatModel().bind_tools([add]).invoke("What is 3 + 4?").tool_calls[0]["args"]
        {'a': 3, 'b': 4}
        >>> OfflineChatModel().invoke("What is 3 + 4?").content
        'I cannot work out 3 + 4: I have no tool add for two numbers, and I compute nothing myself.'
    """

    model_name: str = "offline"

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _resolve_model_profile(self) -> ModelProfile:
        return ModelProfile(tool_calling=True, tool_choice=True, tool_call_streaming=True, structured_output=True)

    def respond(self, request: ChatRequest) -> AIMessage:
        """Return what the first policy that knows a reply says; else a sentence that says what this model can do.

        Args:
            request: What the model was asked.
        """
        offline_request = OfflineRequest.read(request)
        for policy in POLICIES:
            reply = policy.reply(offline_request)
            if reply is not None:
                return reply
        abilities = ", or ".join(policy.ability for policy in POLICIES)
        return decline(f"I am a set of rules and no language model, and all I can do is {abilities}.")

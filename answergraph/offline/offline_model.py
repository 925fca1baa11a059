"""A rule-based model with the interface of a chat model."""

from langchain_core.language_models import ModelProfile
from langchain_core.messages import AIMessage
from pydantic import Field

from answergraph.models.in_process.in_process_model import ChatRequest, InProcessChatModel
from answergraph.offline.arithmetic_policy import arithmetic
from answergraph.offline.offline_policy import OfflinePolicy, OfflineRequest


class OfflineChatModel(InProcessChatModel):
    """A deterministic, rule-based stand-in for a chat model; needs no key and no network.

    Its policy decides what it can do. The default evaluates arithmetic by one tool call per step: ``+ - × * ÷ /``, parentheses,
    decimals, negative numbers and full-width digits, in a sentence around the expression in English or Japanese. It computes
    nothing itself: every number in its replies was written by the user or returned by a tool, right or wrong. With the last
    result it fills the answer schema, calling ``validate_calculation`` first if the schema has a ``validation_result``. If
    it cannot do something, it says so in plain text, even if a call is forced.

    It keeps no state: the next step is read from the messages. Usage is an estimate, one token for four characters.
    """

    model_name: str = "offline"
    policy: OfflinePolicy = Field(default=arithmetic, exclude=True, repr=False)

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _resolve_model_profile(self) -> ModelProfile:
        return ModelProfile(tool_calling=True, tool_choice=True, tool_call_streaming=True, structured_output=True)

    def respond(self, request: ChatRequest) -> AIMessage:
        return self.policy(OfflineRequest.read(request))

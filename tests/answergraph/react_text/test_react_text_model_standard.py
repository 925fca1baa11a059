"""The standard tests that LangChain gives to every chat model."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_tests.unit_tests import ChatModelUnitTests

from answergraph.models import ReActTextModel
from answergraph.testing import ScriptedChatModel


class TestReActTextModel(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ReActTextModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"llm": ScriptedChatModel(replies=["Hello."])}

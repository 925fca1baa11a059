"""The standard tests that LangChain gives to every chat model."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_tests.unit_tests import ChatModelUnitTests

from answergraph.offline.offline_model import OfflineChatModel
from answergraph.testing import ScriptedChatModel


class TestOfflineChatModel(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return OfflineChatModel


class TestScriptedChatModel(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ScriptedChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"replies": ["Hello."]}

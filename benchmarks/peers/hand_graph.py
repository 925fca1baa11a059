"""The same nodes and edges written by hand, and nothing else: the cost of LangGraph and LangChain's models by themselves.

The model is bound once, each tool call is a ``Send``, and edges read the state. There is no middleware, limit, repair or outcome,
and tools are called as plain functions. The rest of answergraph's cost is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import MessagesState
from langgraph.types import Send

from benchmarks.work import ANSWER_TOOL, Report


class HandState(MessagesState):
    """The conversation and the answer."""

    structured_response: Report | None


class HandNode(Runnable[Any, Any]):
    """A node or router that LangGraph runs directly; one that awaits defines ``ainvoke``."""

    def __init__(self, name: str) -> None:
        """Take a name."""
        self.name = name

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Do what ``invoke`` does."""
        return self.invoke(input, config, **kwargs)


class CallModel(HandNode):
    """Calls the bound model."""

    def __init__(self, model: Runnable[Any, Any]) -> None:
        """Take the model."""
        super().__init__("model")
        self._model = model

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call it."""
        return {"messages": [self._model.invoke(input["messages"])]}

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call it."""
        return {"messages": [await self._model.ainvoke(input["messages"])]}


class CallTool(HandNode):
    """Checks the arguments of one call and calls the function."""

    def __init__(self, tools: Sequence[Any]) -> None:
        """Take the tools."""
        super().__init__("tools")
        self._tools = {tool.name: tool for tool in tools}

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call it."""
        tool, arguments = self._checked(input)
        return _result(input, tool.func(**arguments))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Call it."""
        tool, arguments = self._checked(input)
        return _result(input, await tool.coroutine(**arguments))

    def _checked(self, call: Any) -> tuple[Any, dict[str, Any]]:
        tool = self._tools[call["name"]]
        checked = tool.args_schema.model_validate(call["args"])
        return tool, {name: getattr(checked, name) for name in tool.args_schema.model_fields}


class ReadAnswer(HandNode):
    """Reads the answer of the last message."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Read it, and answer its call."""
        call = input["messages"][-1].tool_calls[0]
        return {"structured_response": Report(**call["args"]), **_result(call, "ok")}


class AfterModel(HandNode):
    """Sends tool calls to the tools, an answer to be read."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Route."""
        calls = input["messages"][-1].tool_calls
        return "structured_response" if calls[0]["name"] == ANSWER_TOOL else [Send("tools", call) for call in calls]


class AfterTools(HandNode):
    """Goes back to the model."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Route."""
        return "model"


def build_by_hand(model: Any, tools: Sequence[Any], **options: Any) -> Any:
    """Build the graph.

    Args:
        model: The chat model.
        tools: LangChain tools.
        **options: For ``compile``.
    """
    graph = StateGraph(HandState)
    graph.add_node("model", CallModel(model.bind_tools([*tools, Report])))
    graph.add_node("tools", CallTool(tools))
    graph.add_node("structured_response", ReadAnswer("structured_response"))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", AfterModel("after model"), ["tools", "structured_response"])
    graph.add_conditional_edges("tools", AfterTools("after tools"), ["model"])
    graph.add_edge("structured_response", END)
    return graph.compile(**options)


def _result(call: Any, text: str) -> dict[str, Any]:
    return {"messages": [ToolMessage(text, name=call["name"], tool_call_id=call["id"])]}

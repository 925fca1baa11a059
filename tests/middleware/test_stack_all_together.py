"""Twelve of LangChain's middleware on one agent: both packages give the same messages and requests, over two turns."""

from typing import Any

import langchain.agents
from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    LLMToolEmulator,
    LLMToolSelectorMiddleware,
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import answergraph
from answergraph.testing import ScriptedChatModel
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

THREAD: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 100}
APPROVED: Any = Command(resume={"decisions": [{"type": "approve"}]})


@tool
def delete(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


def called(name: str, call_id: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def saying(text: str) -> ScriptedChatModel:
    return ScriptedChatModel(replies=lambda messages: AIMessage(text))


def selecting(messages: Any, request: Any) -> AIMessage:
    return AIMessage("", tool_calls=[called(request.tool_names[0], "s", tools=["search", "delete"])])


def every_middleware() -> list[Any]:
    return [
        TodoListMiddleware(),
        PIIMiddleware("email", strategy="redact", apply_to_tool_results=True),
        SummarizationMiddleware(saying("They talked."), trigger=("messages", 7), keep=("messages", 3)),
        HumanInTheLoopMiddleware(interrupt_on={"delete": True}),
        ModelCallLimitMiddleware(thread_limit=20, run_limit=10),
        ToolCallLimitMiddleware(run_limit=10),
        LLMToolSelectorMiddleware(model=ScriptedChatModel(replies=selecting), max_tools=2, always_include=["write_todos"]),
        ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=5, keep=1)]),
        ModelFallbackMiddleware(saying("spare")),
        ModelRetryMiddleware(initial_delay=0.0, jitter=False),
        ToolRetryMiddleware(initial_delay=0.0, jitter=False),
        LLMToolEmulator(tools=["search"], model=saying("emulated, says bob@example.org")),
    ]


def two_turns(run: Any, create_agent: Any) -> tuple[Any, list[Any], ScriptedChatModel]:
    """Run two turns with an error, tools, an approval and an answer each; return the last result, all messages and the model."""
    plan = called("write_todos", "0", todos=[{"content": "read the log", "status": "pending"}])
    both = [called("search", "1", query="x"), called("delete", "2", path="a.log")]
    model = ScriptedChatModel(
        replies=[
            ConnectionError("down"),
            AIMessage("", tool_calls=[plan]),
            AIMessage("", tool_calls=both),
            AIMessage("", tool_calls=[called("Verdict", "3", passed="perhaps")]),
            AIMessage("", tool_calls=[called("Verdict", "4", passed=False)]),
            AIMessage("", tool_calls=[called("delete", "5", path="b.log")]),
            AIMessage("", tool_calls=[called("Verdict", "6", passed=True)]),
        ]
    )
    agent = create_agent(
        model,
        [search, delete],
        middleware=every_middleware(),
        response_format=ToolStrategy(Verdict),
        checkpointer=InMemorySaver(),
    )
    seen: list[Any] = []
    for text in ("Write to ada@example.org", "And now?"):
        stopped = run(agent, {"messages": [HumanMessage(text)]}, THREAD)
        seen.append([interrupt.value for interrupt in stopped["__interrupt__"]])
        result = run(agent, APPROVED, THREAD)
        seen += [message.model_dump(exclude={"id"}) for message in result["messages"]]
        seen.append(result["structured_response"])
    return result, seen, model


def requested(model: ScriptedChatModel) -> list[Any]:
    return [([(m.type, m.text) for m in request.messages], request.tool_names, request.tool_choice) for request in model.requests]


def test_all_of_them_do_their_part_in_two_turns(run: Any) -> None:
    result, seen, model = two_turns(run, answergraph.create_agent)
    texts = str([text for messages, _, _ in requested(model) for _, text in messages])
    assert "[REDACTED_EMAIL]" in texts
    assert "example.org" not in texts
    assert "They talked." in texts
    assert "[cleared]" in texts
    assert any("emulated" in message["content"] for message in seen if isinstance(message, dict))
    assert "spare" not in texts
    assert result["todos"] == [{"content": "read the log", "status": "pending"}]
    assert [value for value in seen if isinstance(value, Verdict)] == [Verdict(passed=False), Verdict(passed=True)]
    assert result["outcome"]["status"] == "answered"


def test_all_of_them_do_the_same_under_both_packages(run: Any) -> None:
    _, ours, our_model = two_turns(run, answergraph.create_agent)
    _, langchains, langchains_model = two_turns(run, langchain.agents.create_agent)
    assert requested(our_model) == requested(langchains_model)
    assert ours == langchains

"""A run that an exception stops at its n-th write or checkpoint; `tests/torture/kills` kills it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from answergraph import ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, Verdict, call, calls

THREAD: Any = {"configurable": {"thread_id": "1"}}
REPLIES = (
    calls(call("look", {"at": "a"}, "a"), call("look", {"at": "b"}, "b")),
    calls(call("look", {"at": "c"}, "c")),
    calls(call("Verdict", BAD, "bad")),
    calls(call("Verdict", GOOD, "good")),
)


def agent_of(saver: Any, note: Callable[[str], Any]) -> Any:
    """Return an agent that looks three times and corrects its answer; notes each call of the model and of the tool."""

    @tool
    def look(at: str) -> str:
        """Look at something."""
        note(at)
        return f"saw {at}"

    def reply(messages: list[Any]) -> AIMessage:
        note("model")
        return REPLIES[sum(isinstance(message, AIMessage) for message in messages)].model_copy()

    return create_agent(ScriptedChatModel(replies=reply), [look], response_format=ToolStrategy(Verdict), checkpointer=saver)


def stop_at(saver: Any, number: int, stop: Callable[[], Any]) -> None:
    """Have a saver call ``stop`` instead of storing anything from the n-th time on."""
    counted: list[str] = []

    def stopping(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)  # LangGraph inspects its signature
        def store(*args: Any, **kwargs: Any) -> Any:
            counted.append(method.__name__)
            return stop() if len(counted) >= number else method(*args, **kwargs)

        return store

    for name in ("put", "put_writes"):
        setattr(saver, name, stopping(getattr(saver, name)))

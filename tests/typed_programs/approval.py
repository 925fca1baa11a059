# pyright: strict
"""A person edits a tool call before it runs; the thread waits for that."""

from typing import Any

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel


class Sent(BaseModel):
    """What was sent."""

    to: str


def send(to: str) -> str:
    """Send a letter."""
    return f"sent to {to}"


def replies() -> list[AIMessage]:
    """Return what the model says."""
    call = AIMessage("", tool_calls=[{"name": "send", "args": {"to": "Bob"}, "id": "1"}])
    return [call, AIMessage('{"to": "Ada"}')]


def main() -> tuple[str, str]:
    """Ask, edit and go on."""
    middleware = [HumanInTheLoopMiddleware[Any, Any](interrupt_on={"send": True})]
    model = ScriptedChatModel(replies=replies())
    agent = create_agent(model, [send], response_format=Sent, middleware=middleware, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    agent.invoke({"messages": ["Write to Bob."]}, thread)
    edited = {"type": "edit", "edited_action": {"name": "send", "args": {"to": "Ada"}}}
    result = agent.invoke(Command(resume={"decisions": [edited]}), thread)
    sent = result["structured_response"]
    return ("" if sent is None else sent.to, next(m.text for m in result["messages"] if m.type == "tool"))

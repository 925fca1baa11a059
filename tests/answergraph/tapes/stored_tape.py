"""``python -m tests.answergraph.tapes.stored_tape FILE``: a tape of this version, for the tests of later ones.

``make upgrade-threads`` writes it. It holds a corrected mistake, a tool, a person's answer, evidence and a redacted value.
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from answergraph import Quote, ToolStrategy, create_agent
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel, use_tape


class Verdict(BaseModel):
    case: str
    passed: bool
    why: Annotated[str, Quote()]


@tool
def look_up(case: str) -> str:
    """Look a case up."""
    return json.dumps({"case": case, "card": "4111 1111", "log": "It ended with exit code 0."})


@tool
def ask(question: str) -> str:
    """Ask a person."""
    return str(interrupt(question))


def call(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{name}"}])


def agent(*replies: AIMessage) -> Any:
    """Return the agent of the tape."""
    return create_agent(
        ScriptedChatModel(replies=list(replies)),
        [look_up, ask],
        response_format=ToolStrategy(Verdict),
        middleware=[GroundedAnswer()],
        checkpointer=InMemorySaver(),
    )


def record(file: Path) -> None:
    """Write the tape."""
    verdict = {"case": "A-17", "passed": True, "why": "ended with exit code 0"}
    replies = [call("look_up", {"case": "A-17"}), call("ask", {"question": "Counts it?"}), call("Verdict", {"case": "A-17"})]
    config: Any = {"configurable": {"thread_id": "1"}}
    with use_tape(file, mode="all", redact=["card"]):
        recorded = agent(*replies, call("Verdict", verdict))
        recorded.invoke({"messages": "Did A-17 pass?"}, config)
        recorded.invoke(Command(resume="yes"), config)


if __name__ == "__main__":
    record(Path(sys.argv[1]))

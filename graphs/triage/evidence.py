"""How the verdict of a case is held to its evidence."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolMessage
from pydantic import BaseModel, Field

from answergraph.nodes.errors import AnswerRejected
from answergraph.nodes.outcome import AnswerAccepted


class Abstention(BaseModel):
    """No verdict can be given."""

    missing: list[str] = Field(description="What would be needed.")
    tried: list[str] = Field(description="What was looked at.")


def grounded(verdict: type[BaseModel]) -> dict[str, Any]:
    """Return the options of an agent whose answer is a supported verdict, or an abstention.

    Args:
        verdict: The schema of the verdict.
    """
    return {"response_format": verdict | Abstention, "check_answer": _check}


def _check(answer: Any, state: Any, runtime: Any) -> AnswerAccepted:
    if isinstance(answer, Abstention):
        return AnswerAccepted(abstained=True)
    spans = {}
    for index, quote in enumerate(answer.evidence):
        for message in state["messages"]:
            if isinstance(message, ToolMessage) and quote in message.text:
                start = message.text.index(quote)
                spans[f"evidence[{index}]"] = [message.tool_call_id, start, start + len(quote)]
                break
        else:
            raise AnswerRejected(f"evidence[{index}] stands in no tool result: {quote!r}")
    return AnswerAccepted(spans)

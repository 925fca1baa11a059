"""Models for the tests of the judge: three kinds of provider, with their replies per stage."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage

from answergraph.testing import ScriptedChatModel, ScriptedRequest

Kind = Literal["native", "tool", "prompted"]
Event = Literal["succeeds", "is out of range", "is prose", "raises", "times out"]
STAGES = ("structured_output", "phase3_tag", "ai_judge")


class PromptedChatModel(ScriptedChatModel):
    """A model whose class has no tools."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        raise NotImplementedError


def stage_of(messages: Sequence[BaseMessage]) -> str:
    """Return the stage of a request, from the schema's field or the tag that it names."""
    prompt = messages[-1].text
    if "as matched_index" in prompt:
        return "ai_judge"
    return "structured_output" if "as step" in prompt else "phase3_tag"


def answer(kind: Kind, stage: str, number: int, reason: str = "Because.") -> AIMessage:
    """Return a reply that names a condition, in the form that the stage requests from a provider of this kind."""
    if stage == "phase3_tag":
        return AIMessage(f"[STEP:{number}]")
    name, key = ("judgment", "step") if stage == "structured_output" else ("evaluation", "matched_index")
    data = {key: number, "reason": reason}
    if kind == "tool":
        return AIMessage("", tool_calls=[{"name": name, "args": data, "id": "call_1"}])
    return AIMessage(json.dumps(data))


def reply_to(kind: Kind, stage: str, event: Event) -> AIMessage:
    if event == "raises":
        raise RuntimeError("the provider is down")
    if event == "times out":
        raise TimeoutError("no reply in 30 seconds")
    if event == "is prose":
        return AIMessage("Hard to say, really.")
    return answer(kind, stage, 2 if event == "succeeds" else 9)


def model_of(kind: Kind, reply: Callable[[Sequence[BaseMessage], ScriptedRequest], AIMessage]) -> ScriptedChatModel:
    """Return a model with the behaviour of a kind of provider; a function gives its replies."""

    def replies(messages: Sequence[BaseMessage], request: ScriptedRequest) -> AIMessage:
        return reply(messages, request)

    if kind == "prompted":
        return PromptedChatModel(replies=replies, profile={"structured_output": False})
    return ScriptedChatModel(replies=replies, profile={"structured_output": kind == "native"})


def eventful(kind: Kind, events: dict[str, Event]) -> ScriptedChatModel:
    """Return a model with a given result for each stage."""

    def reply(messages: Sequence[BaseMessage], request: ScriptedRequest) -> AIMessage:
        stage = stage_of(messages)
        return reply_to(kind, stage, events[stage])

    return model_of(kind, reply)

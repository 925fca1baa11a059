"""Answers that count their validations, and middleware that reads or changes them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID, uuid4

from langchain_core.messages import AIMessage
from pydantic import AfterValidator, BaseModel, Field, RootModel
from typing_extensions import TypedDict

from answergraph.middleware import AgentMiddleware
from tests.graphs.agent.scripted_agents import call, calls

validated: list[int] = []
"""Every validated score, in order; each test clears it first."""


def _validate(score: int) -> int:
    validated.append(score)
    return score


Score = Annotated[int, Field(ge=0, le=10), AfterValidator(_validate)]


class Verdict(BaseModel):
    """A verdict."""

    score: Score
    id: UUID = Field(default_factory=uuid4)


class Doubt(BaseModel):
    """A doubt."""

    doubt: Score


@dataclass
class Placed:
    """A verdict as a dataclass."""

    score: Score
    id: UUID = field(default_factory=uuid4)


class Row(TypedDict):
    """A verdict as a dict."""

    score: Score


class Grade(RootModel[Score]):
    """A verdict that is a number."""


class Looks(AgentMiddleware[Any, Any]):
    """Records the answer that it sees after each model call."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return self.seen_in(handler(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return self.seen_in(await handler(request))

    def seen_in(self, response: Any) -> Any:
        self.seen.append(response.structured_response)
        return response


class ChangesAnswer(Looks):
    """Changes the response before the agent gets it."""

    def __init__(self, change: Callable[[Any], Any]) -> None:
        super().__init__()
        self.change = change

    def seen_in(self, response: Any) -> Any:
        self.change(response)
        return super().seen_in(response)


def thread(name: str = "1") -> Any:
    return {"configurable": {"thread_id": name}}


def verdict_of(score: int, call_id: str = "1") -> AIMessage:
    return calls(call("Verdict", {"score": score}, call_id))

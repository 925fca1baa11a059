"""State and middleware of the graphs that the tests serve."""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from answergraph.graphs.add_ons.calculator.calculator import Calculation
from answergraph.kit import AnswerChannel
from answergraph.middleware import AgentMiddleware, before_model


class TeamState(TypedDict):
    """A conversation and its typed answer."""

    messages: Annotated[list[AnyMessage], add_messages]
    structured_response: Annotated[Calculation | None, AnswerChannel]


class Announce(AgentMiddleware):
    """Does nothing in each of the four hooks that are nodes."""

    def before_agent(self, state: Any, runtime: Any) -> None:
        """Do nothing."""

    def before_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""

    def after_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""

    def after_agent(self, state: Any, runtime: Any) -> None:
        """Do nothing."""


@before_model(can_jump_to=["end"])
def stop_after_two_turns(state: Any, runtime: Any) -> dict[str, Any] | None:
    """End the run when the model has spoken twice."""
    spoken = sum(message.type == "ai" for message in state["messages"])
    return {"jump_to": "end"} if spoken == 2 else None

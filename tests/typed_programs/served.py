# pyright: strict
"""The factory of a graph for ``langgraph.json``, whose context says who asks."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from answergraph import AgentGraph, AnswerRejected, create_agent
from answergraph.middleware import AgentState
from answergraph.testing import ScriptedChatModel, ScriptedRequest


@dataclass
class Context:
    """Who asks."""

    user: str = "nobody"


class Greeting(BaseModel):
    """A greeting."""

    to: str


def reply(messages: Sequence[BaseMessage], request: ScriptedRequest) -> str:
    """Greet by the number of messages."""
    return f'{{"to": "{"Ada" if len(messages) > 2 else "nobody"}"}}'


def greets_the_user(answer: Greeting, state: AgentState, runtime: Runtime[Context]) -> bool:
    """Accept a greeting to whom it should be."""
    if answer.to != runtime.context.user:
        raise AnswerRejected(f"Greet {runtime.context.user}.")
    return True


def make_graph() -> AgentGraph[Greeting | None]:
    """Return the graph that the server asks for."""
    model = ScriptedChatModel(replies=reply)
    return create_agent(model, response_format=Greeting, context_schema=Context, check_answer=greets_the_user)


def main() -> str:
    """Greet Ada."""
    result = make_graph().invoke({"messages": ["Hello"]}, context=Context("Ada"))
    greeting = result["structured_response"]
    return greeting.to if greeting is not None else result["outcome"]["status"]

"""The response of a model call with what each layer of middleware added to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage
from langgraph.types import Command

from answergraph.response_format.model_request import ModelResponse


class Reformat(NamedTuple):
    """A change of the response format by a layer."""

    middleware: str
    before: Any
    after: Any


@dataclass(frozen=True)
class LayeredResponse:
    """A response with the commands of every layer that wrapped it, inner ones first."""

    response: ModelResponse[Any]
    commands: tuple[Command[Any], ...] = ()
    reformats: tuple[Reformat, ...] = ()
    """Where a layer changed the response format."""

    def of(self, returned: Any) -> LayeredResponse:
        """Read what a hook returned around this response, by what it has: LangChain's classes serve as well as ours.

        Args:
            returned: An AI message, a response or an extended response.

        Returns:
            The response returned, with what the layers inside brought along.
        """
        if isinstance(returned, AIMessage):
            return replace(self, response=ModelResponse(result=[returned]))
        if hasattr(returned, "model_response"):
            own = () if returned.command is None else (returned.command,)
            return replace(self, response=returned.model_response, commands=(*self.commands, *own))
        return replace(self, response=returned)

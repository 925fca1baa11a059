"""The response of a model call with the additions of each middleware layer."""

from dataclasses import dataclass, replace
from inspect import iscoroutine
from typing import Any, NamedTuple, Self

from langchain_core.messages import AIMessage
from langgraph.types import Command

from answergraph.asking.model_request import ModelResponse
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import RunState
from answergraph.state.outcome import Narrowing
from answergraph.state.own_keys import without_refused_keys


class FormatChange(NamedTuple):
    """A change of the response format by a layer."""

    middleware: str
    before: Any
    after: Any
    until: tuple[str, ...] = ()
    """What would lift it, as clauses."""


@dataclass(frozen=True)
class LayeredResponse:
    """A response with the commands of every layer that wrapped it, inner ones first."""

    response: ModelResponse
    commands: tuple[Command[str], ...] = ()
    format_changes: tuple[FormatChange, ...] = ()

    def of(self, returned: Any, middleware: str) -> Self:
        """Wrap a hook's return value; LangChain's response classes work, too.

        Raises:
            AgentSpecError: If it is no response.
        """
        if isinstance(returned, AIMessage):
            return replace(self, response=ModelResponse(result=[returned]))
        if hasattr(returned, "model_response"):
            own = () if returned.command is None else (returned.command,)
            return replace(self, response=returned.model_response, commands=(*self.commands, *own))
        if not hasattr(returned, "result"):
            raise no_response(f"{middleware}.wrap_model_call", returned, "an AIMessage or a ModelResponse")
        return replace(self, response=returned)

    def narrowings(self, declared: DeclaredFormat, known: list[Narrowing]) -> list[Narrowing]:
        """Return the narrowings, ``known`` and new ones; a change of only the strategy does not count."""
        new: list[Narrowing] = []
        for by, before, after, until in self.format_changes:
            narrowing: Narrowing = {"middleware": by, "from": declared.names_of(before), "to": declared.names_of(after)}
            # What lifts a narrowing may change at every call; the first time is recorded.
            is_known = any({**each, "until": ""} == {**narrowing, "until": ""} for each in [*known, *new])
            if narrowing["from"] != narrowing["to"] and not is_known:
                new.append({**narrowing, "until": "; ".join(until)} if until else narrowing)
        return [*known, *new] if new else known

    def commands_without(self, own: frozenset[str], state: RunState) -> list[object]:
        """Return the commands without the agent's own keys.

        Raises:
            NotImplementedError: If one does more than update the state.
        """
        for command in self.commands:
            for name in ("goto", "resume", "graph"):
                if getattr(command, name):
                    raise NotImplementedError(
                        f"Command {name} is not yet supported in wrap_model_call middleware. "
                        "Use the jump_to state field with before_model/after_model hooks instead."
                    )
        return [without_refused_keys("wrap_model_call", command, state, own) for command in self.commands]


def no_response(hook: str, returned: object, kinds: str) -> AgentSpecError:
    """Return the error for a wrapping hook that returned none of these ``kinds``."""
    if iscoroutine(returned):
        returned.close()  # Python would warn that nothing awaits it
        return AgentSpecError(f"{hook} returned a coroutine; write `return await handler(request)` in its async form.")
    return AgentSpecError(f"{hook} returned {shown(returned)}; write `return handler(request)`, or return {kinds}.")

"""The model call as middleware sees it: the request and the response.

Names, fields and behaviour are those of ``langchain.agents.middleware``, so that middleware written for either works with
the other.
"""

import sys
import warnings
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Generic

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command
from langgraph.typing import ContextT

from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant
from answergraph.state.agent_state import ResponseT


class ToolsOff(Enum):
    """A tool choice that is translated for the client when the model is bound."""

    NO_CALLS = "no tool may be called"


NO_CALLS = ToolsOff.NO_CALLS
"""Tools stay bound, so that the provider's prompt cache stays valid."""

_OPTIONAL_FIELDS = ("system_message", "tool_choice", "response_format", "runtime")
_TWO_PROMPTS = "Cannot specify both system_prompt and system_message"


@dataclass(init=False)
class ModelRequest(Generic[ContextT]):
    """One model call to be made; middleware changes it with ``override``."""

    model: BaseChatModel
    messages: list[AnyMessage]
    """The conversation without the system message."""
    system_message: SystemMessage | None
    """Put before the messages."""
    tool_choice: Any | None
    """Passed to the model unchanged; takes precedence over the choice of the response format, whose answer "none" allows."""
    tools: list[BaseTool | dict[str, Any]]
    """The user's tools; the answer tools are added when the model is bound."""
    response_format: Any
    """The response format as the developer wrote it; ``None`` asks for no answer in this call."""
    state: Any
    runtime: Runtime[ContextT]
    model_settings: dict[str, Any] = field(default_factory=dict)
    """Further keyword arguments for binding the model."""
    withheld_until: tuple[str, ...] = ()
    """What the model must do before the schemas that middleware left out are offered, as clauses: ``"first call read_log"``."""

    def __init__(
        self, *, model: BaseChatModel, messages: list[AnyMessage], system_prompt: str | None = None, **rest: object
    ) -> None:
        """Make a request; ``system_prompt`` is the system message as text, ``rest`` are the other fields by name.

        Raises:
            ValueError: If both ``system_prompt`` and ``system_message`` are given.
            TypeError: If a name is not a field.
        """
        unknown = rest.keys() - ModelRequest.__dataclass_fields__.keys()
        if unknown:
            near = meant(min(unknown), ModelRequest.__dataclass_fields__)
            fields = f" Its fields are {', '.join(ModelRequest.__dataclass_fields__)} and system_prompt."
            raise TypeError(f"ModelRequest has no field {sorted(unknown)!r}.{near or fields}")
        if system_prompt is not None:
            if rest.get("system_message") is not None:
                raise ValueError(_TWO_PROMPTS)
            rest["system_message"] = SystemMessage(system_prompt)
        defaults: Any = {
            **dict.fromkeys(_OPTIONAL_FIELDS),
            "tools": [],
            "model_settings": {},
            "withheld_until": (),
            "state": {"messages": []},
        }
        fields_set = {name: each for name, each in rest.items() if each is not None}
        # ``__setattr__`` would warn.
        vars(self).update({**defaults, **fields_set}, model=model, messages=messages)

    @property
    def system_prompt(self) -> str | None:
        """The system message's text."""
        return None if self.system_message is None else self.system_message.text

    def __setattr__(self, name: str, value: object) -> None:
        """Set a field; deprecated as in LangChain, use ``override``."""
        warnings.warn(
            f"Direct attribute assignment to ModelRequest.{name} is deprecated. "
            f"Use request.override({name}=...) instead to create a new request with the modified attribute.",
            DeprecationWarning,
            stacklevel=2,
        )
        vars(self).update(_with_system_message({name: value}))

    def override(self, **overrides: object) -> "ModelRequest[ContextT]":
        """Return a copy with other fields; ``system_prompt`` is text for the ``system_message``.

        ``withheld_until`` is a clause; it is added to those of outer middleware.

        Raises:
            ValueError: If both ``system_prompt`` and ``system_message`` are given.
        """
        if "system_prompt" in overrides and "system_message" in overrides:
            raise ValueError(_TWO_PROMPTS)
        if isinstance(clause := overrides.get("withheld_until"), str):
            overrides["withheld_until"] = tuple(dict.fromkeys([*self.withheld_until, clause]))
        return replace(self, **_with_system_message(overrides))


def own_request(request: object, middleware: str) -> ModelRequest:
    """Return a request that middleware made; one of LangChain's class becomes one of ours.

    Raises:
        AgentSpecError: If it is no request, or holds the name of a model instead of the model.
    """
    model = getattr(request, "model", None)
    if model is None or not hasattr(request, "messages"):
        advice = "write `return request.override(…)`, or `handler(request.override(…))` in wrap_model_call."
        raise AgentSpecError(f"{middleware} made the request {shown(request)}; {advice}")
    if not hasattr(model, "bind_tools"):
        raise AgentSpecError(f"{middleware} set model={shown(model)}, no model; pass a chat model, such as ChatOpenAI(model=…).")
    if isinstance(request, ModelRequest):
        return request
    return ModelRequest(**{name: getattr(request, name) for name in ModelRequest.__dataclass_fields__ if hasattr(request, name)})


def _with_system_message(values: dict[str, Any]) -> dict[str, Any]:
    if "system_prompt" not in values:
        return values
    rest = {name: value for name, value in values.items() if name not in ("system_prompt", "system_message")}
    text = values["system_prompt"]
    if not isinstance(text, str | list | None):
        raise AgentSpecError(f"system_prompt={shown(text)} is not a text; a message goes into system_message=….")
    return {**rest, "system_message": None if text is None else SystemMessage(text)}


@dataclass
class ModelResponse(Generic[ResponseT]):
    """The messages of a model call and, if they contain one, the answer."""

    result: list[BaseMessage]
    structured_response: ResponseT | None = None


def of_both_classes(response: Any) -> ModelResponse:
    """Return a response that is also an instance of LangChain's class, if that is imported."""
    home = sys.modules.get("langchain.agents.middleware.types")
    known = ModelResponse if home is None else _of_both(home.ModelResponse)
    if isinstance(response, known):
        return response
    made: ModelResponse = known(result=response.result, structured_response=response.structured_response)
    return made


@lru_cache(maxsize=1)
def _of_both(langchains: Any) -> Any:
    return type("ModelResponse", (ModelResponse, langchains), {})


@dataclass
class ExtendedModelResponse(Generic[ResponseT]):
    """A model response with a state update; returned by ``wrap_model_call``."""

    model_response: ModelResponse[ResponseT]
    command: Command[str] | None = None


ModelCallResult = ModelResponse[ResponseT] | AIMessage | ExtendedModelResponse[ResponseT]
"""What ``wrap_model_call`` may return."""

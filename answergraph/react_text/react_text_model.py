"""A chat model that adds tool calls to any text model by the protocol Thought / Action / Observation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManager, CallbackManager, Callbacks
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import LanguageModelInput, ModelProfile
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import InstanceOf

from answergraph.asking.providers.model_capabilities import model_name
from answergraph.json_schema.dialects import Dialect
from answergraph.models.in_process.in_process_model import StandardChatModel, Stop, ToolChoice
from answergraph.react_text.protocol_labels import without_inventions
from answergraph.react_text.react_prompt import (
    GENERATE,
    READ_AS,
    STOPS,
    ReActPrompt,
    conversation_text,
    system_text,
    uses_tools,
)
from answergraph.react_text.react_reply import MISSING_ACTION, Action, FinalAnswer, ReActReading, Unreadable, read_reply
from answergraph.react_text.text_model_call import TextModelCall, callbacks_below
from answergraph.react_text.text_tool import TextTool, as_openai_tool
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.runtime.steps import MAX_CHARACTERS_ON_LOOP, Step, arun_step, off_loop, run_step
from answergraph.state.stop_reasons import diagnose

HandleParsingErrors = bool | str | Callable[[OutputParserException], str]
"""``True`` sends the problem back to the model, a string or a callable replaces its words, ``False`` raises the error."""

_RAISED = (
    "An output parsing error occurred. In order to pass this error back to the agent and have it try again, pass "
    "`handle_parsing_errors=True` to the ReActTextModel. This is the error: {error}"
)

_SAID_IN_WORDS = frozenset(
    {"tools", "tool_choice", "response_format", "parallel_tool_calls", "strict", "ls_structured_output_format"}
)
"""Bound arguments that are part of the prompt or ignored; others go to the wrapped model."""

_SENT_IF_SET = ("temperature", "max_tokens", "timeout")


@explains_arguments("ReActTextModel(ChatOpenAI(model=…))")
class ReActTextModel(StandardChatModel):
    r"""A chat model that adds tool calls to a model without them, through the classic text protocol.

    Tools and the answer format go into the prompt, the conversation becomes the scratchpad behind it, and the reply becomes a
    tool call or the final answer. The graph, middleware and every strategy see an ordinary chat model. Without tools
    and response format it passes the conversation on unchanged. If set, ``temperature``, ``max_tokens``, ``timeout`` and
    ``stop`` are sent with every request; set ``max_retries`` and ``api_key`` on the wrapped model.

    Example:
        >>> from langchain_core.tools import tool
        >>> from answergraph.testing import ScriptedChatModel
        >>> @tool
        ... def weather(city: str) -> str:
        ...     '''Look the weather up.'''
        ...     return "sunny"
        >>> llm = ScriptedChatModel(replies=["I must look.\nAction: weather\nAction Input: Kyoto"])
        >>> ReActTextModel(llm).bind_tools([weather]).invoke("How is the weather in Kyoto?").tool_calls[0]["args"]
        {'city': 'Kyoto'}
    """

    protocol: ClassVar[str] = "react-text"
    """The kind of model in traces."""
    wire_dialect: ClassVar[Dialect] = Dialect.PLAIN
    """The prompt shows the schema unchanged."""
    writes_history: ClassVar[bool] = True
    """The conversation becomes a text, so nothing in it has to be made legal for a server."""

    llm: InstanceOf[Runnable[Any, Any]]
    """The wrapped model: a chat model or a text model, also with settings or fallbacks bound to it."""
    handle_parsing_errors: HandleParsingErrors = True
    """How to treat a reply that cannot be read; a callable takes the ``OutputParserException``."""
    send_stops: bool = True
    """Whether the stop words are sent. Invented observations are cut off in any case; some servers refuse stop words."""

    def __init__(self, llm: Runnable[Any, Any], **fields: Any) -> None:
        if not isinstance(llm, Runnable):
            raise AgentSpecError(f"llm={shown(llm)} is not a model object; write ReActTextModel(ChatOpenAI(model=…)).")
        super().__init__(**{"llm": llm, **fields})

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Put the tools, the tool choice and a ``response_format`` into the prompt; other arguments go to the wrapped model.

        Raises:
            AgentSpecError: If the provider runs one of the tools.
        """
        return self.bind(tools=[as_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def get_num_tokens(self, text: str) -> int:
        count = getattr(self.llm, "get_num_tokens", super().get_num_tokens)
        return int(count(text))

    @property
    def _llm_type(self) -> str:
        return self.protocol

    @property
    def _identifying_params(self) -> Mapping[str, object]:
        return {"llm": repr(self.llm), "send_stops": self.send_stops, "handle_parsing_errors": repr(self.handle_parsing_errors)}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: object) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop, **kwargs)
        params.setdefault("ls_model_name", model_name(self.llm) or type(self.llm).__name__)
        return params

    def _resolve_model_profile(self) -> ModelProfile:
        return ModelProfile(tool_calling=True, tool_choice=True, structured_output=True)

    def _generate(self, messages: list[BaseMessage], stop: Stop = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return run_step(self._ask(messages, stop, callbacks_below(run_manager, CallbackManager), kwargs))

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Stop = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return await arun_step(self._ask(messages, stop, callbacks_below(run_manager, AsyncCallbackManager), kwargs))

    def _ask(
        self, messages: Sequence[BaseMessage], stop: Sequence[str] | None, callbacks: Callbacks, kwargs: Mapping[str, object]
    ) -> Step[ChatResult]:
        react_prompt = _react_prompt(kwargs)
        passes_on = not react_prompt.tools and react_prompt.response_format is None and not uses_tools(messages)
        reply: AIMessage = yield TextModelCall(
            llm=self.llm,
            prompt=messages if passes_on else _prompt_text(messages, react_prompt),
            stop=[*(STOPS if self.send_stops and not passes_on else ()), *(stop or self.stop or ())],
            settings=self._settings(kwargs),
            callbacks=callbacks,
        )
        step = off_loop(self._as_read, reply, react_prompt, messages, when=len(reply.text) > MAX_CHARACTERS_ON_LOOP)
        message = reply if passes_on or diagnose(reply) else (yield from step)
        return ChatResult(generations=[ChatGeneration(message=_as_own(message))])

    def _settings(self, kwargs: Mapping[str, object]) -> dict[str, object]:
        own = {name: value for name in _SENT_IF_SET if (value := getattr(self, name)) is not None}
        return {**own, **{name: value for name, value in kwargs.items() if name not in _SAID_IN_WORDS}}

    def _as_read(self, reply: AIMessage, react_prompt: ReActPrompt, messages: Sequence[BaseMessage]) -> AIMessage:
        reading = read_reply(reply.text, react_prompt.tools, formatted=react_prompt.response_format is not None)
        if not react_prompt.tools and not isinstance(reading, FinalAnswer):
            # Only the answer was requested, so the whole text is the answer.
            reading = FinalAnswer(without_inventions(reply.text).strip())
        if isinstance(reading, Unreadable) and _insists(reading, messages):
            reading = FinalAnswer(reading.log.strip())
        # Native calls of the wrapped model are dropped.
        return reply.model_copy(update={"tool_calls": [], "invalid_tool_calls": [], **self._fields(reading, reply)})

    def _fields(self, reading: ReActReading, reply: AIMessage) -> dict[str, object]:
        call_id = f"call_{uuid4().hex}"
        match reading:
            case Action(log, name, args):
                call = tool_call(name=name, args=args, id=call_id)
                metadata = {**reply.response_metadata, READ_AS: {"name": name, "args": args}}
                return {"content": log, "tool_calls": [call], "response_metadata": metadata}
            case Unreadable(log, feedback, name, args):
                handle = self.handle_parsing_errors if reading.is_format_error else True
                error = _observation(handle, reply.text, feedback)
                malformed = invalid_tool_call(name=name, args=args, id=call_id, error=error)
                metadata = {**reply.response_metadata, READ_AS: {}}
                return {"content": log, "invalid_tool_calls": [malformed], "response_metadata": metadata}
            case FinalAnswer(text):
                return {"content": text}


def _observation(handle: HandleParsingErrors, reply: str, feedback: str) -> str:
    """Return the feedback on an unreadable reply; raise ``OutputParserException`` if ``handle`` is ``False``."""
    if handle is True:
        return feedback
    if isinstance(handle, str):
        return handle
    error = OutputParserException(
        f"Could not parse LLM output: `{reply}`", observation=feedback, llm_output=reply, send_to_llm=True
    )
    if callable(handle):
        return handle(error)
    raise OutputParserException(_RAISED.format(error=error)) from error


def _react_prompt(kwargs: Mapping[str, Any]) -> ReActPrompt:
    choice = ToolChoice.read(kwargs.get("tool_choice"))
    tools = () if choice.mode == "none" else tuple(map(TextTool.of, kwargs.get("tools") or ()))
    response_format = kwargs.get("response_format")
    return ReActPrompt(tools, choice, response_format if isinstance(response_format, Mapping) else None)


def _prompt_text(messages: Sequence[BaseMessage], react_prompt: ReActPrompt) -> str:
    parts = [system_text(messages), react_prompt.instructions(), conversation_text(messages)]
    only_the_answer = not react_prompt.tools and uses_tools(messages)
    return "\n\n".join(part for part in parts if part) + (GENERATE if only_the_answer else "")


def _insists(reading: Unreadable, messages: Sequence[BaseMessage]) -> bool:
    """Return whether the model wrote the same text without an action again after a correction."""
    previous = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
    if previous is None or reading.feedback != MISSING_ACTION or not reading.log.strip():
        return False
    return bool(previous.invalid_tool_calls) and previous.text == reading.log


def _as_own(message: AIMessage) -> AIMessage:
    """Return a reply as this model's own: without id and model name, so that its tokens count once."""
    metadata = {name: value for name, value in message.response_metadata.items() if name != "model_name"}
    kept = {name: value for name, value in message.additional_kwargs.items() if name not in ("tool_calls", "function_call")}
    return message.model_copy(update={"id": None, "response_metadata": metadata, "additional_kwargs": kept})

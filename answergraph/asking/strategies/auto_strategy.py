"""The automatic strategy: chooses the best way to ask for the answer at every call, by the model and its tools."""

from collections.abc import Sequence
from typing import Any, overload

from langchain_core.messages import ToolMessage
from typing_extensions import TypeForm

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.model_capabilities import (
    answers_last,
    refuses_forced_tools,
    supports_json_mode,
    supports_native_format,
)
from answergraph.asking.providers.refusals import TOOL_CALLING, is_refused
from answergraph.asking.strategies.call_or_answer import CallOrAnswer, calls_come_as_text, works_for
from answergraph.asking.strategies.prompted_strategy import PromptedStrategy
from answergraph.asking.strategies.provider_strategy import ProviderStrategy
from answergraph.asking.strategies.strategy import Binding, NamedStrategy, NoResponse, SchemaT, Strategy
from answergraph.asking.strategies.tool_strategy import ToolStrategy
from answergraph.runtime.explained_arguments import explains_arguments


class TextProtocolStrategy(Strategy[SchemaT]):
    """Wraps a model without tool calls in the text protocol Thought / Action / Observation."""

    name = "react_text"
    answers_in_text = True

    def binding(self, request: ModelRequest) -> Binding:
        json_schema = {"name": self.format_name, "schema": dict(self.reply_schema())}
        choice = {} if request.tool_choice is None else {"tool_choice": request.tool_choice}
        settings = {"response_format": {"type": "json_schema", "json_schema": json_schema}, **choice}
        return Binding(request.tools, settings, text_protocol=True)

    def request_text(self) -> str:
        return f"Write 'Final Answer:' and after it a JSON object of the schema {' or '.join(self.schema_names)}."


FREE = "free"
"""The id of the free loop among a request's strategies; in a ladder its place stands before it."""
CALLS = "calls"
"""The id of the strategy that asks for a call or the answer; in a ladder its place stands before it."""


def with_tools_again(used: Sequence[str], last: str) -> list[str]:
    """Return the ids of strategies no longer used, except ways of calling tools: what a check asks for may be a tool's result.

    ``last`` is the id of the strategy that asked last.
    """
    way = CALLS if CALLS in (each.rpartition(":")[2] for each in (*used, last)) else FREE
    return [each for each in used if each.rpartition(":")[2] != way]


class FreeLoop(NoResponse):
    """The tool loop of a deferred strategy: a text ends it, and is the answer if it is a valid one."""

    name = "deferred"
    is_attempt = False


def after_tools(free: FreeLoop, final: Strategy, request: ModelRequest) -> list[NamedStrategy]:
    """Return the free loop, then the strategies of the final step, with tools off."""
    asking = final.strategies_for(request.override(tool_choice=NO_CALLS))
    return [NamedStrategy(FREE, free), *(NamedStrategy(f"final:{each.id}", each.strategy.without_tools()) for each in asking)]


@explains_arguments("AutoStrategy(YourType)")
class AutoStrategy(Strategy[SchemaT]):
    """Use the best strategy for the model, and the next one if the provider refuses it or the model ignores it.

    The order is: the provider's own mode, the answer tool with a forced call, the answer tool without one, the provider's JSON
    mode, and the prompt alone. If a format prevents tool calls on the model's server, the model uses its tools first and is asked
    for the answer afterwards, or is asked for a call or the answer under one schema. A model without tool calling is wrapped in a
    ``ReActTextModel`` if there are tools, or tool calls in the conversation. A bare schema as ``response_format`` means this
    strategy.
    """

    name = "auto"

    # The answer type follows from the schema; for a JSON Schema it is ``dict``.
    @overload
    def __init__(self: "AutoStrategy[dict[str, Any]]", schema: dict[str, Any]) -> None: ...
    @overload
    def __init__(self, schema: TypeForm[SchemaT]) -> None: ...
    def __init__(self, schema: object) -> None:
        """Set the type of the answer.

        Args:
            schema: A type of answer, as ``create_agent`` accepts it.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        super().__init__(schema)
        schemas: Any = self.schemas
        self._native: ProviderStrategy = ProviderStrategy(schemas).changed(asks_afresh=True)
        self._tool: Strategy = ToolStrategy(schemas).changed(corrects_briefly=True, names_form=False)
        self._free_tool: Strategy = self._tool.changed(name="free_tool", tool_choice="auto")
        self._json_mode: Strategy = PromptedStrategy(schemas, json_mode=True).changed(name="json_mode")
        self._prompted: Strategy = PromptedStrategy(schemas)
        self._free = FreeLoop(schemas)
        self._call_or_answer = CallOrAnswer(schemas)
        self._text_protocol: Strategy = TextProtocolStrategy(schemas)

    def strategies_for(self, request: ModelRequest) -> Sequence[NamedStrategy]:
        if _needs_text_protocol(request):
            return [NamedStrategy(TextProtocolStrategy.name, self._text_protocol.narrowed(self.schema_names))]
        calls = request.tool_choice is not NO_CALLS
        if request.tools and calls and answers_last(request.model):
            free, *final = after_tools(self._free.narrowed(self.schema_names), self, request)
            held = self._call_or_answer.narrowed(self.schema_names).offering(request)
            if not works_for(held, request):
                return [free, *final]
            first = [] if calls_come_as_text(request) else [NamedStrategy(FREE, self._free.narrowed(self.schema_names))]
            return [*first, NamedStrategy(CALLS, held), *final]
        is_native = supports_native_format(request.model, request.tools, calls=calls) and self._native.suits(request.model)
        native = (self._native,) if is_native else ()
        forced = () if refuses_forced_tools(request.model) else (self._tool,)
        json_mode = (self._json_mode,) if supports_json_mode(request.model, request.tools, calls=calls) else ()
        every = (*native, *forced, self._free_tool, *json_mode, self._prompted)
        return [NamedStrategy(each.name, each.narrowed(self.schema_names)) for each in every]

    def parts(self) -> Sequence[Strategy]:
        asking = (self._native, self._tool, self._free_tool, self._json_mode, self._prompted)
        return (*asking, self._free, self._call_or_answer, self._text_protocol)

    def widened(self, more: tuple[AnswerSchema, ...]) -> Strategy:
        schemas: Any = super().widened(more).schemas
        return self if schemas == self.schemas else AutoStrategy(schemas)

    def request_text(self) -> str:
        return self._tool.narrowed(self.schema_names).request_text()


def _needs_text_protocol(request: ModelRequest) -> bool:
    if not is_refused(request.model, TOOL_CALLING, beside_tools=False):
        return False
    return bool(request.tools) or any(isinstance(message, ToolMessage) for message in request.messages)

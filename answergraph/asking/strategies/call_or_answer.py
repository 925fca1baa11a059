"""The strategy of servers that enforce a schema but no tool calls: each reply is a call or the answer, under one schema.

Small models write calls as text, if they call at all. Here the tools are described in words, and the server holds the reply to
``{"name": …, "arguments": …}`` of one of them or of the answer. What the reply calls is then read like any call written as text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from answergraph.answers.answer import schema_named
from answergraph.answers.schemas.json_envelope import SCHEMA, VALUE, envelope, rewritten, without
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.providers.model_capabilities import answers_last, supports_native_format, wire_dialect
from answergraph.asking.providers.refusals import Objection, is_refused, remember_refusal
from answergraph.asking.strategies.provider_strategy import native_format_binding
from answergraph.asking.strategies.strategy import NOT_NOW, Binding, Strategy
from answergraph.json_schema.dialects import Dialect
from answergraph.json_schema.value_limits import plain_keyword
from answergraph.state.ledger import LEDGER
from answergraph.state.messages import of_run, was_sent_back
from answergraph.state.stop_reasons import CALLS_FROM_TEXT

NATIVE_CALLS = "native_calls"
"""Remembered as refused for a model whose calls came as text."""
_FORCED = ("any", "required")
_KEYS = ("name", "arguments")
_PROMPT = "Reply with one call, as JSON with its name and its arguments:\n{calls}"
_FIRST = "Before you answer, reply with one call, as JSON with its name and its arguments:\n{calls}"
_LINE = "- {name}({arguments}): {description}"


class _Offer(NamedTuple):
    """What a run may call, and what is said of it."""

    finished: frozenset[str]
    """The tools without arguments that have a result."""
    has_answer: bool
    is_first: bool
    """Whether a correction, which may have asked for the answer, is followed by a call."""
    is_afresh: bool


class CallOrAnswer(Strategy):
    """One schema for the calls of tools and the answer; ``offering`` says which of them a request has."""

    name = "call_or_answer"
    is_held = True
    is_attempt = False

    functions: Sequence[Mapping[str, Any]] = ()
    """The tools that may be called, as OpenAI describes functions."""
    has_answer: bool = True
    prompt: str = _PROMPT

    def offering(self, request: ModelRequest) -> Self:
        """Return this strategy with what the run may call now; always the same object for the same.

        A call comes first: without a result both what is asked and small models' habits lead to an answer that is made up. A
        ``tool_choice`` of the developer's, such as ``"auto"``, allows the answer at once. A tool without arguments is not called
        again, unless the last reply was sent back.
        """
        messages = of_run(request.messages)
        ended: dict[str | None, str] = {each.tool_call_id: each.status for each in messages if isinstance(each, ToolMessage)}
        calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
        results = [call for call in calls if call["id"] in ended and call["name"] not in self.schema_names]
        # What was sent back may name any tool, and so may its problem that is said again without the wrong answers.
        is_afresh = bool((request.state or {}).get(LEDGER, {}).get("asks_afresh"))
        is_sent_back = was_sent_back(messages)
        done = [] if is_sent_back else results
        finished = {call["name"] for call in done if not call["args"] and ended[call["id"]] != "error"}
        has_answer = bool(results) or request.tool_choice not in (None, *_FORCED)
        made_for = _Offer(frozenset(finished), has_answer, is_sent_back and not has_answer, is_afresh)
        return self.derived.get_or_make(lambda: self._made(request, made_for), *request.tools, key=made_for)

    def _made(self, request: ModelRequest, offer: _Offer) -> Self:
        described = [convert_to_openai_tool(tool) for tool in request.tools]
        functions = [tool["function"] for tool in described if tool.get("type") == "function"]
        left = [each for each in functions if each["name"] not in offer.finished or each.get("parameters", {}).get("properties")]
        prompt = _FIRST if offer.is_first else _PROMPT
        if offer.is_afresh and (gone := [each["name"] for each in functions if each not in left]):
            prompt = f"{NOT_NOW.format(names=', '.join(gone))}\n\n{prompt}"
        return self.changed(functions=left, has_answer=offer.has_answer or not left, prompt=prompt)

    def binding(self, request: ModelRequest) -> Binding:
        members = [(each["name"], each.get("parameters") or {"type": "object", "properties": {}}) for each in self.functions]
        members += [(each.name, each.json_schema) for each in self.schemas if self.has_answer]
        schema = rewritten(without("title", envelope(members, _KEYS)), plain_keyword)
        binding = native_format_binding(
            request.override(tools=[]), {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}}
        )
        return replace(binding, prompt=self.prompt.format(calls="\n".join(self._lines())))

    def _lines(self) -> Sequence[str]:
        answers = [(each.name, each.json_schema, f"Gives your answer. {each.description}") for each in self.schemas]
        calls = [(each["name"], each.get("parameters", {}), each.get("description", "")) for each in self.functions]
        return [
            _LINE.format(name=name, arguments=", ".join(parameters.get("properties", ())), description=description.strip())
            for name, parameters, description in [*calls, *(answers if self.has_answer else ())]
        ]

    def restored(self, data: object, dialect: Dialect) -> Any:
        """Return an answer's call as an envelope."""
        if not isinstance(data, dict) or data.keys() != set(_KEYS):
            return data
        name, arguments = (data[key] for key in _KEYS)
        schema = schema_named(self.schemas, name)
        if schema is None:
            return data
        is_wrapped = not schema.is_object and isinstance(arguments, dict) and arguments.keys() == {VALUE}
        return {SCHEMA: name, VALUE: arguments[VALUE] if is_wrapped else arguments}

    def request_text(self) -> str:
        return f"Call a tool, or give your answer by a call of {' or '.join(self.schema_names)}."


def works_for(strategy: CallOrAnswer, request: ModelRequest) -> bool:
    """Return whether a server enforces schemas, and is not known to take calls itself."""
    is_plain = wire_dialect(request.model) is Dialect.PLAIN and all(schema.strict is None for schema in strategy.schemas)
    return is_plain and supports_native_format(request.model, request.tools, calls=False) and not strategy.is_refused(request)


def calls_come_as_text(request: ModelRequest) -> bool:
    """Return whether a free reply is known to be of no use, or a call is required."""
    return request.tool_choice in _FORCED or is_refused(request.model, NATIVE_CALLS, beside_tools=False)


def note_calls(model: object, reply: AIMessage) -> None:
    """Remember whether a server has parsed the calls of a free reply, or left them as text.

    A reply without a call may be right, so it counts only if it comes twice. Small models whose template drops the tools never
    call, and what they make up instead costs a request and misleads them.
    """
    if not answers_last(model) or (not reply.tool_calls and is_refused(model, CallOrAnswer.name, beside_tools=False)):
        return
    is_parsed = bool(reply.tool_calls) and CALLS_FROM_TEXT not in reply.response_metadata
    objection = Objection(names_parameter=bool(reply.tool_calls))
    remember_refusal(model, CallOrAnswer.name if is_parsed else NATIVE_CALLS, beside_tools=False, objection=objection)

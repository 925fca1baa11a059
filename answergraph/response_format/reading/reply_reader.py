"""Reads a reply: which answer it holds, if any, and what is wrong with it.

Pure: the model node previews with it, the ``structured_response`` node commits with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolCall

from answergraph.response_format.reading.json_in_text import Found, find_json
from answergraph.response_format.schemas.answer_schema import AnswerSchema
from answergraph.response_format.schemas.json_envelope import SCHEMA, VALUE
from answergraph.response_format.strategies.strategy import Strategy
from answergraph.response_format.wire.dialects import Dialect
from answergraph.state.messages import last_turn
from answergraph.state.outcome import Status

QUOTED_LENGTH = 200
"""How much of a reply a reason quotes, in characters."""


@dataclass(frozen=True)
class Reading:
    """What a reply holds.

    Attributes:
        status: ``answered`` if it holds one valid answer, else what stands in its place.
        reason: One sentence for a person.
        value: The answer, of the declared type.
        schema: The schema answered.
        meant: The name of the schema that an invalid answer was meant for.
        error: What is wrong with the answer, for ``handle_errors``.
        feedback: Why a check rejected a valid answer; sent back as it is.
        data: The answer as it was written, to tell a repeated mistake.
        calls: The answer calls of the reply; each needs a tool message.
        repairs: What was done to read it.
    """

    status: Status
    reason: str
    value: Any = None
    schema: AnswerSchema | None = None
    meant: str | None = None
    error: Exception | None = None
    feedback: str | None = None
    data: Any = None
    calls: tuple[ToolCall, ...] = ()
    repairs: tuple[str, ...] = ()

    def rejected(self, feedback: str) -> Reading:
        """Return this answer as one that a check rejected."""
        return replace(self, status="invalid", reason="The answer was rejected by a check.", feedback=feedback)


@dataclass(frozen=True)
class Offer:
    """What one reply may be: a strategy with the schemas offered, beside all that were declared."""

    strategy: Strategy[Any]
    declared: frozenset[str]
    rung: str = ""
    """Names the strategy's place on its ladder."""
    is_last: bool = True
    """Whether there is no further rung."""
    dialect: Dialect = Dialect.PLAIN
    """What the schema on the wire was compiled to."""
    note: str | None = None
    """What an attempt made in this way is noted with."""

    @property
    def is_sole(self) -> bool:
        """Whether the declared schemas were narrowed to one."""
        return len(self.strategy.schemas) == 1 < len(self.declared)

    def preview(self, message: AIMessage) -> Any:
        """Read a reply for the middleware around the call.

        Args:
            message: The reply.

        Returns:
            The answer it holds, ``None`` if there is none to be accepted.

        Raises:
            Exception: What is wrong with the answer, where ``handle_errors`` says raise.
        """
        if message.tool_calls and not any(call["name"] in self.declared for call in message.tool_calls):
            # The model is at work; a text beside its calls is no answer yet.
            return None
        reading = self.read(message)
        if reading.error is not None and self.strategy.raises(reading.error):
            raise reading.error
        return reading.value

    def read(self, message: AIMessage) -> Reading:
        """Read a reply.

        Args:
            message: The reply.

        Returns:
            The reading. Calls of answer tools come first; a text is read where there are none.
        """
        calls = [call for call in message.tool_calls if call["name"] in self.declared]
        malformed = [call for call in message.invalid_tool_calls if call.get("name") in self.declared]
        every = (*calls, *(ToolCall(name=str(c["name"]), args={}, id=c["id"], type="tool_call") for c in malformed))
        # Before parsing: a cut answer may parse, with its end missing.
        if status := diagnose(message):
            return Reading(status, _diagnosis(status, message), calls=every)
        if every:
            return _with_calls(self._read_calls(message, calls, malformed), every)
        return self.read_text(message.text, message)

    def read_given(self, given: Mapping[str, Any], message: AIMessage) -> Reading:
        """Check a value that a middleware put in place of the model's answer.

        Args:
            given: ``{"schema", "value"}``: the value as JSON, and the schema it is of, ``None`` if it is of none.
            message: The reply, for the error.

        Returns:
            The reading, with the reply's answer calls.
        """
        schema = self._offered(given["schema"]) if given["schema"] else None
        calls = tuple(call for call in message.tool_calls if call["name"] in self.declared)
        if schema is not None:
            return _with_calls(self._validated(schema, given["value"], message, bare=True), calls)
        error = ValueError(f"a middleware gave {given['value']!r}, which is no answer of {self.strategy.schema_names!r}")
        return _with_calls(self._invalid(self.strategy.schema_names[0], error, message, given["value"]), calls)

    def read_text(self, text: str, message: AIMessage) -> Reading:
        """Read a text as an answer: whole, in fences or in prose.

        Args:
            text: What the model or a ``return_direct`` tool wrote.
            message: The reply, for the error.

        Returns:
            The reading.
        """
        found = [self._restored(item) for item in find_json(text) if self._is_meant(item)]
        readings = [self._read_found(item, message) for item in found]
        answers = [reading for reading in readings if reading.status == "answered"]
        if len({_fingerprint(reading) for reading in answers}) > 1:
            return self._ambiguous([str(r.schema.name) for r in answers if r.schema], message)
        if answers:
            return answers[0]
        return readings[0] if readings else self._unanswered(text, message)

    def _restored(self, item: Found) -> Found:
        return replace(item, data=self.strategy.restored(item.data, self.dialect))

    def _read_calls(self, message: AIMessage, calls: Sequence[ToolCall], malformed: Sequence[Any]) -> Reading:
        readings = [self._read_call(call, message) for call in calls]
        readings += [self._read_malformed(call, message) for call in malformed]
        one_answer = all(r.status == "answered" for r in readings) and len({_fingerprint(r) for r in readings}) == 1
        if len(readings) == 1 or one_answer:
            return readings[0]
        return self._ambiguous([call["name"] for call in (*calls, *malformed)], message)

    def _read_call(self, call: ToolCall, message: AIMessage) -> Reading:
        schema = self._offered(call["name"])
        if schema is None:
            return self._not_offered(call["name"], message, call["args"])
        return self._validated(schema, call["args"], message)

    def _read_malformed(self, call: Any, message: AIMessage) -> Reading:
        schema = self._offered(call["name"])
        found = find_json(call.get("args") or "")
        if schema is None or len(found) != 1:
            return self._invalid(call["name"], ValueError("its arguments are no valid JSON"), message, call.get("args"))
        return self._validated(schema, found[0].data, message, (f"malformed arguments: {found[0].place}",))

    def _is_meant(self, item: Found) -> bool:
        if not isinstance(item.data, dict):
            # A value that is no object is looked for where one was declared; elsewhere a whole text may still be corrected.
            return item.place == "whole" or not all(schema.is_object for schema in self.strategy.schemas)
        if any(schema.is_echo(item.data) for schema in self.strategy.schemas):
            return False
        return item.place == "whole" or self._named(item.data) is not None or bool(self._knowing(item.data))

    def _read_found(self, item: Found, message: AIMessage) -> Reading:
        if (name := self._named(item.data)) is not None:
            schema = self._offered(name)
            if schema is None:
                return self._not_offered(name, message, item.data)
            return self._validated(schema, item.data[VALUE], message, item.repairs, bare=True)
        schemas = self._knowing(item.data) or self.strategy.schemas
        readings = [self._validated(schema, item.data, message, item.repairs) for schema in schemas]
        answers = [reading for reading in readings if reading.status == "answered"]
        if len(answers) > 1:
            names = [reading.schema.name for reading in answers if reading.schema]
            error = ValueError(f"it fits each of {names!r}; say which one you mean")
            return replace(self._invalid(names[0], error, message, item.data), meant=None)
        # What fits none of several schemas was meant for any of them.
        return answers[0] if answers else replace(readings[0], meant=readings[0].meant if len(readings) == 1 else None)

    def _named(self, data: Any) -> str | None:
        """Return the schema that an envelope names, ``None`` for what is no envelope."""
        if not isinstance(data, dict) or data.keys() != {SCHEMA, VALUE} or not isinstance(data[SCHEMA], str):
            return None
        name = data[SCHEMA]
        # A schema may have members of these names itself.
        return name if name in self.declared or not self._knowing(data) else None

    def _knowing(self, data: Any) -> list[AnswerSchema]:
        return [s for s in self.strategy.schemas if isinstance(data, dict) and s.declares_keys_of(data)]

    def _validated(
        self, schema: AnswerSchema, data: Any, message: AIMessage, repairs: tuple[str, ...] = (), *, bare: bool = False
    ) -> Reading:
        try:
            value = schema.load(data) if bare else schema.validate(data)
        except ValueError as error:
            return self._invalid(schema.name, error, message, data)
        return _answered(schema, value, repairs)

    def _not_offered(self, name: str, message: AIMessage, data: Any) -> Reading:
        error = ValueError(f"{name!r} is not offered now; answer with one of {self.strategy.schema_names!r}")
        return self._invalid(name, error, message, data)

    def _offered(self, name: str) -> AnswerSchema | None:
        return next((schema for schema in self.strategy.schemas if schema.name == name), None)

    def _invalid(self, name: str, source: Exception, message: AIMessage, data: Any) -> Reading:
        error = self.strategy.errors.validation(name, source, message)
        # The chain a caller sees is that of ``raise error from source``.
        error.__cause__ = source
        reason = f"The answer does not fit {name!r}: {shortened(str(source))}"
        return Reading("invalid", reason, meant=name, error=error, data=data)

    def _ambiguous(self, names: list[str], message: AIMessage) -> Reading:
        error = self.strategy.errors.multiple(names, message)
        return Reading("invalid", "The model gave several different answers at once.", error=error, data=names)

    def _unanswered(self, text: str, message: AIMessage) -> Reading:
        reason = f"The model wrote a text that holds no answer: {shortened(text)}"
        if not text.strip():
            reason = "The model called tools and gave no answer."
        try:
            json.loads(text)
        except ValueError as broken:
            source = self.strategy.unreadable(broken)
            if source is not None and not message.tool_calls:
                name = getattr(self.strategy.schemas[0].declared, "__name__", "response_format")
                error = self.strategy.errors.validation(name, source, message)
                error.__cause__ = source
                return Reading("unanswered", reason, error=error)
        return Reading("unanswered", reason)


def shortened(text: str) -> str:
    """Return the beginning of a text on one line, to quote it in a reason."""
    line = " ".join(text.split())
    return line if len(line) <= QUOTED_LENGTH else f"{line[:QUOTED_LENGTH]} …"


def _answered(schema: AnswerSchema, value: Any, repairs: tuple[str, ...] = ()) -> Reading:
    return Reading("answered", f"The model answered with {schema.name!r}.", value=value, schema=schema, repairs=repairs)


def _with_calls(reading: Reading, calls: tuple[ToolCall, ...]) -> Reading:
    return replace(reading, calls=calls)


def _fingerprint(reading: Reading) -> str:
    if reading.schema is None:
        return repr((reading.status, reading.data))
    return repr((reading.schema.name, reading.schema.dump(reading.value)))


def _diagnosis(status: Status, message: AIMessage) -> str:
    if status == "refused":
        return f"The model refused: {refusal_text(message)}".rstrip(": ")
    if status == "truncated":
        return "The reply was cut at the token limit."
    return "The model returned nothing that could be read."


_TRUNCATED = {"length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"}
_REFUSED = {"refusal", "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "guardrail_intervened"}


def diagnose(message: AIMessage) -> Status | None:
    """Return why a reply cannot hold an answer.

    Args:
        message: The reply.

    Returns:
        ``refused``, ``truncated`` or ``empty``; ``None`` if the reply may be read.
    """
    reasons = _stop_reasons(message.response_metadata) if message.response_metadata else set()
    if message.additional_kwargs.get("refusal") or _has_refusal_block(message) or reasons & _REFUSED:
        return "refused"
    if reasons & _TRUNCATED:
        return "truncated"
    if not message.tool_calls and not message.invalid_tool_calls and not message.text.strip():
        return "empty"
    return None


def repeats_cut_calls(messages: Sequence[AnyMessage]) -> bool:
    """Return whether the last two AI messages call tools and were both cut, so that asking again is no use."""
    message, after = last_turn(messages)
    earlier, _ = last_turn(messages[: -len(after) - 1])
    return all(reply is not None and reply.tool_calls and diagnose(reply) == "truncated" for reply in (message, earlier))


def refusal_text(message: AIMessage) -> str:
    """Return the words in which the model refused, empty if it gave none."""
    blocks = [block.get("refusal") for block in message.content if isinstance(block, dict)]
    return str(message.additional_kwargs.get("refusal") or next(filter(None, blocks), "") or message.text)


def _stop_reasons(metadata: Mapping[str, Any]) -> set[str]:
    details = metadata.get("incomplete_details")
    detail = details.get("reason") if isinstance(details, Mapping) else None
    found = (metadata.get("finish_reason"), metadata.get("stop_reason"), metadata.get("stopReason"), detail)
    return {reason.lower() for reason in found if isinstance(reason, str)}


def _has_refusal_block(message: AIMessage) -> bool:
    if isinstance(message.content, str):
        return False
    return any(isinstance(block, dict) and block.get("type") == "refusal" for block in message.content)

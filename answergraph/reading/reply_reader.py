"""Reads a reply: its answer, if any, and its problems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from langchain_core.messages import AIMessage, ToolCall

from answergraph.answers.answer import Answer, schema_named
from answergraph.answers.canonical_json import canonical_json, shortened
from answergraph.answers.schemas.answer_schema import AnswerSchema, Problem, problems_by_field
from answergraph.answers.schemas.json_envelope import VALUE
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.json_text.json_in_text import closed_value, find_json
from answergraph.patches.repair import completed
from answergraph.reading.filled_schema import COPIES, NotMeantError, refuse_copies
from answergraph.reading.text_answers import WRITTEN_CALL, TextAnswer, find_answers
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.field_record import Fields, record_of
from answergraph.state.ledger import StoredValue
from answergraph.state.outcome import Status
from answergraph.state.stop_reasons import BROKEN_CALL, diagnose, failed_sample, was_broken_off, why_unreadable

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""Validator exceptions that count as the model's mistake, as in LangChain."""
CANNOT_BE_READ = "Your call of {name} was not carried out: it is cut, or no JSON object. If you need it, call the tool again."
NO_ARGUMENTS = "the arguments of the call are not valid JSON"
ANSWERED = "The model answered with {name!r}."
LOST = "this number cannot be read; write a finite one of fewer digits"


@dataclass(frozen=True)
class Reading:
    """The content of a reply."""

    status: Status
    """``answered`` if it holds one valid answer, otherwise the status to report."""
    reason: str
    """One sentence for a person."""
    answer: Answer | None = None
    meant: str | None = None
    """The schema name of an invalid answer."""
    error: Exception | None = None
    """The error, for ``handle_errors``."""
    feedback: str | None = None
    """Why a check rejected a valid answer; sent back unchanged."""
    mistake: str | None = None
    """A wrong answer as canonical JSON, to detect repetition."""
    calls: tuple[ToolCall, ...] = ()
    """The answer calls of the reply; each needs a tool message."""
    repairs: tuple[str, ...] = ()
    counts: bool = False
    """Whether it counts as an attempt although no answer was requested: a failed sample, or an answer that a check rejected."""
    fields: Fields = field(default_factory=dict)
    """The records of the fields of a wrong answer, by path."""
    json_paths: Mapping[str, str] = field(default_factory=dict)
    """The paths in JSON of the fields that do not fit the schema, by path."""
    written: Any = None
    """A wrong answer as JSON, whole; ``None`` if it could not be read as JSON."""
    patch: tuple[str, ...] | None = None
    """The fields that the reply changed in the answer before; ``None`` if it was a whole answer."""
    check: str | None = None
    """The check that rejected it."""
    is_echo: bool = False
    """Whether the model returned the schema instead of an answer."""

    def rejected(self, feedback: str, fields: Fields, check: str | None) -> Self:
        """Return this reading of an answer that a check rejected; ``check`` is its name."""
        problems = [(path, record["problem"]) for path, record in fields.items() if record["problem"] is not None]
        who = f"The check {check!r}" if check else "A check"
        path, sentence = problems[0] if problems else ("the answer", feedback)
        reason = f"{who} rejected {path or 'the answer'}{_and_more(problems)}: {shortened(sentence)}"
        wrong = replace(self, status="invalid", reason=reason, feedback=feedback, mistake=self.canonical, counts=True)
        return replace(wrong, fields=fields, check=check, written=None if self.answer is None else self.answer.written)

    @property
    def value(self) -> Any:
        """The answer, of the declared type."""
        return None if self.answer is None else self.answer.value

    @property
    def schema(self) -> AnswerSchema | None:
        """The schema of the answer."""
        return None if self.answer is None else self.answer.schema

    @property
    def name(self) -> str | None:
        """The name of the schema of an answer, valid or wrong."""
        return self.meant if self.answer is None else self.answer.schema.name

    @property
    def canonical(self) -> str:
        """The answer as canonical JSON with its schema's name."""
        if self.answer is None:
            return canonical_json(None)
        return canonical_json([self.answer.schema.name, self.answer.data if self.answer.has_json else self.answer.value])

    def is_answer(self, schema: str | None, data: object) -> bool:
        """Return whether this equals an answer given as JSON with its schema's name."""
        return canonical_json([schema, data]) == self.canonical

    @property
    def error_text(self) -> str:
        if self.feedback is not None:
            return self.feedback
        return self.reason if self.error is None else str(self.error)


@dataclass(frozen=True)
class ReplyReader:
    """Reads replies to one request for an answer."""

    request: AnswerRequest

    def read(self, message: AIMessage) -> Reading:
        """Read a reply: calls of answer tools first, else the text."""
        declared = self.request.declared
        calls = [call for call in message.tool_calls if call["name"] in declared]
        malformed = [call for call in message.invalid_tool_calls if call.get("name") in declared]
        every = (*calls, *(ToolCall(name=str(c["name"]), args={}, id=c["id"], type="tool_call") for c in malformed))
        # This comes before parsing, because a cut answer may still parse.
        if status := diagnose(message):
            if status == "truncated" and not every and (whole := self._read_cut(message)):
                return whole
            return Reading(status, why_unreadable(status, message), calls=every)
        if not every and message.response_metadata and (problem := failed_sample(message)):
            return self._read_failed(problem, message)
        if not every:
            return self.read_text(message.text, message)
        readings = [self._read_call(call, message) for call in calls]
        readings += [self._read_malformed(call, message) for call in malformed]
        if len(readings) > 1 and not _is_one_answer(readings):
            names = [call["name"] for call in every]
            return replace(self._ambiguous(names, readings, message), calls=every)
        return replace(readings[0], calls=every)

    def read_middleware_value(self, stored: StoredValue, message: AIMessage) -> Reading:
        """Check a value that a middleware set instead of the answer in ``message``; it repairs none, and may hold any number."""
        schema = schema_named(self.request.strategy.schemas, stored["schema"])
        calls = tuple(call for call in message.tool_calls if call["name"] in self.request.declared)
        if schema is not None:
            try:
                answer = Answer.of(schema, schema.load(stored["value"]), stored["value"])
            except UNREADABLE as error:
                return replace(self._invalid(schema.name, error, message, stored["value"]), written=stored["value"], calls=calls)
            return Reading("answered", ANSWERED.format(name=schema.name), answer, calls=calls)
        names = self.request.strategy.schema_names
        unknown = ValueError(f"a middleware gave {stored['value']!r}, which is not an answer of {names!r}")
        return replace(self._invalid(names[0], unknown, message, stored["value"]), calls=calls)

    def read_text(self, text: str, message: AIMessage) -> Reading:
        """Read a text of the model or of a ``return_direct`` tool as an answer."""
        held = find_answers(text, self.request)
        readings = [self._read_text_answer(item, message) for item in held.answers]
        answers = [reading for reading in readings if reading.status == "answered"]
        if answers and not _is_one_answer(answers):
            return self._ambiguous([str(r.schema.name) for r in answers if r.schema], answers, message)
        if answers:
            return answers[0]
        if name := message.response_metadata.get(BROKEN_CALL):
            reason, mistake = f"The model wrote a call of {name!r} that cannot be read.", canonical_json([name, text])
            return Reading("invalid", reason, feedback=CANNOT_BE_READ.format(name=name), mistake=mistake, counts=True)
        return readings[0] if readings else self._unanswered(text, message, is_echo=held.is_echo)

    def _read_cut(self, message: AIMessage) -> Reading | None:
        closed = None if was_broken_off(message) else closed_value(message.text)
        reading = None if closed is None else self.read_text(closed, message)
        return reading if reading is not None and reading.status == "answered" else None

    def _read_failed(self, text: str, message: AIMessage) -> Reading:
        """Read output that the provider could not parse: an answer, or a failed attempt."""
        reading = self.read_text(message.text, message)
        if reading.status == "answered":
            return replace(reading, repairs=("failed sample", *reading.repairs))
        return replace(self._invalid(self.request.strategy.schema_names[0], ValueError(text), message, message.text), counts=True)

    def _read_call(self, call: ToolCall, message: AIMessage) -> Reading:
        schema = schema_named(self.request.strategy.schemas, call["name"])
        if schema is None:
            return self._not_requested(call["name"], message, call["args"])
        return self._validated(schema, call["args"], message)

    def _read_malformed(self, call: Any, message: AIMessage) -> Reading:
        schema = schema_named(self.request.strategy.schemas, call["name"])
        findings = find_json(call.get("args") or "")
        if schema is None or len(findings) != 1:
            return self._invalid(call["name"], ValueError(NO_ARGUMENTS), message, call.get("args"))
        return self._validated(schema, findings[0].data, message, (f"malformed arguments: {findings[0].origin}",))

    def _read_text_answer(self, item: TextAnswer, message: AIMessage) -> Reading:
        if item.name is not None and not item.schemas:
            return self._not_requested(item.name, message, item.data)
        if item.name is not None and item.data is None and WRITTEN_CALL in item.repairs:
            return self._invalid(item.name, ValueError(NO_ARGUMENTS), message, message.text)
        # One refusal is explained, not that of each member of a union.
        schemas = [each for each in item.schemas if each.may_fit(item.data, bare=item.is_bare)] or item.schemas[:1]
        readings = [self._validated(schema, item.data, message, item.repairs, bare=item.is_bare) for schema in schemas]
        if not item.is_known:
            readings = [self._unknown(reading, item, message) for reading in readings]
        answers = [reading for reading in readings if reading.status == "answered"]
        if not answers and item.name is not None:
            answers = self._of_other_name(item, message)
        if len(answers) > 1:
            names = [reading.schema.name for reading in answers if reading.schema]
            error = ValueError(f"it fits each of {names!r}; say which one you mean")
            return replace(self._invalid(names[0], error, message, item.data), meant=None)
        # A value that fits none of several schemas may be meant for any of them.
        wrong = readings[0] if len(item.schemas) == 1 else replace(readings[0], meant=None)
        return answers[0] if answers else wrong

    def _unknown(self, reading: Reading, item: TextAnswer, message: AIMessage) -> Reading:
        if reading.schema is None:
            return reading
        return self._invalid(reading.schema.name, ValueError(reading.schema.problem_with(item.data)), message, item.data)

    def _of_other_name(self, item: TextAnswer, message: AIMessage) -> list[Reading]:
        """Return the answer if a value with a wrong name fits exactly one other schema."""
        every = self.request.strategy.schemas if isinstance(item.data, dict) else ()
        others = [s for s in every if s.name != item.name and s.knows(item.data) and s.may_fit(item.data, bare=True)]
        repairs = (*item.repairs, f"the name {item.name!r} replaced")
        readings = [self._validated(schema, item.data, message, repairs, bare=True) for schema in others]
        answers = [reading for reading in readings if reading.status == "answered"]
        return answers if len(answers) == 1 else []

    def _validated(
        self, schema: AnswerSchema, data: Any, message: AIMessage, repairs: tuple[str, ...] = (), *, bare: bool = False
    ) -> Reading:
        written = patch = None
        try:
            if (repair := self.request.repair) is not None:
                schema = schema.whole or schema
                data, patch = completed(repair, schema, data)
            is_bare = bare or schema.is_object or patch is not None
            written = data if is_bare or not isinstance(data, Mapping) else data.get(VALUE, data)
            if COPIES in message.response_metadata:
                refuse_copies(written, message.response_metadata[COPIES])
            value = schema.load(data) if is_bare else schema.validate(data)
            answer = Answer.of(schema, value, data)
            if lost := answer.lost_numbers(written):
                raise NotMeantError(lost, LOST)
        except UNREADABLE as error:
            problems = schema.problems(error, written)
            return replace(self._invalid(schema.name, error, message, data, problems), written=written, patch=patch)
        if value is None and not schema.holds(None):
            raise AgentSpecError(f"A validator of {schema.name} returned None for a valid answer; end it with `return self`.")
        return Reading("answered", ANSWERED.format(name=schema.name), answer, repairs=repairs, patch=patch)

    def _not_requested(self, name: str, message: AIMessage, data: object) -> Reading:
        withheld = self.request.withheld
        instead = f". {withheld}" if withheld else f"; answer with one of {self.request.strategy.schema_names!r}"
        return self._invalid(name, ValueError(f"{name!r} is not offered now{instead}"), message, data)

    def _invalid(self, name: str, source: Exception, message: AIMessage, data: Any, problems: Sequence[Problem] = ()) -> Reading:
        problems = problems or [Problem(path, path, sentence) for path, sentence in problems_by_field(source)]
        reason = f"The answer does not fit {name!r}{_and_more(problems)}: {shortened(str(problems[0]))}"
        fields = {each.path: record_of(each.sentence) for each in problems if each.path}
        json_paths = {each.path: each.json_path for each in problems}
        error, mistake = self._error(name, source, message), canonical_json([name, data])
        return Reading("invalid", reason, meant=name, error=error, mistake=mistake, fields=fields, json_paths=json_paths)

    def _error(self, name: str, source: Exception, message: AIMessage) -> Exception:
        error = self.request.strategy.errors.validation(name, source, message)
        # Chain the error like ``raise error from source``.
        error.__cause__ = source
        return error

    def _ambiguous(self, names: list[str], readings: Sequence[Reading], message: AIMessage) -> Reading:
        error = self.request.strategy.errors.multiple(names, message)
        mistake = canonical_json([reading.mistake or reading.canonical for reading in readings])
        return Reading("invalid", "The model gave several different answers at once.", error=error, mistake=mistake)

    def _unanswered(self, text: str, message: AIMessage, *, is_echo: bool) -> Reading:
        reason = f"The model wrote a text that holds no answer: {shortened(text)}"
        if is_echo:
            return Reading("unanswered", "The model returned the schema instead of an answer.", is_echo=True)
        if not text.strip():
            reason = "The model called tools and gave no answer."
        try:
            json.loads(text)
        except (ValueError, RecursionError) as broken:
            source = self.request.strategy.unreadable(broken)
            if source is not None and not message.tool_calls:
                name = getattr(self.request.strategy.schemas[0].declared, "__name__", "response_format")
                return Reading("unanswered", reason, error=self._error(name, source, message))
        return Reading("unanswered", reason)


def _is_one_answer(readings: Sequence[Reading]) -> bool:
    return all(r.status == "answered" for r in readings) and len({reading.canonical for reading in readings}) == 1


def _and_more(problems: Sequence[object]) -> str:
    return f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""

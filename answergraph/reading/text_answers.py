"""Finds possible answers in a text: JSON, a written call of the answer tool, values inside the schema.

Only keys are checked here. An object counts only if a schema declares its keys, so a tool call or an error is never an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_envelope import SCHEMA, VALUE, opened
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.json_text.json_in_text import JsonFinding, find_json
from answergraph.reading.filled_schema import values_in_schema
from answergraph.reading.text_calls import find_text_calls

WRITTEN_CALL = "a call written as text"
UNWRAPPED = "the value taken out of what it was written in"


@dataclass(frozen=True)
class TextAnswer:
    """A possible answer in a text."""

    data: Any
    schemas: tuple[AnswerSchema, ...] = ()
    """The possible schemas; none if it names one that was not requested."""
    name: str | None = None  # the schema that it names
    is_bare: bool = False
    """Whether ``data`` is the unwrapped value."""
    is_known: bool = True
    """Whether one of the schemas has its keys; otherwise it is invalid."""
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextAnswers:
    """The possible answers of a text."""

    answers: Sequence[TextAnswer] = ()
    is_echo: bool = False
    """Whether it contains only the schema."""


def find_answers(text: str, request: AnswerRequest) -> TextAnswers:
    """Find the values in a text that may answer a request, in time linear in its length."""
    search = _Search(request)
    values = [replace(item, data=request.strategy.restored(item.data, request.dialect)) for item in find_json(text)]
    answers = [answer for item in values if (answer := search.answer(item))]
    if not any(answer.is_known for answer in answers) and (calls := search.written_calls(text)):
        answers = calls
    return TextAnswers(answers, is_echo=not answers and any(map(search.is_echo, values)))


@dataclass(frozen=True)
class _Search:
    request: AnswerRequest

    def answer(self, item: JsonFinding) -> TextAnswer | None:
        data, schemas = item.data, self.request.strategy.schemas
        has_other_values = not all(schema.is_object for schema in schemas)
        if self.is_echo(item):
            return None
        if isinstance(data, dict):
            answer_object = self._object(item)
            # A whole text is an attempt. For a mapping without declared keys, its values decide.
            is_attempt = answer_object is None and item.origin == "whole"
            return TextAnswer(data, schemas, is_known=has_other_values, repairs=item.repairs) if is_attempt else answer_object
        # Other values count if such a type was declared; otherwise the model may still correct a whole text.
        return TextAnswer(data, schemas, repairs=item.repairs) if has_other_values or item.origin == "whole" else None

    def _object(self, item: JsonFinding) -> TextAnswer | None:
        data, repairs, envelope = item.data, item.repairs, opened(item.data)
        if (name := self._named(envelope)) is not None:
            return TextAnswer(envelope[VALUE], self._asked_for(name), name, is_bare=True, repairs=repairs)
        if knowing := self._knowing(data):
            return TextAnswer(data, knowing, repairs=repairs)
        inner = data[VALUE] if data.keys() == {VALUE} else values_in_schema(data)
        if isinstance(inner, dict) and (knowing := self._knowing(inner)):
            return TextAnswer(inner, knowing, is_bare=True, repairs=(*repairs, UNWRAPPED))
        return None

    def is_echo(self, item: JsonFinding) -> bool:
        data = item.data
        if not isinstance(data, dict):
            return False
        inner = [data[key] for key in ("parameters", "arguments", VALUE) if isinstance(data.get(key), dict)]
        return any(schema.is_echo(each) for schema in self.request.strategy.schemas for each in (data, *inner))

    def written_calls(self, text: str) -> list[TextAnswer]:
        calls = find_text_calls(text, self.request.declared).calls
        return [TextAnswer(call.args, self._asked_for(call.name), call.name, repairs=(WRITTEN_CALL,)) for call in calls]

    def _named(self, data: dict[str, Any]) -> str | None:
        """Return the schema that an envelope names, ``None`` for other values."""
        if data.keys() != {SCHEMA, VALUE} or not isinstance(data[SCHEMA], str):
            return None
        name: str = data[SCHEMA]
        # A schema may declare such keys itself.
        return name if name in self.request.declared or not self._knowing(data) else None

    def _asked_for(self, name: str) -> tuple[AnswerSchema, ...]:
        return tuple(schema for schema in self.request.strategy.schemas if schema.name == name)

    def _knowing(self, data: dict[str, object]) -> tuple[AnswerSchema, ...]:
        return tuple(schema for schema in self.request.strategy.schemas if schema.knows(data))

"""Answer schemas: one object per declared type, with its name, its JSON Schema and its validator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json
from typing_extensions import is_typeddict

from answergraph.answers.schemas.item_keys import Keys, keys_of
from answergraph.answers.schemas.json_envelope import VALUE, wrapped_value
from answergraph.answers.schemas.json_names import DeclaredField, field_at, path_in_json
from answergraph.answers.schemas.known_keys import KnownKeys, known_keys
from answergraph.json_text.json_depth import inner_values
from answergraph.state.field_path import FieldPath

CALL_NAMES = ("name", "function", "tool_name", "tool")
"""The keys under which models write the name of a called tool, the usual ones first."""

CALL_ARGUMENTS = frozenset({"arguments", "parameters", "args", "input", "tool_input"})
"""The keys under which they write its arguments."""

MAX_SHOWN_CHARACTERS = 60
"""Longer values are not shown in problems."""

MAX_ERRORS_WRITTEN = 1_000
"""Pydantic's errors of one answer that are written out, at 3 µs and 1.5 KB each."""

MAX_PROBLEM_CHARACTERS = 4_000
"""Maximum length of the problems that are reported to the model; a list may have one per item."""


@dataclass(frozen=True)
class AnswerSchema:
    """A declared type of answer."""

    name: str
    """Stable, and valid as a tool name: the type's name, the schema's title, or a hash of the schema."""
    description: str
    """The docstring, shown to the model."""
    value_schema: Mapping[str, Any]
    declared: Any
    """The type or JSON Schema as the developer wrote it."""
    validator: Validator
    annotation: Any
    """The type in the state schema; ``dict`` for a JSON Schema."""
    is_object: bool = True
    """Whether the value is an object; any other value is wrapped in an object on the wire, ``{"value": …}``."""
    strict: bool | None = None
    """The strategy's setting."""
    whole: AnswerSchema | None = None
    """The schema of the answers that this one changes, if it is that of a patch."""

    @property
    def schema(self) -> Any:
        """The declared type, under LangChain's name."""
        return self.declared

    @property
    def schema_kind(self) -> str:
        """The kind of type, in LangChain's terms: ``pydantic``, ``dataclass``, ``typeddict`` or ``json_schema``."""
        if isinstance(self.declared, type) and issubclass(self.declared, BaseModel):
            return "pydantic"
        if is_dataclass(self.declared):
            return "dataclass"
        return "typeddict" if is_typeddict(self.declared) else "json_schema"

    @cached_property
    def json_schema(self) -> Mapping[str, Any]:
        """The schema of the object on the wire."""
        return self.value_schema if self.is_object else wrapped_value(self.value_schema)

    def validate(self, data: object) -> Any:
        """Return a model's answer, wrapped or bare, as a value of the declared type; raise as ``load`` does."""
        if self.is_object or not (isinstance(data, Mapping) and data.keys() == {VALUE}):
            return self.load(data)
        try:
            return self.load(data[VALUE])
        except ValueError:
            with suppress(ValueError):
                return self.load(data)
            raise

    def load(self, data: object) -> Any:
        """Return bare JSON as a value of the declared type; raise ``ValueError`` in LangChain's words if it does not fit."""
        try:
            return self.validator.validate(data)
        except Exception as error:
            # Validators run user code, which may raise anything; the model must correct it.
            error = self._with_few_errors(error, data)
            raise ValueError(f"Failed to parse data to {self.label}: {_cut(str(error))}") from error

    def _with_few_errors(self, error: Exception, data: object) -> Exception:
        """Return an error that can be written: a list of a union has an error for each item, member and field."""
        if not isinstance(error, ValidationError) or error.error_count() <= MAX_ERRORS_WRITTEN:
            return error
        from answergraph.answers.schemas.json_schema_validator import explained_by  # noqa: PLC0415 - see schema_kinds

        return explained_by(self.value_schema, data) or ValueError(f"it does not fit, in {error.error_count():,} ways")

    def may_fit(self, data: object, *, bare: bool) -> bool:
        """Return whether ``load`` (of ``bare`` data) or ``validate`` may accept data; false only if that costs little to know."""
        return not (bare or self.is_object) or self.validator.may_fit(data)

    def dump(self, value: object) -> Any:
        return self.validator.dump(value)

    def holds(self, value: Any) -> bool:
        """Return whether a value is an instance of the declared type, or fits its content."""
        return self.validator.holds(value)

    def problems(self, error: BaseException, data: object) -> list[Problem]:
        """Return what is wrong with each field of bare JSON, by its name in the declared type."""
        if isinstance(self.declared, dict):
            return [Problem(path, path, sentence) for path, sentence in problems_by_field(error)]
        problems: dict[str, Problem] = {}
        for location, sentence in problems_by_field(error):
            json_path = path_in_json(self.annotation, FieldPath(location), data)
            path = str(self.field_at(json_path).path)
            # Each alternative of a union says why the value does not fit it.
            known = f"{problems[path].sentence}; " if path in problems else ""
            problems[path] = Problem(path, str(json_path), known + sentence)
        return list(problems.values())

    @cached_property
    def keys(self) -> Keys:
        """What names the items of lists, by the path of the list."""
        return {} if isinstance(self.declared, dict) else keys_of(self.declared)

    def field_at(self, json_path: FieldPath) -> DeclaredField:
        """Return the path of a field, in the names of the declared type, and its types, by its path in JSON."""
        return field_at(self.annotation, json_path)

    @cached_property
    def _known_keys(self) -> KnownKeys:
        own = known_keys(self.json_schema)
        # A whole answer may come where a patch was asked for.
        if self.whole is None:
            return own
        whole = known_keys(self.whole.json_schema)
        return KnownKeys(own.names | whole.names, whole.takes_others)

    @property
    def known_names(self) -> frozenset[str]:
        """The keys that the schema names."""
        return self._known_keys.names

    def declares_keys_of(self, data: Mapping[str, object]) -> bool:
        """Return whether the schema declares every key of an object."""
        return self._known_keys.takes_others or data.keys() <= self._known_keys.names

    def knows(self, data: Mapping[str, object]) -> bool:
        """Return whether the schema declares every key of an object, and the object has one of the named keys."""
        return self.declares_keys_of(data) and not (self._known_keys.names and self._known_keys.names.isdisjoint(data))

    @cached_property
    def looks_like_call(self) -> bool:
        """Whether an answer may look like a tool call, such as a step of a plan."""
        names = self._known_keys.names
        return bool(names.intersection(CALL_NAMES) and names & CALL_ARGUMENTS)

    def problem_with(self, data: Mapping[str, object]) -> str:
        """Return why an object with unknown keys is not an answer, for the model."""
        unknown = [key for key in data if key not in self._known_keys.names]
        return f"the keys of the answer are {sorted(self._known_keys.names)!r}, not {unknown!r}"

    def is_echo(self, data: Mapping[str, object]) -> bool:
        """Return whether an object is this schema itself."""
        properties = self.json_schema.get("properties")
        return data == self.json_schema or (bool(properties) and data.get("properties") == properties)

    @cached_property
    def tool(self) -> BaseTool:
        """The tool whose call is an answer; bound to models, never run."""
        return StructuredTool(name=self.name, description=self.description, args_schema=dict(self.json_schema))

    @property
    def label(self) -> str:
        return str(getattr(self.declared, "__name__", self.name))


def _cut(problem: str) -> str:
    return problem if len(problem) <= MAX_PROBLEM_CHARACTERS else f"{problem[:MAX_PROBLEM_CHARACTERS]} … and more of the kind"


def problems_in(error: BaseException) -> str:
    """Return the problems of an answer on one line, without Pydantic's links and codes, which small models copy."""
    error = _root_of(error)
    if not isinstance(error, ValidationError):
        return _cut(_sentence_of(error))
    return _cut("; ".join(map(_problem, error.errors(include_url=False))))


class Problem(NamedTuple):
    """What is wrong with a field of an answer."""

    path: str
    """The field's name in the declared type; empty for the answer as a whole."""
    json_path: str
    """Its path in JSON, with aliases."""
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}" if self.path else self.sentence


def problems_by_field(error: BaseException) -> list[tuple[str, str]]:
    """Return the place and problem of each invalid field, ``("findings[0].quote", "Field required")``, as the error names it."""
    error = _root_of(error)
    if isinstance(error, ValidationError):
        return [(str(FieldPath.of(*detail["loc"])), _without_path(detail)) for detail in error.errors(include_url=False)]
    located: list[tuple[Sequence[str | int], str]] = getattr(error, "located", [((), _sentence_of(error))])
    return [(str(FieldPath.of(*path)), _cut(sentence)) for path, sentence in located]


def _sentence_of(error: BaseException) -> str:
    """Return what an error says on one line, with its class unless it was raised to describe the answer."""
    text = " ".join(str(error).split())
    return text if text and isinstance(error, ValueError | AssertionError) else f"{type(error).__name__}: {text}".rstrip(": ")


def _root_of(error: BaseException) -> BaseException:
    """Return the validation error behind an error, else the first cause."""
    while error.__cause__ is not None and not isinstance(error, ValidationError):
        error = error.__cause__
    return error


def _problem(detail: ErrorDetails) -> str:
    return f"{'.'.join(map(str, detail['loc']))}: {_without_path(detail)}".removeprefix(": ")


def _without_path(detail: ErrorDetails) -> str:
    value = detail["input"]
    is_flat = not any(isinstance(part, dict | list | tuple) for part in inner_values(value))
    # A large value is not written to find out that it is large.
    is_small = not isinstance(value, Sized) or (len(value) <= MAX_SHOWN_CHARACTERS and is_flat)
    text = repr(value) if is_small and detail["type"] != "missing" else ""
    return detail["msg"] + (f" (given: {text})" if 0 < len(text) <= MAX_SHOWN_CHARACTERS else "")


class Validator(Protocol):
    """Validates JSON into the declared type (or raises ``ValueError``), and dumps values to JSON."""

    def validate(self, data: object) -> Any: ...
    def may_fit(self, data: object) -> bool: ...
    def dump(self, value: object) -> Any: ...
    def holds(self, value: object) -> bool: ...


@dataclass(frozen=True)
class TypeValidator:
    """Validates Python types through Pydantic, in its lax mode, as for any JSON input."""

    adapter: TypeAdapter[Any]
    instance_of: type | None = None
    """The class of all answers; ``None`` if ``holds`` depends on the content."""
    strict: bool = False
    """Whether ``holds`` is false for a value that needs conversion."""
    by_name: bool = False
    """Whether JSON has the names of the type, because its aliases for writing are not those for reading."""

    def validate(self, data: object) -> Any:
        both = self.by_name or None
        try:
            return self.adapter.validate_python(data, by_alias=both, by_name=both)
        except ValidationError:
            # A strict type accepts a date or an enum as JSON, but not as a Python string.
            with suppress(ValidationError, PydanticSerializationError):
                return self.adapter.validate_json(to_json(data), by_alias=both, by_name=both)
            raise

    def may_fit(self, data: object) -> bool:
        # Only the validator tells, which is to run once per answer.
        return True

    def dump(self, value: object) -> Any:
        return self.adapter.dump_python(value, mode="json", by_alias=not self.by_name, round_trip=True, warnings=False)

    def holds(self, value: object) -> bool:
        if self.instance_of is not None:
            return isinstance(value, self.instance_of)
        with suppress(ValueError):
            # A value has the names of the type; only its JSON has aliases.
            self.adapter.validate_python(value, strict=self.strict or None, by_alias=True, by_name=True)
            return True
        return False

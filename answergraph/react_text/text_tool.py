"""A tool of the text protocol: its line in the prompt, and reading its input as arguments."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from langchain_core.utils.function_calling import convert_to_openai_tool

from answergraph.json_text.json_in_text import find_json
from answergraph.reading.text_calls import python_arguments
from answergraph.runtime.errors import AgentSpecError

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_PROVIDER_TOOL = "The text protocol does not support {tool!r}, a tool that the provider runs."
_QUOTES = "\"'`"


class UnreadableInputError(ValueError):
    """An input has no readable arguments; the message is for the model."""


@dataclass(frozen=True)
class TextTool:
    """A tool of the protocol."""

    name: str
    description: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    """The JSON Schema of each argument, by name."""
    required: tuple[str, ...] = ()

    @classmethod
    def of(cls, tool: Any) -> Self:
        """Read a tool in any form LangChain knows."""
        function = as_openai_tool(tool)["function"]
        parameters = function.get("parameters") or {}
        return cls(
            function["name"],
            function.get("description", ""),
            parameters.get("properties", {}),
            tuple(parameters.get("required", ())),
        )

    @property
    def text_argument(self) -> str | None:
        """The argument for plain text: the only one, or the only required one."""
        if len(self.parameters) == 1:
            return next(iter(self.parameters))
        return self.required[0] if len(self.required) == 1 else None

    def line(self) -> str:
        """Return the tool's line in the prompt: signature, description, and the form of several arguments."""
        shown = (f"{name}: {_annotation(schema)}{_default(schema)}" for name, schema in self.parameters.items())
        described = f"{self.name}({', '.join(shown)}) - {self.description}"
        if len(self.parameters) <= 1:
            return described
        if any(_needs_schema(schema) for schema in self.parameters.values()):
            schema = {"type": "object", "properties": self.parameters, "required": list(self.required)}
            return f"{described} Action Input is a JSON object of this JSON Schema: {json.dumps(schema, ensure_ascii=False)}"
        return f"{described} Action Input is a JSON object with the keys {', '.join(self.parameters)}."

    def arguments(self, text: str) -> dict[str, object]:
        """Return the arguments in the text after ``Action Input:``.

        A JSON object is used unchanged; any other text, without quotes, is the ``text_argument``. Without such an argument, raise
        ``UnreadableInputError``.
        """
        if not self.parameters:
            return {}
        args = _one_object(text, whole_only=self.text_argument is not None)
        if args is not None and (self.text_argument is None or args.keys() <= self.parameters.keys()):
            return args
        if self.text_argument is None:
            keys = ", ".join(self.parameters)
            raise UnreadableInputError(f"Invalid Format: 'Action Input:' of {self.name} is one JSON object with the keys {keys}")
        return {self.text_argument: _value(text.strip(), self.parameters[self.text_argument])}

    def call_arguments(self, text: str) -> dict[str, object]:
        """Return the arguments in a call's brackets: by name, in the schema's order, or as for ``arguments``."""
        args = python_arguments(f"({text})", tuple(self.parameters))
        if args is None or not set(self.required) <= args.keys() <= self.parameters.keys():
            return self.arguments(text)
        return self.with_texts(args)

    def with_texts(self, args: Mapping[str, object]) -> dict[str, object]:
        """Convert numbers for string parameters, as in ``search(12)``."""
        kinds = {name: schema.get("type") for name, schema in self.parameters.items() if isinstance(schema, Mapping)}
        numbers = {name for name, value in args.items() if kinds.get(name) == "string" and isinstance(value, int | float)}
        return {name: json.dumps(value) if name in numbers else value for name, value in args.items()}


def _default(schema: object) -> str:
    return f" = {schema['default']!r}" if isinstance(schema, Mapping) and "default" in schema else ""


def _value(text: str, schema: object) -> object:
    if isinstance(schema, Mapping) and schema.get("type") not in (None, "string"):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return unquoted(text)


def as_openai_tool(tool: Any) -> dict[str, Any]:
    """Return a tool in OpenAI's format; raise ``AgentSpecError`` if the provider runs it."""
    try:
        converted = convert_to_openai_tool(tool)
    except ValueError as error:
        raise AgentSpecError(_PROVIDER_TOOL.format(tool=tool)) from error
    if "function" not in converted:
        raise AgentSpecError(_PROVIDER_TOOL.format(tool=tool))
    return converted


def text_input(tool_args: Mapping[str, Any]) -> str:
    """Write arguments as an input, for calls that the model did not write as text."""
    match list(tool_args.values()):
        case [str() as text] if unquoted(text) == text and _one_object(text, whole_only=True) is None:
            return text
    return json.dumps(dict(tool_args), ensure_ascii=False, default=str)


def unquoted(text: str) -> str:
    """Return a text without the quotes around it, unless the same quotes also occur inside."""
    text = text.strip()
    if len(text) < 2 or text[0] != text[-1] or text[0] not in _QUOTES:  # noqa: PLR2004  # two quotes
        return text
    if text[0] == '"':
        with suppress(ValueError):
            return str(json.loads(text, strict=False))
    return text if text[0] in text[1:-1] else text[1:-1]


def _one_object(text: str, *, whole_only: bool) -> dict[str, object] | None:
    objects = [finding for finding in find_json(text) if isinstance(finding.data, dict)]
    if len(objects) != 1 or (whole_only and objects[0].origin != "whole"):
        return None
    data: dict[str, object] = objects[0].data
    return data


def _needs_schema(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return True
    nested = schema.get("type") == "object" or "$ref" in schema or "properties" in schema
    return nested or "description" in schema or ("items" in schema and _needs_schema(schema["items"]))


def _annotation(schema: object) -> str:
    if not isinstance(schema, Mapping):
        return "Any"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(map(repr, values))}]"
    if "anyOf" in schema:
        return " | ".join(_annotation(member) for member in schema["anyOf"])
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_annotation(schema['items'])}]" if "items" in schema else "list"
    return "dict" if kind == "object" else _TYPES.get(str(kind), "Any")

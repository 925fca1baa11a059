"""Reads a recorded request: the answer's schema, the real tools, and the strategy."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.models.tasks import TASKS

Way = Literal["native", "tool", "json_mode", "words", "react", "held"]

REAL_TOOLS = frozenset(
    {"get_weather", "add", "subtract", "multiply", "divide", "validate_calculation", "lookup_stock", "read_log"}
    | {"list_failed_cases", "read_case", "list_files", "read_lines", "search"}
    | {tool.__name__ for task in TASKS for tool in task.tools}
)
"""The tools of the recorded tasks that do something; any other tool of a request takes the answer."""

REACT_START = "Answer the following questions as best you can."


@dataclass(frozen=True)
class Asked:
    """What one request asked for."""

    way: Way
    schema: dict[str, Any] | None
    """A JSON Schema, with ``anyOf`` for several; ``None`` where the request does not show it."""
    tools: tuple[dict[str, Any], ...]
    """The functions of the real tools: ``name``, ``parameters``."""

    @property
    def members(self) -> dict[str, dict[str, Any]]:
        """The alternatives of the schema by name."""
        members = [self.schema] if self.schema and "anyOf" not in self.schema else (self.schema or {}).get("anyOf", [])
        return {member["title"]: member for member in members}


def asked_by(request: Mapping[str, Any]) -> Asked:
    functions = [tool["function"] for tool in request.get("tools", ())]
    tools = tuple(function for function in functions if function["name"] in REAL_TOOLS)
    answers = [_titled(each["parameters"], each["name"]) for each in functions if each["name"] not in REAL_TOOLS]
    form = request.get("response_format", {})
    if form.get("json_schema", {}).get("name") == "call":
        return _held(form["json_schema"]["schema"])
    if form.get("type") == "json_schema":
        return Asked("native", _titled(form["json_schema"]["schema"], form["json_schema"]["name"]), tools)
    if answers and not form:
        return Asked("tool", answers[0] if len(answers) == 1 else {"anyOf": answers}, tools)
    texts = prompt_texts(request)
    tools += tuple(_react_tools(texts[0]))
    schema = next((each for text in reversed(texts) for each in _schemas_in(text)), answers[0] if answers else None)
    if texts[0].startswith(REACT_START):
        return Asked("react", schema, tools)
    return Asked("json_mode" if form else "words", schema, tools)


def _held(schema: Mapping[str, Any]) -> Asked:
    """Return what a schema of calls and the answer asks for; it has no answer as long as a call comes first."""
    shared = {key: schema[key] for key in ("$defs",) if key in schema}
    pairs = [(each["properties"]["name"]["const"], each["properties"]["arguments"]) for each in schema["anyOf"]]
    answers = [{**shared, **arguments, "title": name} for name, arguments in pairs if name not in REAL_TOOLS]
    tools = tuple({"name": name, "parameters": arguments} for name, arguments in pairs if name in REAL_TOOLS)
    return Asked("held", answers[0] if len(answers) == 1 else {"anyOf": answers} if answers else None, tools)


def question_of(request: Mapping[str, Any]) -> str:
    """The task that a request belongs to: its first question, without what was put behind it."""
    text = prompt_texts(request)[0]
    question = text.rpartition("Begin!")[2].partition("Question:")[2] if text.startswith(REACT_START) else text
    return question.strip().partition("\n")[0]


def prompt_texts(request: Mapping[str, Any]) -> list[str]:
    """The texts that are not the model's: the completion's prompt, or the messages of system and user."""
    if "prompt" in request:
        prompt = request["prompt"]
        return [prompt if isinstance(prompt, str) else prompt[0]]
    texts = [str(message["content"]) for message in request["messages"] if message["role"] in {"user", "system"}]
    return sorted(texts, key=lambda text: text.startswith("\nAs a genius expert"))  # instructor's words come before the task


def json_values(text: str) -> Iterator[Any]:
    """Every outermost JSON object or array of a text, closed ones only."""
    decoder, position = json.JSONDecoder(), 0
    while found := re.compile(r"[{\[]").search(text, position):
        try:
            value, position = decoder.raw_decode(text, found.start())
        except ValueError:
            position = found.start() + 1
        else:
            yield value


def looks_like_schema(value: Any) -> bool:
    """Whether a value is a JSON Schema of an object: all its properties are described by objects."""
    properties = value.get("properties") if isinstance(value, dict) else None
    return isinstance(properties, dict) and bool(properties) and all(isinstance(each, dict) for each in properties.values())


def _react_tools(prompt: str) -> Iterator[dict[str, Any]]:
    """The real tools that a ReAct prompt lists, one ``name(argument: type) - description`` a line."""
    lines = prompt.partition("Use the following format:")[0].splitlines() if prompt.startswith(REACT_START) else []
    for name, _, rest in (line.partition("(") for line in lines):
        if name in REAL_TOOLS:
            names = re.findall(r"(\w+):", rest.partition(")")[0])
            yield {"name": name, "parameters": {"type": "object", "properties": {key: {} for key in names}, "required": names}}


def _schemas_in(text: str) -> Sequence[dict[str, Any]]:
    return [_titled(value, value.get("title", "value")) for value in json_values(text) if looks_like_schema(value)]


def _titled(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a schema under its name; the library's envelope of a union, in either of its forms, becomes the union."""
    shared = {key: schema[key] for key in ("$defs",) if key in schema}
    properties = schema.get("properties", {})
    if properties.keys() == {"schema", "value"}:
        tagged = zip(properties["schema"]["enum"], properties["value"]["anyOf"], strict=True)
        return {"anyOf": [{**shared, **member, "title": each} for each, member in tagged]}
    pairs = [each.get("properties", {}) for each in schema.get("anyOf", ())]
    if pairs and all(pair.keys() == {"schema", "value"} for pair in pairs):
        return {"anyOf": [{**shared, **pair["value"], "title": pair["schema"]["const"]} for pair in pairs]}
    return {**schema, "title": name}

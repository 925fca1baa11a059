"""What a run waits for, as forms of MCP: flat, of texts, numbers and choices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from answergraph.kit import FieldPath
from answergraph.serving.served_agent import JSON, Plain, as_text

KINDS: dict[object, frozenset[str]] = {
    "string": frozenset({"type", "title", "description", "default", "enum", "minLength", "maxLength"}),
    "number": (numbers := frozenset({"type", "title", "description", "default", "minimum", "maximum"})),
    "integer": numbers,
    "boolean": frozenset({"type", "title", "description", "default"}),
}
"""What a field of a form may say, by its type; the run checks all that its schema says besides."""


@dataclass(frozen=True)
class Form:
    """What a person is asked, and how what was entered goes on with the run."""

    message: str
    schema: JSON
    value: Callable[[Plain], object]
    """Takes what was entered."""


def forms_of(waiting: Plain) -> dict[str, Form]:
    """Return a form by the id of each call or question; none at all if one of them fits into no form."""
    forms = {call["id"]: _form_of_call(call) for call in waiting.get("pending", ())}
    forms |= {question["id"]: form for question in waiting.get("questions", ()) if (form := _form_of_question(question))}
    return forms if len(forms) == len(waiting.get("pending") or waiting["questions"]) else {}


def _form_of_call(call: Plain) -> Form:
    return _text_form(f"What is the result of {call['name']} {as_text(call['args'])}?", "result")


def _form_of_question(question: Plain) -> Form | None:
    value, schema = question["value"], question.get("schema")
    if isinstance(value, Mapping) and value.get("type") == "review_answer":
        return _form_of_review(value)
    if schema is None:  # nothing says which other value than a text the agent takes
        return _text_form(value, "decision") if isinstance(value, str) else None
    flat = _flat(schema, schema.get("$defs", {}))
    return Form(as_text(value), flat, dict) if flat else None


def _text_form(message: str, name: str) -> Form:
    schema: JSON = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    return Form(message, schema, lambda entered: entered.get(name, ""))


def _form_of_review(request: Plain) -> Form | None:
    """Return a form with the doubtful fields, filled with their values: what is changed is an edit, the rest is approved."""
    fields: dict[str, JSON] = {}
    for path, schema in request["schema"].items():
        field = _field({**schema, "default": _value_at(request["answer"], path)}, schema.get("$defs", {}))
        if field is None:
            return None
        fields[path] = {**field, "title": path, "description": request["fields"][path]["problem"] or ""}
    required = [path for path, choices in request["choices"].items() if choices["approve"]]
    form: JSON = {"type": "object", "properties": fields, "required": required}

    def decisions(entered: Plain) -> object:
        changed = {path: new for path, new in entered.items() if new != fields.get(path, {}).get("default")}
        edits = {path: {"type": "edit", "value": new} for path, new in changed.items()}
        return {"decisions": edits, "version": request["version"]}

    about = request.get("problem") or "These fields are in doubt. Correct what is wrong; the rest is approved."
    return Form(f"{about} {as_text(request['answer'])}", form, decisions)


def _flat(schema: Plain, definitions: Plain) -> JSON | None:
    """Return the schema of an object as that of a form; of several objects, such as decisions, those that have no parts."""
    if members := schema.get("oneOf") or schema.get("anyOf"):
        forms = [form for member in members if (form := _flat(_resolved(member, definitions), definitions))]
        return _joined(forms) if forms else None
    fields = {name: _field(field, definitions) for name, field in schema.get("properties", {}).items()}
    if not fields or None in fields.values():
        return None
    return {"type": "object", "properties": fields, "required": schema.get("required", [])}


def _joined(forms: Sequence[Plain]) -> JSON:
    """Return one form for several: its choices are those of all, and what each of them requires is required."""
    fields: dict[str, Plain] = {}
    for name, field in (pair for form in forms for pair in form["properties"].items()):
        choices = [*fields.get(name, {}).get("enum", ()), *field.get("enum", ())]
        fields[name] = {**field, "enum": choices} if choices else field
    required = [name for name in fields if all(name in form["required"] for form in forms)]
    return {"type": "object", "properties": fields, "required": required}


def _field(schema: Plain, definitions: Plain) -> JSON | None:
    """Return a field of a form, the first kind of value that is one; ``None`` for a value with parts."""
    own = _resolved(schema, definitions)
    for member in own.get("anyOf", [own]):
        whole = {**own, **_resolved(member, definitions)}
        whole |= {"enum": [whole["const"]]} if "const" in whole else {}
        if whole.get("type") in KINDS:
            return {key: whole[key] for key in KINDS[whole["type"]] & whole.keys() if whole[key] is not None}
    return None


def _resolved(schema: Plain, definitions: Plain) -> Plain:
    """Return what a schema refers to, with what it says itself."""
    return {**definitions.get(str(schema.get("$ref", "")).removeprefix("#/$defs/"), {}), **schema}


def _value_at(answer: object, path: str) -> object:
    try:
        return FieldPath(path).get(answer)
    except LookupError:
        return None

"""JSON Schemas in a normal form: merged ``allOf``, named references, at most one union, and current spellings of keywords.

The normal form is valid JSON Schema of 2020-12. It keeps the shape of values, the limits and the annotations. It leaves out the
keywords that test a value with another schema (``not``, ``if``, ``contains``); the full schema checks the answers.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from answergraph.json_schema.dialects import TYPES_OF_LIMITS, SchemaNotExpressible, inside
from answergraph.json_schema.merge import ANNOTATIONS, UNIONS, Node, is_scalar, merged, normalized

MAX_STEPS = 100_000
"""Maximum number of visited subschemas and of properties copied to merge them, together."""
MAX_SCHEMA_DEPTH = 50
"""Maximum depth of subschemas, safe for Python's stack."""
ROOT = "_root"
"""The name of the whole schema among the definitions."""
DEFINITIONS = "#/$defs/"
"""Prefix of every reference, before the name of a definition."""
_MAX_INDEX_DIGITS = 6
"""Maximum digits of a list index in a reference; Python reads longer numbers slowly."""

_CHANGES_REFERENCES = ("$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")
_KNOWN_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


class NormalForm:
    """The normal form of one schema; its definitions are made on demand."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._names: dict[str, str] = {"#": ROOT}
        self._pointers: dict[str, str] = {ROOT: "#"}
        self._open: set[str] = set()
        self._steps = 0
        self._takes_null: dict[int, bool] = {}
        self._depth = 0
        self.definitions: dict[str, Node] = {}
        self.root = self._root()

    def definition(self, name: str) -> Node:
        """Return a definition by its name; raise ``SchemaNotExpressible`` if there is none, or it would be merged with itself."""
        if name not in self.definitions:
            pointer = self._pointers[name]
            if name in self._open:
                raise SchemaNotExpressible(pointer, "it is merged with itself, without end")
            self._open.add(name)
            try:
                self.definitions[name] = self.node(self._target(pointer), pointer)
            finally:
                self._open.discard(name)
        return self.definitions[name]

    def resolve(self, node: Node) -> Node:
        """Return the node at the end of a chain of references; raise ``SchemaNotExpressible`` if it leads to itself."""
        seen: set[str] = set()
        while "$ref" in node:
            name = name_of(node)
            if name in seen:
                raise SchemaNotExpressible(self._pointers[name], "the reference leads to itself")
            seen.add(name)
            node = self.definition(name)
        return node

    def declared_type(self, node: Node) -> object:
        """Return the ``type`` that the target of a node's reference declares, without reading the rest."""
        target = self._target(self._pointers[name_of(node)])
        return target.get("type") if isinstance(target, Mapping) else None

    def takes_null(self, node: Node) -> bool:
        """Return whether a node allows null, judged by its types."""
        waiting, seen = [node], set[int]()
        while waiting:
            each = waiting.pop()
            known = self._takes_null.get(id(each))  # nodes are part of the form and live as long
            if known or (known is None and _names_null(each)):
                self._takes_null[id(node)] = True
                return True
            if known is None and id(each) not in seen:
                seen.add(id(each))
                waiting += [self.definition(name_of(each))] if "$ref" in each else []
                waiting += [member for union in UNIONS for member in each.get(union, ())]
        self._takes_null |= dict.fromkeys(seen, False)
        return False

    @contextmanager
    def nested(self, path: str, steps: int = 1) -> Iterator[None]:
        """Count some steps, and one level of depth within the context; raise ``SchemaNotExpressible`` if there are too many."""
        self._steps += steps
        self._depth += 1
        try:
            if self._steps > MAX_STEPS:
                raise SchemaNotExpressible(path, f"the schema has more than {MAX_STEPS} subschemas, or grows to them when merged")
            if self._depth > MAX_SCHEMA_DEPTH:
                raise SchemaNotExpressible(path, f"nested deeper than {MAX_SCHEMA_DEPTH} levels")
            yield
        finally:
            self._depth -= 1

    def _root(self) -> Node:
        self._open.add(ROOT)
        root = self.node(self._document, "#")
        self._open.discard(ROOT)
        if "$ref" in root:
            annotations = {key: value for key, value in root.items() if key != "$ref"}
            root = {**self.resolve(root), **annotations}
        self.definitions[ROOT] = root
        return root

    def node(self, schema: object, path: str) -> Node:
        with self.nested(path):
            return _node_of(schema, path, self)

    def reference(self, pointer: str) -> str:
        """Return a reference as the normal form writes it; raise ``SchemaNotExpressible`` if it leads nowhere."""
        self._target(pointer)
        return DEFINITIONS + self._name(pointer)

    def _target(self, pointer: str) -> object:
        try:
            return target_of(pointer, self._document)
        except LookupError as error:
            raise SchemaNotExpressible(pointer, "the reference has no target") from error

    def _name(self, pointer: str) -> str:
        if pointer not in self._names:
            stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", pointer.rsplit("/", 1)[-1]) or "definition"
            name = free_name(stem, self._pointers)
            self._names[pointer], self._pointers[name] = name, pointer
        return self._names[pointer]


def target_of(reference: str, document: Mapping[str, object]) -> Any:
    """Return the target of a reference within a document; raise ``LookupError`` if there is none."""
    root, *tokens = reference.split("/")
    target: Any = {"#": document}[root]
    for token in tokens:
        key = unquote(token).replace("~1", "/").replace("~0", "~")
        is_index = isinstance(target, list) and key.isdecimal() and len(key) <= _MAX_INDEX_DIGITS
        if not is_index and not isinstance(target, Mapping):
            raise LookupError(reference)
        target = target[int(key) if is_index else key]
    return target


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, with a number at its end if necessary."""
    candidates = (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(free for free in candidates if free not in taken)


def name_of(node: Node) -> str:
    return str(node["$ref"]).removeprefix(DEFINITIONS)


def _names_null(node: Node) -> bool:
    return node.keys().isdisjoint({"$ref", *UNIONS}) and "null" in node.get("type", ("null",))


def _node_of(schema: object, path: str, form: NormalForm) -> Node:
    """Return a schema in normal form; raise ``SchemaNotExpressible`` if it is invalid or no dialect can express it."""
    if schema is True:
        return {}
    if not isinstance(schema, Mapping):
        raise SchemaNotExpressible(path, "nothing is allowed here" if schema is False else "this is not a schema")
    _refuse_unreadable(schema, path)
    node = normalized(_own(schema, path, form), form, path)
    for index, part in enumerate(_list(schema, "allOf", path)):
        inner = inside(path, "allOf", index)
        node = merged(node, form.node(part, inner), form, inner)
    return node


def _refuse_unreadable(schema: Mapping[str, object], path: str) -> None:
    for keyword in _CHANGES_REFERENCES:
        if isinstance(schema.get(keyword), str | bool) and (path != "#" or keyword not in {"$id", "id"}):
            raise SchemaNotExpressible(path, f"{keyword!r} changes what a reference means")
    if schema.get("patternProperties"):
        raise SchemaNotExpressible(path, "the names of properties are open ('patternProperties')")


def _own(schema: Mapping[str, object], path: str, form: NormalForm) -> Node:
    node = {key: schema[key] for key in (*ANNOTATIONS, *TYPES_OF_LIMITS) if key in schema}
    for keyword, read in _READERS.items():
        if keyword in schema:
            read(node, schema, path, form)
    for union in UNIONS:
        if union in schema:
            parts = _list(schema, union, path)
            if not parts:
                raise SchemaNotExpressible(path, f"{union!r} has no members")
            node[union] = [form.node(part, inside(path, union, index)) for index, part in enumerate(parts)]
    return node


def _reference(node: Node, schema: Mapping[str, Any], path: str, form: NormalForm) -> None:
    pointer = schema["$ref"]
    if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
        raise SchemaNotExpressible(path, "only references into the schema itself are followed, such as '#/$defs/Name'")
    node["$ref"] = form.reference(pointer)


def _type(node: Node, schema: Mapping[str, object], path: str, _: NormalForm) -> None:
    declared = schema["type"]
    types = [declared] if isinstance(declared, str) else declared
    if not isinstance(types, list) or not types or not all(isinstance(each, str) and each in _KNOWN_TYPES for each in types):
        raise SchemaNotExpressible(path, "'type' is not a JSON type")
    node["type"] = [each for each in dict.fromkeys(types) if each != "integer" or "number" not in types]


def _required(node: Node, schema: Mapping[str, object], path: str, _: NormalForm) -> None:
    names = schema["required"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SchemaNotExpressible(path, "'required' is not a list of names")
    node["required"] = list(dict.fromkeys(names))


def _enum(node: Node, schema: Mapping[str, object], path: str, _: NormalForm) -> None:
    values = [schema["const"]] if "const" in schema else schema["enum"]
    if not isinstance(values, list) or not values or not all(map(is_scalar, values)):
        raise SchemaNotExpressible(path, "values of 'enum' and 'const' are strings, numbers, booleans or null")
    node["enum"] = values


def _properties(node: Node, schema: Mapping[str, object], path: str, form: NormalForm) -> None:
    declared = schema["properties"]
    if not isinstance(declared, Mapping) or not all(isinstance(name, str) for name in declared):
        raise SchemaNotExpressible(path, "'properties' is not an object")
    node["properties"] = {name: form.node(inner, inside(path, "properties", name)) for name, inner in declared.items()}


def _additional(node: Node, schema: Mapping[str, object], path: str, form: NormalForm) -> None:
    additional = schema["additionalProperties"]
    known = isinstance(additional, bool)
    node["additionalProperties"] = additional if known else form.node(additional, inside(path, "additionalProperties"))


def _items(node: Node, schema: Mapping[str, object], path: str, form: NormalForm) -> None:
    # Before 2020-12, the items of a tuple were a list under 'items', and the schema of further items was under 'additionalItems'.
    older = isinstance(schema.get("items"), list)
    prefix, rest = ("items", "additionalItems") if older else ("prefixItems", "items")
    if prefix in schema:
        parts = _list(schema, prefix, path)
        node["prefixItems"] = [form.node(part, inside(path, prefix, index)) for index, part in enumerate(parts)]
    if rest in schema:
        node["items"] = False if schema[rest] is False else form.node(schema[rest], inside(path, rest))


def _list(schema: Mapping[str, object], keyword: str, path: str) -> list[object]:
    parts = schema.get(keyword, [])
    if not isinstance(parts, list):
        raise SchemaNotExpressible(path, f"{keyword!r} is not a list")
    return parts


_READERS: dict[str, Callable[[Node, Mapping[str, Any], str, NormalForm], None]] = {
    "$ref": _reference,
    "type": _type,
    "enum": _enum,
    "const": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "prefixItems": _items,
    "items": _items,
}

"""Compiles a JSON Schema to the dialect of a provider, and restores the answers.

Native modes enforce a schema, but each accepts only a part of JSON Schema (see ``dialects``). Dropping keywords only widens the
schema, with one exception: objects and tuples that do not say whether they are open become closed. Answers are checked against
the full schema.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from answergraph.json_schema.dialects import RULES, Dialect
from answergraph.json_schema.emission import Emission
from answergraph.json_schema.merge import UNIONS, Node, is_scalar
from answergraph.json_schema.normal_form import NormalForm

MAX_ANSWER_DEPTH = 100
"""Deeper parts of an answer are left unchanged."""

_ANYTHING: Node = {}


class _Restoration:
    """The restoration of one answer; caches the results per node, so that nested unions do not multiply the work."""

    def __init__(self, form: NormalForm, validators: dict[int, Any]) -> None:
        self._form = form
        self._validators = validators
        self._seen: dict[tuple[int, int], object] = {}

    def node(self, node: Node, data: Any, depth: int) -> Any:
        if depth == 0 or not isinstance(data, dict | list):
            return data
        key = (id(node), id(data))
        if key not in self._seen:
            self._seen[key] = data
            self._seen[key] = self._restored(self._form.resolve(node), data, depth - 1)
        return self._seen[key]

    def _restored(self, node: Node, data: Any, depth: int) -> object:
        for union in UNIONS:
            if union in node:
                return self._of_union(node, node[union], data, depth)
        if isinstance(data, dict):
            return self._object(node, data, depth)
        return self._array(node, data, depth)

    def _of_union(self, node: Node, members: list[Node], data: object, depth: int) -> object:
        possible = [each for each in members if _is_meant(self._form.resolve(each), data)]
        candidates = [self.node(each, data, depth) for each in possible]
        if len(candidates) == 1:
            return candidates[0]
        fitting = (each for each in candidates if self._fits(node, each))
        return next(fitting, candidates[0] if candidates else data)

    def _object(self, node: Node, data: dict[Any, Any], depth: int) -> object:
        properties: Mapping[str, Node] = node.get("properties", {})
        required = node.get("required", ())
        kept = {}
        for name, value in data.items():
            inner = properties.get(name)
            if value is None and inner is not None and name not in required and not self._form.takes_null(inner):
                continue
            kept[name] = value if inner is None else self.node(inner, value, depth)
        same = len(kept) == len(data) and all(kept[name] is value for name, value in data.items())
        return data if same else kept

    def _array(self, node: Node, data: list[object], depth: int) -> object:
        prefix = node.get("prefixItems", [])
        rest = node.get("items")
        nodes = [*prefix[: len(data)], *([rest or _ANYTHING] * (len(data) - len(prefix)))]
        kept = [self.node(each, value, depth) for each, value in zip(nodes, data, strict=True)]
        return data if all(new is old for new, old in zip(kept, data, strict=True)) else kept

    def _fits(self, node: Node, data: Any) -> bool:
        if id(node) not in self._validators:
            self._validators[id(node)] = self._validator(node)
        validator = self._validators[id(node)]
        try:
            return validator is None or bool(validator.is_valid(data))
        except ValueError:  # the validator's own limit of depth
            return False

    def _validator(self, node: Node) -> Any:
        import jsonschema_rs  # noqa: PLC0415 - takes a twentieth of the import, and few answers need it

        try:
            # This regex engine is linear for every pattern.
            options = jsonschema_rs.RegexOptions()
            return jsonschema_rs.Draft202012Validator({**node, "$defs": self._form.definitions}, pattern_options=options)
        except ValueError:
            return None


def _is_meant(node: Node, data: Any) -> bool:
    """Return whether data may belong to a member of a union, judged by property names and fixed values."""
    if any(union in node for union in UNIONS):
        return True
    if ("object" if isinstance(data, dict) else "array") not in node.get("type", ("object", "array")):
        return False
    if isinstance(data, list):
        return True
    properties = node.get("properties", {})
    return data.keys() <= properties.keys() and all(_is_value(properties[name], value) for name, value in data.items())


def _is_value(node: Node, value: Any) -> bool:
    if "enum" not in node or value is None:
        return True
    return is_scalar(value) and any(isinstance(each, bool) is isinstance(value, bool) and each == value for each in node["enum"])


@dataclass(frozen=True)
class WireSchema:
    """A schema in a provider's form."""

    schema: dict[str, Any]
    dialect: Dialect
    _form: NormalForm | None = field(default=None, repr=False, compare=False)
    """The normal form of the full schema, if answers are to be restored."""
    _validators: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    def restore(self, data: object) -> Any:
        """Return an answer without the nulls that only the compiled schema required; the data itself is not changed.

        These are nulls of properties that are optional in the full schema and do not accept null. In a union, the first member
        that validates is used, else the first one whose property names match.
        """
        if self._form is None:
            return data
        return _Restoration(self._form, self._validators).node(self._form.root, data, MAX_ANSWER_DEPTH)


def wire_schema(schema: Mapping[str, object], dialect: Dialect) -> WireSchema:
    """Compile a JSON Schema of any draft to a dialect; raise ``SchemaNotExpressible`` if that is impossible."""
    if dialect is Dialect.PLAIN:
        return WireSchema(dict(schema), dialect)
    rules = RULES[dialect]
    form = NormalForm(schema)
    document = Emission(form, rules).document()
    return WireSchema(document, dialect, form if rules.requires_all else None)

"""Writes a JSON Schema in normal form in a provider's dialect."""

import json
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from answergraph.json_schema.dialect_sizes import Budget, Edge, refuse_recursion
from answergraph.json_schema.dialects import DialectRules, SchemaNotExpressible, inside
from answergraph.json_schema.merge import ANNOTATIONS, UNIONS, Node, is_of
from answergraph.json_schema.normal_form import DEFINITIONS, ROOT, NormalForm, name_of
from answergraph.json_schema.value_limits import MAX_HINT_CHARACTERS, Hinted, described, hints_for, limits_of

_NULL = {"type": "null"}
_CONTAINERS = frozenset({"object", "array"})


@dataclass(frozen=True)
class _Scope:
    """Where a node is in the schema."""

    path: str
    definition: str  # the name of the definition it is part of
    level: int = 0
    """How many objects of the definition enclose it."""
    stepped: bool = False
    """Whether a property or an item lies between it and the definition."""
    optional: bool = False
    """Whether an optional property lies between it and the definition."""

    def inside(self, *steps: str | int) -> "_Scope":
        return replace(self, path=inside(self.path, *steps))


class Emission:
    """Writes one schema by the rules of a dialect."""

    def __init__(self, form: NormalForm, rules: DialectRules) -> None:
        self._form = form
        self._rules = rules
        self._budget = Budget(rules)
        self._edges: list[Edge] = []
        self._waiting: deque[str] = deque()
        self._known = {ROOT}

    def document(self) -> dict[str, Any]:
        """Return the schema in the dialect; raise ``SchemaNotExpressible`` if that is impossible."""
        root = self._node(self._form.root, _Scope("#", ROOT))
        if self._rules.object_root and root.get("type") != "object":
            raise SchemaNotExpressible("#", "the top level must be an object, not a union or a list; put it under a property")
        definitions = {}
        while self._waiting:
            name = self._waiting.popleft()
            definitions[name] = self._node(self._form.definition(name), _Scope(f"{DEFINITIONS}{name}", name))
        refuse_recursion(self._edges, self._rules)
        return {**root, "$defs": definitions} if definitions else root

    def _node(self, node: Node, scope: _Scope, *, or_null: bool = False) -> dict[str, object]:
        with self._form.nested(scope.path):
            if "$ref" in node:
                return self._reference(node, scope, or_null=or_null)
            for union in UNIONS:
                if union in node:
                    members = [self._node(each, scope.inside(union, index)) for index, each in enumerate(node[union])]
                    return self._union(node, [*members, _NULL] if or_null else members, scope)
            if "type" in node:
                return self._typed(node, scope, or_null=or_null)
            if not self._rules.takes_anything:
                raise SchemaNotExpressible(scope.path, "anything is allowed here; give it a 'type'")
            return described({}, node, hints_for(node, ("default",)))

    def _reference(self, node: Node, scope: _Scope, *, or_null: bool) -> dict[str, Any]:
        name = name_of(node)
        self._edges.append(Edge(scope.definition, name, stepped=scope.stepped, optional=scope.optional))
        if name not in self._known:
            self._known.add(name)
            self._waiting.append(name)
            self._budget.spend("characters", len(name), scope.path)
        reference = {"$ref": "#" if name == ROOT else DEFINITIONS + name}
        if or_null or (self._rules.describes_refs and "description" in described({}, node, hints_for(node))):
            return self._union(node, [reference, _NULL] if or_null else [reference], scope)
        return reference

    def _union(self, node: Node, members: list[dict[str, Any]], scope: _Scope) -> dict[str, object]:
        self._budget.spend("unions", 1, scope.path)
        return {**described({}, node, hints_for(node)), "anyOf": members}

    def _typed(self, node: Node, scope: _Scope, *, or_null: bool) -> dict[str, object]:
        types = [name for name in node["type"] if name != "null"]
        null = or_null or len(types) < len(node["type"])
        if not types:
            return described(dict(_NULL), node, ())
        typed = [self._of_type(node, name, scope) for name in types]
        outside = {key: node[key] for key in ANNOTATIONS if key in node}
        if len(types) == 1 and not null:
            return described(typed[0].schema, outside, (*typed[0].hints, *hints_for(outside)))
        if len(types) == 1 and self._takes_null_beside(typed[0].schema):
            self._budget.spend("unions", 1, scope.path)
            self._budget.spend("enum_values", int("enum" in typed[0].schema), scope.path)
            return described(_or_null(typed[0].schema), outside, (*typed[0].hints, *hints_for(outside)))
        members = [described(each.schema, {}, each.hints) for each in typed]
        return self._union(outside, [*members, _NULL] if null else members, scope)

    def _takes_null_beside(self, schema: dict[str, object]) -> bool:
        return schema["type"] not in _CONTAINERS and ("enum" not in schema or self._rules.takes_other_enums)

    def _of_type(self, node: Node, name: str, scope: _Scope) -> Hinted:
        if "enum" in node:
            return self._enum(node["enum"], name, scope)
        limits, hints = limits_of(node, name, self._rules)
        if name == "object":
            return Hinted({"type": name, **self._object(node, scope), **limits}, hints)
        if name == "array":
            items = self._items(node, scope)
            return Hinted({"type": name, **items.schema, **limits}, (*items.hints, *hints))
        return Hinted({"type": name, **limits}, hints)

    def _enum(self, allowed: list[object], name: str, scope: _Scope) -> Hinted:
        values = [value for value in allowed if is_of(value, {name})]
        self._budget.spend("enum_values", len(values), scope.path)
        self._budget.spend_enum([value for value in values if isinstance(value, str)], scope.path)
        if name == "boolean" and not self._rules.takes_other_enums:
            return Hinted({"type": name}, () if len(values) > 1 else hints_for({"enum": values}))
        return Hinted({"type": name, "enum": values}, ())

    def _object(self, node: Node, scope: _Scope) -> dict[str, object]:
        properties = node.get("properties", {})
        additional = node.get("additionalProperties")
        required = [name for name in node.get("required", ()) if name in properties]
        if self._rules.closes_objects:
            self._refuse_open(node, scope)
            additional = False
        elif isinstance(additional, dict):
            additional = self._node(additional, replace(scope.inside("additionalProperties"), stepped=True))
        self._budget.refuse_level(scope.level + 1, scope.path)
        optional = properties.keys() - set(required)
        bodies = {name: self._property(name, each, scope, optional=name in optional) for name, each in properties.items()}
        names = list(properties) if self._rules.requires_all else required
        return {
            **({"properties": bodies} if bodies or self._rules.closes_objects else {}),
            **({"required": names} if names or self._rules.requires_all else {}),
            **({} if additional is None else {"additionalProperties": additional}),
        }

    def _refuse_open(self, node: Node, scope: _Scope) -> None:
        if node.get("additionalProperties", "properties" not in node) is not False:
            reason = "the names of properties are open; declare them under 'properties', and 'additionalProperties': false"
            raise SchemaNotExpressible(scope.path, reason)
        undeclared = [name for name in node.get("required", ()) if name not in node.get("properties", {})]
        if undeclared:
            raise SchemaNotExpressible(scope.path, f"the property {undeclared[0]!r} is required and not declared")

    def _property(self, name: str, node: Node, scope: _Scope, *, optional: bool) -> dict[str, object]:
        inner = scope.inside("properties", name)
        inner = replace(inner, level=scope.level + 1, stepped=True, optional=scope.optional or optional)
        self._budget.spend("properties", 1, inner.path)
        self._budget.spend("characters", len(name), inner.path)
        self._budget.spend("optional", int(optional), inner.path)
        return self._node(node, inner, or_null=optional and self._rules.requires_all and not self._form.takes_null(node))

    def _items(self, node: Node, scope: _Scope) -> Hinted:
        rest = node.get("items")
        prefix = node.get("prefixItems", [])
        inner = replace(scope.inside("items"), stepped=True)
        if not prefix:
            if rest is None and self._rules.takes_anything:
                return Hinted({}, ())
            if not isinstance(rest, dict):
                raise SchemaNotExpressible(scope.path, "the array's items are anything or nothing; give it 'items' with a 'type'")
            return Hinted({"items": self._node(rest, inner)}, ())
        members = [self._node(each, replace(inner, path=inside(scope.path, "prefixItems", at))) for at, each in enumerate(prefix)]
        after = [self._node(rest, inner)] if isinstance(rest, dict) else []
        if self._rules.takes_prefix_items:
            return Hinted({"prefixItems": members, **({"items": after[0]} if after else {})}, ())
        different = list({json.dumps(each): each for each in (*members, *after)}.values())
        if len(different) == 1:
            return Hinted({"items": different[0]}, ())
        self._budget.spend("unions", 1, scope.path)
        order = ", ".join(map(_label, prefix))
        hints = (f"items in this order: {order}",) if len(order) <= MAX_HINT_CHARACTERS else ()
        return Hinted({"items": {"anyOf": different}}, hints)


def _or_null(schema: dict[str, Any]) -> dict[str, object]:
    widened = {**schema, "type": [schema["type"], "null"]}
    return {**widened, "enum": [*schema["enum"], None]} if "enum" in schema else widened


def _label(node: Node) -> str:
    return name_of(node) if "$ref" in node else str(node.get("title") or "/".join(node.get("type", ("one of several",))))

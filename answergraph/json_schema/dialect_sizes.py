"""Checks a dialect's limits on size and recursion."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from math import inf

from answergraph.json_schema.dialects import (
    LONG_ENUM_VALUES,
    MAX_LONG_ENUM_CHARACTERS,
    Counted,
    DialectRules,
    SchemaNotExpressible,
)


class Budget:
    """Counts the parts of a schema against the maxima of a dialect."""

    def __init__(self, rules: DialectRules) -> None:
        self._maxima = rules.maxima
        self._spent: Counter[str] = Counter()

    def spend(self, what: Counted, amount: int, path: str) -> None:
        """Count an amount of one kind; raise ``SchemaNotExpressible`` if the total exceeds the dialect's maximum."""
        self._spent[what] += amount
        if self._spent[what] > self._maxima.get(what, inf):
            raise SchemaNotExpressible(path, f"the schema has more than {self._maxima[what]} {_WORDS[what]}")

    def spend_enum(self, values: Sequence[str], path: str) -> None:
        """Count the characters of the strings in one ``enum``; raise ``SchemaNotExpressible`` if there are too many."""
        characters = sum(map(len, values))
        self.spend("characters", characters, path)
        is_long = "enum_values" in self._maxima and len(values) > LONG_ENUM_VALUES
        if is_long and characters > MAX_LONG_ENUM_CHARACTERS:
            reason = f"an 'enum' of more than {LONG_ENUM_VALUES} values has over {MAX_LONG_ENUM_CHARACTERS} characters"
            raise SchemaNotExpressible(path, reason)

    def refuse_level(self, level: int, path: str) -> None:
        """Raise ``SchemaNotExpressible`` if objects are nested deeper than the dialect allows."""
        if level > self._maxima.get("object_depth", inf):
            raise SchemaNotExpressible(path, f"objects are nested deeper than {self._maxima['object_depth']} levels")


_WORDS: dict[Counted, str] = {
    "properties": "properties",
    "characters": "characters in names and in values of 'enum'",
    "enum_values": "values of 'enum'",
    "optional": "optional properties",
    "unions": "unions ('anyOf' and lists of types)",
}


@dataclass(frozen=True)
class Edge:
    """A reference from one definition to another, by their names."""

    source: str
    target: str
    stepped: bool  # whether it is below a property or an item
    optional: bool  # whether it is below an optional property


def refuse_recursion(edges: Sequence[Edge], rules: DialectRules) -> None:
    """Raise ``SchemaNotExpressible`` for unsupported recursion, or a cycle without a property or item."""
    endless = in_circle(edge for edge in edges if not edge.stepped)
    if endless:
        raise SchemaNotExpressible(f"#/$defs/{endless}", "the definition refers to itself without a property or an item between")
    if rules.recursion == "never" and (name := in_circle(edges)):
        raise SchemaNotExpressible(f"#/$defs/{name}", "the definition is recursive, which is not supported")
    if rules.recursion == "optional" and (name := in_circle(edge for edge in edges if not edge.optional)):
        reason = "the definition is recursive through required properties only; make one of them optional"
        raise SchemaNotExpressible(f"#/$defs/{name}", reason)


def in_circle(edges: Iterable[Edge]) -> str:
    """Return the name of a definition that is part of a cycle, or an empty string."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for edge in edges:
        sorter.add(edge.source, edge.target)
    try:
        sorter.prepare()
    except CycleError as error:
        return str(error.args[1][0])
    return ""

"""The sizes that a dialect sets to a schema, and where it may lead back to itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answergraph.response_format.wire.dialect_rules import LONG_ENUM, LONG_ENUM_CHARACTERS, Rules
from answergraph.response_format.wire.dialects import SchemaNotExpressible


class Budget:
    """Counts what a dialect sets a limit to."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._most = {
            "properties": rules.most_properties,
            "characters": rules.most_characters,
            "enum_values": rules.most_enum_values,
            "optional": rules.most_optional,
            "unions": rules.most_unions,
        }
        self._spent: Counter[str] = Counter()

    def spend(self, what: str, amount: int, path: str) -> None:
        """Count some of it.

        Raises:
            SchemaNotExpressible: If it is more than the dialect takes.
        """
        self._spent[what] += amount
        most = self._most[what]
        if most is not None and self._spent[what] > most:
            raise SchemaNotExpressible(path, f"the schema has more than {most} {_WORDS[what]}")

    def spend_enum(self, values: Sequence[str], path: str) -> None:
        """Count the characters of the strings of one enum.

        Raises:
            SchemaNotExpressible: If there are more than the dialect takes.
        """
        characters = sum(map(len, values))
        self.spend("characters", characters, path)
        limited = self._rules.most_enum_values is not None and len(values) > LONG_ENUM
        if limited and characters > LONG_ENUM_CHARACTERS:
            raise SchemaNotExpressible(
                path, f"an 'enum' of more than {LONG_ENUM} values has over {LONG_ENUM_CHARACTERS} characters"
            )

    def refuse_level(self, level: int, path: str) -> None:
        """Look at how many objects lie in each other.

        Raises:
            SchemaNotExpressible: If there are more than the dialect takes.
        """
        if self._rules.most_levels is not None and level > self._rules.most_levels:
            raise SchemaNotExpressible(path, f"objects are nested deeper than {self._rules.most_levels} levels")


_WORDS = {
    "properties": "properties",
    "characters": "characters in names and in values of 'enum'",
    "enum_values": "values of 'enum'",
    "optional": "optional properties",
    "unions": "unions ('anyOf' and lists of types)",
}


@dataclass(frozen=True)
class Edge:
    """A reference from one definition to another."""

    source: str
    """The name of the definition it stands in."""
    target: str
    """The name of the one it leads to."""
    stepped: bool
    """It stands under a property or an item."""
    optional: bool
    """It stands under a property that may be left out."""


def refuse_recursion(edges: Sequence[Edge], rules: Rules) -> None:
    """Look for references that lead back where the dialect does not take it.

    Raises:
        SchemaNotExpressible: If there are, or if references lead back without a property or an item between.
    """
    endless = in_circle(edge for edge in edges if not edge.stepped)
    if endless:
        raise SchemaNotExpressible(
            f"#/$defs/{endless}", "the definition is made of itself, without a property or an item between"
        )
    if rules.recursion == "never" and (name := in_circle(edges)):
        raise SchemaNotExpressible(f"#/$defs/{name}", "the definition contains itself, and recursion is not taken")
    if rules.recursion == "optional" and (name := in_circle(edge for edge in edges if not edge.optional)):
        reason = "the definition contains itself by properties that are all required; one of them has to be optional"
        raise SchemaNotExpressible(f"#/$defs/{name}", reason)


def in_circle(edges: Iterable[Edge]) -> str:
    """Return the name of a definition from which references lead round without end, or an empty string."""
    targets: dict[str, list[str]] = {}
    for edge in edges:
        targets.setdefault(edge.source, []).append(edge.target)
        targets.setdefault(edge.target, [])
    pointed_at = Counter(target for each in targets.values() for target in each)
    ends = [name for name in targets if not pointed_at[name]]
    while ends:
        for target in targets.pop(ends.pop()):
            pointed_at[target] -= 1
            if not pointed_at[target]:
                ends.append(target)
    return next(iter(targets), "")

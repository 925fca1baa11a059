"""The one compiler from a JSON Schema to what a provider takes on the wire, and the way back.

Native modes hold a model to a schema, and each takes a part of JSON Schema only (see ``dialects``). What is compiled away
makes the schema wider, never narrower, but that objects and tuples that did not say whether they are open are closed. What comes
back is checked against the full schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from answergraph.response_format.wire.dialect_rules import RULES
from answergraph.response_format.wire.dialects import Dialect, SchemaNotExpressible
from answergraph.response_format.wire.emission import Emission
from answergraph.response_format.wire.normal_form import NormalForm
from answergraph.response_format.wire.restoration import Restoration

__all__ = ["Dialect", "SchemaNotExpressible", "WireSchema", "compile_schema", "wire_schema"]


@dataclass(frozen=True)
class WireSchema:
    """A schema as it goes to a provider."""

    schema: dict[str, Any]
    """What is sent."""
    dialect: Dialect
    """What it was compiled to."""
    _restoration: Restoration | None = field(default=None, repr=False, compare=False)

    def restore(self, data: Any) -> Any:
        """Return what the model sent without the nulls that compiling brought in.

        Those are the nulls of properties that are optional in the full schema and do not take null there. In a union it is the
        first member that counts by which the rest fits; where none does, the one whose properties are nearest. The data is not
        changed; what has nothing to restore is returned as it is.
        """
        return data if self._restoration is None else self._restoration.restored(data)


def wire_schema(schema: Mapping[str, Any], dialect: Dialect) -> WireSchema:
    """Return a JSON Schema compiled to a dialect.

    Raises:
        SchemaNotExpressible: If the dialect cannot say it.
    """
    if dialect is Dialect.PLAIN:
        return WireSchema(dict(schema), dialect)
    rules = RULES[dialect]
    form = NormalForm(schema)
    document = Emission(form, rules).document()
    return WireSchema(document, dialect, Restoration(form) if rules.requires_all else None)


def compile_schema(schema: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a JSON Schema in a dialect; :func:`wire_schema` gives the way back as well.

    Raises:
        SchemaNotExpressible: If the dialect cannot say it.

    Example:
        >>> compile_schema({"type": "object", "properties": {"a": {"type": "string"}}}, Dialect.OPENAI_STRICT)["required"]
        ['a']
    """
    return wire_schema(schema, dialect).schema

"""Compiles a JSON Schema to the dialect of a provider, and restores the answers.

Native modes hold a model to a schema, and each takes only a part of JSON Schema (see ``dialects``). Dropping keywords only widens
the schema, with one exception: objects and tuples that do not say whether they are open become closed. Answers are checked
against the full schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from answergraph.response_format.wire.dialect_rules import RULES
from answergraph.response_format.wire.dialects import Dialect
from answergraph.response_format.wire.emission import Emission
from answergraph.response_format.wire.normal_form import NormalForm
from answergraph.response_format.wire.restoration import Restoration


@dataclass(frozen=True)
class WireSchema:
    """A schema in a provider's form."""

    schema: dict[str, Any]
    dialect: Dialect
    _restoration: Restoration | None = field(default=None, repr=False, compare=False)

    def restore(self, data: Any) -> Any:
        """Return an answer without the nulls that only the compiled schema asked for; the data itself is not changed.

        These are nulls of properties that are optional in the full schema and do not accept null. In a union, the first member
        that validates is used, else the first one whose property names match.
        """
        return data if self._restoration is None else self._restoration.restored(data)


def wire_schema(schema: Mapping[str, Any], dialect: Dialect) -> WireSchema:
    """Compile a JSON Schema of any draft to a dialect; ``PLAIN`` takes it unchanged.

    Raises:
        SchemaNotExpressible: If the dialect cannot express it.
    """
    if dialect is Dialect.PLAIN:
        return WireSchema(dict(schema), dialect)
    rules = RULES[dialect]
    form = NormalForm(schema)
    document = Emission(form, rules).document()
    return WireSchema(document, dialect, Restoration(form) if rules.requires_all else None)

"""Compiles a schema for tests of the schema on the wire only."""

from collections.abc import Mapping
from typing import Any

from answergraph.json_schema.dialects import Dialect
from answergraph.json_schema.wire_schema import wire_schema


def compile_schema(schema: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    return wire_schema(schema, dialect).schema

"""What the records of fields say, in short."""

from typing import Any

from answergraph.state.field_record import Fields, spans_of


def places(fields: Fields) -> dict[str, list[Any]]:
    """Return per supported field the id of its source, and start and end of each marked place."""
    found = {path: record["evidence"][0] for path, record in fields.items() if record["evidence"]}
    return {path: [each["source"]["id"], *(end for span in spans_of(each) for end in span)] for path, each in found.items()}


def problems(fields: Fields) -> dict[str, str]:
    """Return what is wrong, per field."""
    return {path: record["problem"] for path, record in fields.items() if record["problem"] is not None}

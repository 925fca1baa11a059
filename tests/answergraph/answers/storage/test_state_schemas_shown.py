"""How a JSON Schema is shown inside another one."""

import pytest

from answergraph.answers.storage.state_schemas import inlined

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"items": {"$ref": "#/definitions/a~1b"}, "definitions": {"a/b": TEXT}}, {"items": TEXT}),
        ({"anyOf": [{"$ref": "#/$defs/A", "title": "An a"}], "$defs": {"A": TEXT}}, {"anyOf": [{**TEXT, "title": "An a"}]}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}}, {"items": {}}),
        ({"items": {"$ref": "#/$defs/Missing"}}, {"items": {}}),
        ({"properties": {"definitions": TEXT, "$ref": TEXT}}, {"properties": {"definitions": TEXT, "$ref": TEXT}}),
        ({"default": {"$ref": "a.txt"}}, {"default": {"$ref": "a.txt"}}),
    ],
    ids=["escaped", "with a title", "of itself", "to nothing", "names of fields", "data"],
)
def test_references_are_replaced_by_what_they_lead_to(schema: object, shown: object) -> None:
    assert isinstance(schema, dict)
    assert inlined(schema) == shown

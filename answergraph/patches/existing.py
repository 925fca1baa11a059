"""A previous answer in the input of an agent: the model is asked for what changes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from typing import Any

from langchain_core.messages import HumanMessage
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.item_keys import Key, keys_of
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.patches.changes import json_path_in
from answergraph.patches.keyed_items import paired
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.field_path import FieldPath
from answergraph.state.field_record import FieldRecord, is_backed
from answergraph.state.ledger import EXISTING, Existing, RepairMode

BRING_UP_TO_DATE = "The answer so far:\n{answer}\nBring it up to date with this conversation. {how}"
AS_PATCH = (
    'Give only what changes, as {"changes": [{"path": "items[3].price", "value": …}]}, and an empty list if nothing does; '
    "all else stands."
)
OF_ITEMS = " An item of {path} is named by its {key}: {path}['…'] changes it, or adds one with all its fields; {deletion}."
AS_WHOLE = "Give the whole answer again, changed where need be."


def with_existing(input: Mapping[str, Any], schemas: Sequence[AnswerSchema], mode: RepairMode) -> dict[str, Any]:
    """Return an input whose previous answer is a message at the end of its messages.

    Raises:
        AgentSpecError: If it is no answer of these schemas.
    """
    rest = {key: value for key, value in input.items() if key != EXISTING}
    answer = input[EXISTING]
    if answer is None:
        return rest
    records = None
    if isinstance(answer, Mapping) and answer.keys() >= {"structured_response", "outcome"}:
        answer, outcome = answer["structured_response"], answer["outcome"]
        records = outcome.get("fields") if isinstance(outcome, Mapping) else None
        if not isinstance(records, Mapping):
            raise AgentSpecError(f"existing: its outcome {shown(outcome)} has no 'fields'; pass the structured_response alone.")
    schema, value = _as_json(answer, schemas)
    how = AS_WHOLE if mode == "whole" else "".join([AS_PATCH, *(_of_items(path, key) for path, key in schema.keys.items())])
    text = BRING_UP_TO_DATE.format(answer=json.dumps(value, ensure_ascii=False), how=how)
    # The metadata of a message is not sent to the model. What it marks is no source: an answer is no evidence of itself.
    existing = Existing(schema=schema.name, value=value, fields={}, offered=mode != "whole", is_existing=True, records=records)
    message = HumanMessage(text, response_metadata={EXISTING: existing})
    messages = rest.get("messages") or []
    return {**rest, "messages": [*(messages if isinstance(messages, list | tuple) else [messages]), message]}


def _of_items(path: str, key: Key) -> str:
    deletion = "give the list without those to delete" if key.may_delete else "none may be deleted"
    return OF_ITEMS.format(path=path, key=" and ".join(key.fields), deletion=deletion)


def _as_json(answer: Any, schemas: Sequence[AnswerSchema]) -> tuple[AnswerSchema, Any]:
    for schema in schemas:
        with suppress(ValueError, TypeError):
            return schema, schema.dump(answer if schema.holds(answer) else schema.load(answer))
    if not schemas:
        raise AgentSpecError("existing is a previous answer, and this agent has no response format; write response_format=….")
    names = [schema.name for schema in schemas]
    raise AgentSpecError(
        f"existing={shown(answer)} is not an answer of {names!r}; pass the structured_response of an earlier run."
    )


def unchanged(existing: Existing, answer: Any, paths: Iterable[FieldPath]) -> dict[str, FieldRecord]:
    """Return the records of the fields that are as they were in the previous answer, by their paths in the new one."""
    known = None if existing["records"] is None else {_parts(path): record for path, record in existing["records"].items()}
    vouched = FieldRecord(status="given", evidence=[], problem=None)
    typed = isinstance(answer, BaseModel) or is_dataclass(answer)
    data = answer_schemas(type(answer))[0].dump(answer) if typed else to_jsonable_python(answer, by_alias=True, fallback=repr)
    was = {_parts(after): before for after, before in paired(existing["value"], data, keys_of(type(answer)))}
    same: dict[str, FieldRecord] = {}
    for path in paths:
        before = was.get(_parts(json_path_in(data, path, answer) or path))
        if before is None:
            continue
        # JSON has other names than records, but as many parts; items may have moved.
        parts = [str(old if isinstance(old, int) else now) for now, old in zip(path.parts, before.parts, strict=False)]
        record = vouched if known is None else known.get(tuple(parts))
        if record is not None and is_backed(record):
            same[path] = record
    return same


def _parts(path: str) -> tuple[str, ...]:
    # JSON does not say which way a mapping's key is written.
    return tuple(map(str, FieldPath(path).parts))

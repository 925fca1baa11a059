"""The state, input and output schemas of an agent, merged from its own and those of its middleware."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, Union, get_args, get_origin, get_type_hints

from pydantic import WithJsonSchema
from typing_extensions import ReadOnly, TypedDict

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_envelope import each_in
from answergraph.answers.schemas.known_keys import pointed_at
from answergraph.answers.storage.answer_channel import AnswerChannel, answer_codec
from answergraph.runtime.recent_cache import MAX_KEPT, RecentCache
from answergraph.state.agent_state import AgentState, AnswerKeys, OmitFromInput, PrivateState, StateSchemas
from answergraph.state.delta_channels import stores_deltas, with_messages_channel


def merge_state_schemas(schemas: Sequence[type[object]], keys: AnswerKeys, answers: Sequence[AnswerSchema]) -> StateSchemas:
    """Merge the state schemas of an agent and its middleware; for duplicate keys the last one wins, as in LangChain.

    Cached, because reading type hints is most of the cost of building an agent. Keys marked with ``OmitFromSchema``, LangChain's
    or ours, are left out.
    """
    ordered = tuple(dict.fromkeys(reversed(schemas)))[::-1]
    deltas = stores_deltas()
    # Answer schemas contain dicts, which are not hashable, so they are compared by identity.
    return _MERGED.get_or_make(lambda: _merged(ordered, keys, answers, deltas=deltas), *answers, key=(ordered, keys, deltas))


_MERGED: RecentCache[StateSchemas] = RecentCache()


def _merged(ordered: Sequence[type[object]], keys: AnswerKeys, answers: Sequence[AnswerSchema], *, deltas: bool) -> StateSchemas:
    fields: dict[str, object] = {}
    for schema in [*ordered, PrivateState]:
        fields.update(_with_keys(_hints(schema), keys))
    fields = _with_answer(fields, keys, answers)
    if deltas:
        fields["messages"] = with_messages_channel(fields["messages"])
    return StateSchemas(
        state=typed_dict("AgentState", fields),
        input=typed_dict("AgentInput", _visible(fields, "input")),
        output=typed_dict("AgentOutput", _visible(fields, "output")),
    )


@lru_cache(maxsize=MAX_KEPT)
def _hints(schema: type[object]) -> dict[str, object]:
    return get_type_hints(schema, include_extras=True)


def _with_keys(hints: dict[str, object], keys: AnswerKeys) -> dict[str, object]:
    """Return the fields of one schema, with the agent's keys for the answer."""
    standard = AnswerKeys()
    renamed = {standard.answer: keys.answer}
    if hints.get(standard.outcome) == _hints(AgentState)[standard.outcome]:
        renamed[standard.outcome] = keys.outcome
    return {renamed.get(name, name): hint for name, hint in hints.items()}


def _with_answer(fields: dict[str, object], keys: AnswerKeys, answers: Sequence[AnswerSchema]) -> dict[str, object]:
    if not answers:
        return fields
    answer_type: object = Optional[declared_union(answers)]  # noqa: UP045  # the types are known at run time only
    channel = AnswerChannel(answer_type, keys.answer, answer_codec(tuple(answers)), is_strict=True)
    return {**fields, keys.answer: NotRequired[Annotated[answer_type, OmitFromInput, channel]]}


def _visible(fields: dict[str, object], side: Literal["input", "output"]) -> dict[str, object]:
    return {name: hint for name, hint in fields.items() if not any(_omits(meta, side) for meta in metadata_of(hint))}


def _omits(metadata: object, side: str) -> bool:
    # By name, so that LangChain's annotation counts without an import.
    return type(metadata).__name__ == "OmitFromSchema" and getattr(metadata, side) is True


def metadata_of(hint: object) -> tuple[object, ...]:
    while get_origin(hint) in {Required, NotRequired, ReadOnly}:
        hint = get_args(hint)[0]
    return tuple(getattr(hint, "__metadata__", ()))


def typed_dict(name: str, fields: dict[str, object]) -> type[object]:
    schema: type[object] = TypedDict(name, fields)  # type: ignore[misc]  # mypy wants literal fields
    return schema


def declared_union(schemas: Sequence[AnswerSchema]) -> Any:
    """Return the union of declared types; a JSON Schema is a ``dict`` shown as that schema."""
    return Union[tuple(_shown(schema) for schema in schemas)]  # noqa: UP007  # the types are known at run time only


def _shown(schema: AnswerSchema) -> object:
    if not isinstance(schema.declared, dict):
        return schema.annotation
    return Annotated[schema.annotation, WithJsonSchema(inlined(schema.declared))]


def inlined(schema: Mapping[str, object]) -> dict[str, object]:
    """Return a JSON Schema with references replaced by definitions, to embed it; one that refers to itself accepts any value."""
    shown: dict[str, object] = _without_references(schema, schema, frozenset())
    return shown


def _without_references(node: object, root: Mapping[str, object], opened: frozenset[str]) -> Any:
    if isinstance(node, list):
        return [_without_references(part, root, opened) for part in node]
    if not isinstance(node, Mapping):
        return node
    shown = {key: part for key, part in node.items() if key not in {"$defs", "definitions", "$ref"}}
    kept = {key: each_in(key, part, partial(_without_references, root=root, opened=opened)) for key, part in shown.items()}
    reference = node.get("$ref")
    if not isinstance(reference, str) or reference in opened:
        return kept
    return {**_without_references(pointed_at(reference, root), root, opened | {reference}), **kept}

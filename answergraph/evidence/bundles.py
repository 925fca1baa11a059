"""Bundles an answer as plain JSON: the answer, its claims, their evidence and the tool results."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from itertools import accumulate
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage, messages_to_dict
from pydantic import BaseModel, TypeAdapter

from answergraph.evidence.claims import Claim, fields_of
from answergraph.evidence.marks import Grounded, Mark
from answergraph.evidence.source_runs import input_records
from answergraph.evidence.units import MASK, is_unit_of
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import TOOL_RESULTS, AnswerKeys
from answergraph.state.delta_channels import RecordedResult, RunResults
from answergraph.state.field_record import BACKED, Evidence, Fields, evidence_in, spans_of
from answergraph.state.messages import is_correction, texts_of
from answergraph.state.older_records import outcome_of_today
from answergraph.state.tool_results import call_id_of, records_of, results_in_replies, with_unique_ids

BUNDLE_FORMAT = "answergraph-bundle/3"
BUNDLES_FORMAT = "answergraph-bundles/3"
"""The ``format`` of a file with several bundles, which a triage writes."""
DIGEST, SIGNATURE, MASKED = "digest", "signature", "masked"

BUNDLE_KEYS: tuple[str, ...] = ("messages", "structured_response", "outcome", TOOL_RESULTS)
"""With these output keys, the bundle also has results that are no longer in the conversation:
``agent.invoke(question, output_keys=BUNDLE_KEYS)``."""


def answer_bundle(result: Mapping[str, Any], *, output_key: str | None = None, key: bytes | None = None) -> dict[str, Any]:
    """Return the bundle of a finished run, to be saved as JSON and re-checked by ``verify_bundle``.

    Text that a middleware removed from the conversation is not in it, except for the passages that the evidence names.

    Args:
        result: The value that the run returned. With ``output_keys=BUNDLE_KEYS`` it holds the recorded results;
            otherwise the tool messages of the conversation are used.
        output_key: The agent's ``output_key``.
        key: A secret that signs the bundle, so that nobody without it can change the bundle unnoticed.

    Returns:
        The bundle: ``format``, ``status``, ``schema``, ``answer``, ``marks``, ``fields``, ``results``, ``messages``, a
        ``digest`` of these and, with a key, a ``signature``.

    Raises:
        AgentSpecError: If the key is empty.
    """
    keys = AnswerKeys.named(output_key)
    answer, outcome = result.get(keys.answer), outcome_of_today(result.get(keys.outcome)) or {}
    recorded: RunResults | None = result.get(TOOL_RESULTS)
    shown: Mapping[str, str] = recorded.get("shown", {}) if recorded else {}
    messages = [_as_shown(message, shown) for message in result["messages"]]
    of_tools = recorded["results"] if recorded else _tool_results_in(result["messages"], {str(outcome.get("schema"))})
    fields: Fields = outcome.get("fields", {})
    named = {evidence["source"]["id"] for evidence in evidence_in(fields) if evidence["source"]["kind"] == "input"}
    inputs = [record for record in input_records(messages) if record["tool_call_id"] in named]
    results = with_unique_ids([*inputs, *of_tools, *results_in_replies(messages)])
    claims = fields_of(answer) if outcome.get("status") == "answered" else []
    return sealed(
        {
            "format": BUNDLE_FORMAT,
            "status": outcome.get("status"),
            "schema": outcome.get("schema"),
            "answer": _as_json(answer),
            "marks": {str(claim.path): mark.as_json() for claim in claims if (mark := _mark_of(claim, fields)) is not None},
            "fields": fields,
            "results": [_masked(one, messages, fields) for one in results],
            "messages": messages_to_dict(messages),
        },
        key,
    )


def _mark_of(claim: Claim, fields: Fields) -> Mark | None:
    """Return the mark of a field; one without a mark was checked as ``Grounded()`` if it is supported."""
    is_checked = claim.path in fields and fields[claim.path]["status"] in BACKED
    return Grounded(min_items=0) if claim.mark is None and is_checked else claim.mark


def sealed(bundle: Mapping[str, object], key: bytes | None = None) -> dict[str, Any]:
    """Return a ``bundle`` with the digest of its content, signed with ``key`` if there is one, as ``verify_bundle`` checks it.

    Raises:
        AgentSpecError: If the key is empty.
    """
    refuse_empty(key)
    bare = {name: value for name, value in bundle.items() if name not in {DIGEST, SIGNATURE}}
    text = _canonical(bare)
    signed = {} if key is None else {SIGNATURE: hmac.new(key, text, hashlib.sha256).hexdigest()}
    return {**bare, DIGEST: hashlib.sha256(text).hexdigest(), **signed}


def refuse_empty(key: bytes | None) -> None:
    if key is not None and not key.strip():
        raise AgentSpecError("The key is empty, so anybody could sign with it; give a secret, such as secrets.token_bytes(32).")


def _canonical(data: Mapping[str, object]) -> bytes:
    # As read back from a file, where every key is a string.
    plain = json.loads(json.dumps(data, default=str))
    return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()


def results_in(messages: Sequence[AnyMessage], answers: set[str]) -> list[RecordedResult]:
    """Return the tool results of the last run, except receipts for answers; ``answers`` are the names of the schemas."""
    return with_unique_ids([*_tool_results_in(messages, answers), *results_in_replies(messages)])


def _tool_results_in(messages: Sequence[AnyMessage], answers: set[str]) -> Iterator[RecordedResult]:
    starts = [index for index, m in enumerate(messages) if isinstance(m, HumanMessage) and not is_correction(m)]
    calls: dict[object, tuple[str, dict[str, object]]] = {}
    written: list[str] = []
    for message in messages[starts[-1] if starts else 0 :]:
        if isinstance(message, AIMessage):
            calls |= {call["id"]: (call["name"], call["args"]) for call in message.tool_calls if call["name"] not in answers}
            written = [*written, message.text] if message.text else written
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            name, args = calls[message.tool_call_id]
            # A result at the end of the conversation is the answer.
            yield from records_of(message, message.name or name, args, written, is_answer=message is messages[-1])


def _as_shown(message: AnyMessage, shown: Mapping[str, str]) -> AnyMessage:
    """Return a tool message as shown to the model, without its artifact."""
    if not isinstance(message, ToolMessage):
        return message
    return message.model_copy(update={"artifact": None, "content": shown.get(message.tool_call_id, message.content)})


def _masked(result: RecordedResult, messages: Sequence[AnyMessage], fields: Fields) -> dict[str, object]:
    """Mask the text that is no longer in the conversation, except for passages named by the evidence.

    The caller's own messages are read from the conversation.
    """
    call_id = call_id_of(result["tool_call_id"])
    shown = [texts_of(m) for m in messages if isinstance(m, ToolMessage) and m.tool_call_id == call_id]
    if result["texts"] in shown or "/" in call_id or result.get("kind") == "input":
        return {**result}
    text = "".join(result["texts"])
    masked = list(re.sub(r"\S", MASK, text))
    for evidence in evidence_in(fields):
        # Evidence in a text that was shown instead has other words there.
        if evidence["source"]["id"] == result["tool_call_id"] and is_unit_of(evidence, text):
            for place in _named_places(evidence, text):
                masked[place] = text[place]
    ends = list(accumulate(map(len, result["texts"])))
    texts = ["".join(masked[end - len(text) : end]) for end, text in zip(ends, result["texts"], strict=True)]
    return {**result, "texts": texts, MASKED: True}


def _named_places(evidence: Evidence, text: str) -> Iterator[int]:
    """Yield the place of each character of a text that evidence names."""
    start = evidence["place"][0]
    yield from (start + number for number, one in enumerate(evidence["unit"]) if one == text[start + number])
    for first, last in spans_of(evidence):
        yield from range(first, last)


def _as_json(answer: object) -> object:
    if isinstance(answer, BaseModel) or is_dataclass(answer):
        return TypeAdapter(type(answer)).dump_python(answer, mode="json", by_alias=False)
    return answer

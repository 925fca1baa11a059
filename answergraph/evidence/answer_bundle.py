"""The bundle of an answer as plain JSON: the answer, its claims, their evidence and the tool results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage, messages_to_dict
from pydantic import BaseModel, TypeAdapter

from answergraph.evidence.claims import claims_of
from answergraph.state.agent_state import TOOL_RESULTS, AnswerKeys
from answergraph.state.messages import is_correction
from answergraph.state.tool_results import RecordedResult, RunResults, texts_of

BUNDLE_FORMAT = "answergraph-bundle/1"

BUNDLE_KEYS: tuple[str, ...] = ("messages", "structured_response", "outcome", TOOL_RESULTS)
"""The keys to ask a run for, so that its bundle also holds results that are no longer in the conversation:
``agent.invoke(question, output_keys=BUNDLE_KEYS)``."""


def answer_bundle(result: Mapping[str, Any], *, output_key: str | None = None) -> dict[str, Any]:
    """Return the bundle of a finished run, to be saved as JSON and re-checked by ``verify_bundle``.

    Args:
        result: The value that the run returned. Asked for with ``output_keys=BUNDLE_KEYS`` it holds the recorded results;
            without, the tool messages of the conversation are taken.
        output_key: The agent's ``output_key``.

    Returns:
        The bundle: ``format``, ``status``, ``schema``, ``answer``, ``marks``, ``evidence``, ``results`` and ``messages``.
    """
    keys = AnswerKeys.named(output_key)
    answer, outcome = result.get(keys.answer), result.get(keys.outcome) or {}
    recorded: RunResults | None = result.get(TOOL_RESULTS)
    messages = result["messages"]
    results = recorded["results"] if recorded else list(results_in(messages, {str(outcome.get("schema"))}))
    return {
        "format": BUNDLE_FORMAT,
        "status": outcome.get("status"),
        "schema": outcome.get("schema"),
        "answer": _as_json(answer),
        "marks": {claim.path: claim.mark.as_json() for claim in claims_of(answer)} if outcome.get("status") == "answered" else {},
        "evidence": outcome.get("evidence", {}),
        "results": results,
        "messages": messages_to_dict([_as_recorded(message, results) for message in messages]),
    }


def results_in(messages: Sequence[AnyMessage], answers: set[str]) -> Iterator[RecordedResult]:
    """Yield the tool results of the last run in a conversation; not those for ``answers``, the names of answer schemas."""
    starts = [index for index, m in enumerate(messages) if isinstance(m, HumanMessage) and not is_correction(m)]
    args: dict[Any, dict[str, Any]] = {}
    for message in messages[starts[-1] if starts else 0 :]:
        if isinstance(message, AIMessage):
            args |= {call["id"]: call["args"] for call in message.tool_calls if call["name"] not in answers}
        elif isinstance(message, ToolMessage) and message.tool_call_id in args:
            yield RecordedResult(
                tool_call_id=message.tool_call_id,
                name=message.name or "",
                args=args[message.tool_call_id],
                texts=texts_of(message),
                succeeded=message.status != "error",
            )


def _as_recorded(message: AnyMessage, results: Sequence[RecordedResult]) -> AnyMessage:
    """Return a tool message with its recorded content, if something has cleared or shortened it since."""
    if not isinstance(message, ToolMessage):
        return message
    made = [result["texts"] for result in results if result["tool_call_id"] == message.tool_call_id]
    if not made or texts_of(message) in made:
        return message
    return message.model_copy(update={"content": "".join(made[-1])})


def _as_json(answer: Any) -> Any:
    if isinstance(answer, BaseModel) or is_dataclass(answer):
        return TypeAdapter(type(answer)).dump_python(answer, mode="json")
    return answer

"""A callback handler that tells OpenTelemetry of runs, by its conventions for generative AI."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langgraph.errors import GraphBubbleUp

from answergraph import Outcome, __version__
from answergraph.kit import require_extra

require_extra("telemetry", "opentelemetry.trace")

from opentelemetry import metrics, trace  # noqa: E402 - see above
from opentelemetry.trace import Span, SpanKind, Status, StatusCode  # noqa: E402 - see above

Attributes = dict[str, str | int | float]

_HAS_ANSWER = frozenset({"answered", "abstained", "deferred"})
"""How a run may end that did not fail."""


@dataclass(frozen=True)
class _Operation:
    """What runs: the span that it has, or that of what it is part of."""

    span: Span
    began: float
    attributes: Attributes | None = None
    """Of the operation's metrics; ``None`` of a part, which has no span of its own."""


class TelemetryHandler(BaseCallbackHandler):
    """Tells OpenTelemetry of the runs that it is a callback of, by its conventions for generative AI.

    A run is a span ``invoke_agent``, with status, reason, attempts, usage and cost; each model call is a span ``chat``, each tool
    call a span ``execute_tool``. Each field that was checked is an event ``gen_ai.evaluation.result`` of the run's span. Metrics
    are the durations of all three, the tokens of model calls, and the number and cost of runs by status. Messages, arguments and
    results are not told; a reason and a field's problem may quote the answer.

    Raises:
        AgentSpecError: If OpenTelemetry is not installed: ``pip install 'answergraph[telemetry]'``.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel
        >>> agent = create_agent(ScriptedChatModel(replies=["4"]), response_format=int)
        >>> observed = agent.with_config(callbacks=[TelemetryHandler()])
        >>> observed.invoke({"messages": "What is 2 + 2?"})["structured_response"]
        4
    """

    run_inline = True

    def __init__(
        self,
        *,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
    ) -> None:
        """Use these providers; by default those that the program has set for all."""
        self._tracer = trace.get_tracer("answergraph", __version__, tracer_provider)
        meter = metrics.get_meter("answergraph", __version__, meter_provider)
        self._durations = meter.create_histogram("gen_ai.client.operation.duration", "s", "The duration of an operation.")
        self._tokens = meter.create_histogram("gen_ai.client.token.usage", "{token}", "The tokens of a model call.")
        self._runs = meter.create_counter("answergraph.runs", "{run}", "The runs of agents, by how they ended.")
        self._cost = meter.create_counter("answergraph.cost", description="What runs cost, in the unit of their prices.")
        self._operations: dict[UUID, _Operation] = {}

    def on_chain_start(
        self, serialized: object, inputs: object, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: object
    ) -> None:
        if parent_run_id is None:
            name = str(kwargs.get("name") or "agent")
            self._begin(run_id, None, "invoke_agent", name, {"gen_ai.agent.name": name})
        elif parent_run_id in self._operations:
            whole = self._operations[parent_run_id]
            self._operations[run_id] = _Operation(whole.span, whole.began)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> None:
        outcome = outputs.get("outcome") if isinstance(outputs, Mapping) else None
        self._end_run(run_id, outcome if isinstance(outcome, Mapping) else None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        self._end_run(run_id, getattr(error, "outcome", None), error)

    def on_chat_model_start(
        self,
        serialized: object,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        known = metadata or {}
        names = {"gen_ai.request.model": known.get("ls_model_name"), "gen_ai.provider.name": known.get("ls_provider")}
        attributes = {key: str(name) for key, name in names.items() if name}
        self._begin(run_id, parent_run_id, "chat", str(known.get("ls_model_name") or ""), attributes, SpanKind.CLIENT)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: object) -> None:
        operation = self._operations.get(run_id)
        generation = response.generations[0][0] if response.generations and response.generations[0] else None
        message = generation.message if isinstance(generation, ChatGeneration) else None
        if operation is not None and isinstance(message, AIMessage):
            if (model := message.response_metadata.get("model_name")) is not None:
                operation.span.set_attribute("gen_ai.response.model", str(model))
            for kind in ("input", "output") if message.usage_metadata else ():
                count = int(dict(message.usage_metadata or {})[f"{kind}_tokens"])  # type: ignore[call-overload] # a count
                operation.span.set_attribute(f"gen_ai.usage.{kind}_tokens", count)
                self._tokens.record(count, {**(operation.attributes or {}), "gen_ai.token.type": kind})
        self._end(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        self._end(run_id, type(error).__name__, str(error))

    def on_tool_start(
        self, serialized: dict[str, object], input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: object
    ) -> None:
        name = str(kwargs.get("name") or (serialized or {}).get("name") or "tool")
        attributes = {"gen_ai.tool.name": name}
        if (call := kwargs.get("tool_call_id")) is not None:
            attributes["gen_ai.tool.call.id"] = str(call)
        self._begin(run_id, parent_run_id, "execute_tool", name, attributes)

    def on_tool_end(self, output: object, *, run_id: UUID, **kwargs: object) -> None:
        failed = getattr(output, "status", None) == "error"
        self._end(run_id, "tool_error" if failed else None)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        # An interrupt waits for a person.
        self._end(run_id, None if isinstance(error, GraphBubbleUp) else type(error).__name__, str(error))

    def _begin(
        self,
        run_id: UUID,
        parent: UUID | None,
        operation: str,
        name: str,
        details: Mapping[str, str],
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        whole = None if parent is None else self._operations.get(parent)
        context = None if whole is None else trace.set_span_in_context(whole.span)
        attributes: Attributes = {"gen_ai.operation.name": operation, **details}
        span = self._tracer.start_span(f"{operation} {name}".strip(), context, kind, attributes)
        self._operations[run_id] = _Operation(
            span, time.perf_counter(), {k: v for k, v in attributes.items() if "call.id" not in k}
        )

    def _end_run(self, run_id: UUID, outcome: Mapping[str, Any] | None, error: BaseException | None = None) -> None:
        operation = self._operations.get(run_id)
        if operation is None or operation.attributes is None:
            self._operations.pop(run_id, None)
            return
        failed = error is not None and not isinstance(error, GraphBubbleUp)
        status = "error" if failed else None
        if outcome is not None:
            status = outcome["status"]
        if status is not None:
            self._runs.add(1, {**operation.attributes, "answergraph.status": status})
        if outcome is not None:
            _tell_outcome(operation.span, outcome)
            self._cost.add(outcome["usage"].get("cost") or 0, operation.attributes)
            self._end(run_id, None if status in _HAS_ANSWER else status, outcome["reason"])
        else:
            self._end(run_id, type(error).__name__ if failed else None, str(error))

    def _end(self, run_id: UUID, failure: str | None = None, reason: str = "") -> None:
        operation = self._operations.pop(run_id, None)
        if operation is None:
            return
        attributes = dict(operation.attributes or {})
        if failure is not None:
            attributes["error.type"] = failure
            operation.span.set_attribute("error.type", failure)
            operation.span.set_status(Status(StatusCode.ERROR, reason))
        self._durations.record(time.perf_counter() - operation.began, attributes)
        operation.span.end()


def _tell_outcome(span: Span, outcome: Outcome | Mapping[str, Any]) -> None:
    """Write how a run ended, and what was found about each field that was checked."""
    usage: Mapping[str, Any] = outcome["usage"]
    attributes: dict[str, Any] = {
        "answergraph.status": outcome["status"],
        "answergraph.reason": outcome["reason"],
        "answergraph.attempts": len(outcome["attempts"]),
        "answergraph.support": outcome.get("support"),
        "answergraph.limit": outcome.get("limit"),
        "answergraph.model_calls": usage.get("model_calls"),
        "answergraph.cost": usage.get("cost"),
        "gen_ai.usage.input_tokens": usage.get("input_tokens"),
        "gen_ai.usage.output_tokens": usage.get("output_tokens"),
    }
    span.set_attributes({name: value for name, value in attributes.items() if value is not None})
    for path, record in (outcome.get("fields") or {}).items():
        if record["status"] != "unchecked":
            result = {"gen_ai.evaluation.name": path or "answer", "gen_ai.evaluation.score.label": record["status"]}
            problem = {"gen_ai.evaluation.explanation": record["problem"]} if record["problem"] else {}
            span.add_event("gen_ai.evaluation.result", result | problem)

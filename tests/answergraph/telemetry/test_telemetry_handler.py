"""Runs are OpenTelemetry spans and metrics."""

from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from pydantic import BaseModel

from answergraph import Grounded, NoAnswerError, ToolStrategy, UsageLimits, create_agent
from answergraph.many import map_answers
from answergraph.middleware import GroundedAnswer
from answergraph.telemetry import TelemetryHandler
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

USAGE: Any = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}


class Price(BaseModel):
    price: Annotated[int, Grounded()]
    name: str


@tool
def look_up(name: str) -> str:
    """Look up a price."""
    if name == "nothing":
        raise ValueError("There is no such name.")
    return "The price is 120."


def call(name: str, args: dict[str, Any], call_id: str) -> AIMessage:
    calls: list[Any] = [{"name": name, "args": args, "id": call_id}]
    return AIMessage("", tool_calls=calls, usage_metadata=USAGE, response_metadata={"model_name": "m-1"})


class Telemetry:
    """A handler with exporters in memory."""

    def __init__(self) -> None:
        self._exporter, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        meters = MeterProvider([self._reader])
        self.handler = TelemetryHandler(tracer_provider=tracers, meter_provider=meters)

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)}

    def points(self, name: str) -> list[Any]:
        data = self._reader.get_metrics_data()
        scopes = [scope for resource in (data.resource_metrics if data else ()) for scope in resource.scope_metrics]
        return [point for scope in scopes for each in scope.metrics if each.name == name for point in each.data.data_points]


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry()


def observed(telemetry: Telemetry, *replies: Any, **options: Any) -> Any:
    wanted: dict[str, Any] = {"tools": [look_up], "response_format": ToolStrategy(Price), "name": "prices"}
    wanted |= {"middleware": [GroundedAnswer()] if "tools" not in options else []} | options
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, **wanted).with_config(callbacks=[telemetry.handler])


def attributes_of(span: ReadableSpan) -> Mapping[str, Any]:
    return span.attributes or {}


def test_a_run_is_a_span_with_its_model_calls_and_tool_calls_inside(run: Run, telemetry: Telemetry) -> None:
    answer = call("Price", {"price": 120, "name": "tea"}, "2")
    run(observed(telemetry, call("look_up", {"name": "tea"}, "1"), answer), {"messages": "The price of tea?"})
    spans = telemetry.spans
    assert list(spans) == ["invoke_agent prices", "chat scripted", "execute_tool look_up"]
    whole = attributes_of(spans["invoke_agent prices"])
    assert (whole["gen_ai.operation.name"], whole["gen_ai.agent.name"]) == ("invoke_agent", "prices")
    assert (whole["answergraph.status"], whole["answergraph.attempts"]) == ("answered", 1)
    assert str(whole["answergraph.reason"]).startswith("The model answered with")
    assert (whole["gen_ai.usage.input_tokens"], whole["answergraph.model_calls"]) == (20, 2)
    chat = attributes_of(spans["chat scripted"])
    assert (chat["gen_ai.operation.name"], chat["gen_ai.usage.output_tokens"], chat["gen_ai.response.model"]) == (
        "chat",
        2,
        "m-1",
    )
    inside = attributes_of(spans["execute_tool look_up"])
    assert (inside["gen_ai.tool.name"], inside["gen_ai.tool.call.id"]) == ("look_up", "1")
    root = spans["invoke_agent prices"].context
    assert {span.parent and span.parent.span_id for name, span in spans.items() if name[0] != "i"} == {root and root.span_id}


def test_each_checked_field_is_an_event(run: Run, telemetry: Telemetry) -> None:
    replies = [call("look_up", {"name": "tea"}, "1"), *[call("Price", {"price": 77, "name": "tea"}, "2")] * 3]
    agent = observed(telemetry, *replies, limits=UsageLimits(model_calls=3))
    run(agent, {"messages": "The price of tea?"})
    span = telemetry.spans["invoke_agent prices"]
    assert span.status.status_code is StatusCode.ERROR
    assert attributes_of(span)["error.type"] == attributes_of(span)["answergraph.status"]
    results = {str((each.attributes or {})["gen_ai.evaluation.name"]): each.attributes or {} for each in span.events}
    assert {each.name for each in span.events} == {"gen_ai.evaluation.result"}
    assert results["price"]["gen_ai.evaluation.score.label"] == "not_found"
    assert results["price"]["gen_ai.evaluation.explanation"]
    assert "name" not in results


@pytest.mark.parametrize(
    ("replies", "failed"),
    [
        ([ConnectionError("The server is down.")], "chat scripted"),
        ([call("look_up", {"name": "nothing"}, "1")], "execute_tool look_up"),
    ],
)
def test_what_raises_is_an_error_of_its_span_and_of_the_run(run: Run, telemetry: Telemetry, replies: Any, failed: str) -> None:
    with pytest.raises((ConnectionError, ValueError)) as raised:
        run(observed(telemetry, *replies), {"messages": "The price of nothing?"})
    kinds = {name: attributes_of(span).get("error.type") for name, span in telemetry.spans.items()}
    assert {name for name, kind in kinds.items() if kind == raised.type.__name__} == {"invoke_agent prices", failed}
    assert telemetry.spans[failed].status.description == str(raised.value)


def test_a_run_without_an_answer_that_raises_tells_its_outcome(run: Run, telemetry: Telemetry) -> None:
    agent = observed(telemetry, *["Hm."] * 9, on_failure="raise")
    with pytest.raises(NoAnswerError):
        run(agent, {"messages": "The price of tea?"})
    assert attributes_of(telemetry.spans["invoke_agent prices"])["answergraph.status"] == "unanswered"


def test_a_run_that_waits_for_a_person_has_not_failed(run: Run, telemetry: Telemetry) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        return str(interrupt(question))

    agent = observed(
        telemetry, call("ask", {"question": "Which?"}, "1"), tools=[ask], response_format=int, checkpointer=InMemorySaver()
    )
    run(agent, {"messages": "The price?"}, {"configurable": {"thread_id": "1"}})
    assert {span.status.status_code for span in telemetry.spans.values()} == {StatusCode.UNSET}


def test_the_runs_of_a_map_are_counted_by_status_with_their_tokens(telemetry: Telemetry) -> None:
    texts = [AIMessage(text, usage_metadata=USAGE) for text in ("4", *["Hm."] * 4)]
    agent = observed(telemetry, *texts, ValueError("No."), tools=[], response_format=int)
    rows = [{"id": number, "body": f"2 + {number}?"} for number in range(3)]
    assert len(list(map_answers(agent, rows, key="id", input="body", concurrency=1))) == 3
    counts = {point.attributes["answergraph.status"]: point.value for point in telemetry.points("answergraph.runs")}
    assert counts == {"answered": 1, "unanswered": 1, "error": 1}
    tokens = {point.attributes["gen_ai.token.type"]: point.sum for point in telemetry.points("gen_ai.client.token.usage")}
    assert tokens == {"input": 50, "output": 10}
    kinds = {point.attributes["gen_ai.operation.name"] for point in telemetry.points("gen_ai.client.operation.duration")}
    assert kinds == {"invoke_agent", "chat"}


def test_nothing_is_kept_of_a_run_that_has_ended(telemetry: Telemetry) -> None:
    agent = observed(telemetry, "4", tools=[], response_format=int)
    agent.invoke({"messages": "2 + 2?"})
    assert vars(telemetry.handler)["_operations"] == {}

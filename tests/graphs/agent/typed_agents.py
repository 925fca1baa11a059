"""Types that mypy and pyright check; never run."""

from dataclasses import dataclass
from typing import Any, Literal, assert_type

import langchain.agents.structured_output as langchain
from langchain_core.messages import AnyMessage
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import (
    AgentGraph,
    AgentResult,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    Outcome,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    aresume,
    create_agent,
    resume,
)
from answergraph.graphs import create_calculator, create_extractor
from answergraph.graphs.add_ons.calculator.calculator import Calculation
from answergraph.streaming import is_answer_event
from answergraph.types import AnswerEvent

QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}


class Verdict(BaseModel):
    passed: bool


class NotYet(BaseModel):
    missing: list[str]


@dataclass
class Point:
    x: int


class Row(TypedDict):
    cell: str


def shipped(config: Any) -> None:
    assert_type(create_calculator().invoke(QUESTION)["structured_response"], Calculation | None)
    assert_type(create_calculator(response_format=Verdict).invoke(QUESTION)["structured_response"], Verdict | None)
    assert_type(create_extractor("m", Verdict).invoke({"document": "It passed."})["structured_response"], Verdict | None)
    agent = create_agent("m", response_format=Verdict)
    assert_type(resume(agent, config)["structured_response"], Verdict | None)


async def resumed(config: Any) -> None:
    assert_type((await aresume(create_agent("m", response_format=Verdict), config))["structured_response"], Verdict | None)


def schemas() -> None:
    assert_type(create_agent("m", response_format=Verdict).invoke(QUESTION)["structured_response"], Verdict | None)
    assert_type(create_agent("m", response_format=Point).invoke(QUESTION)["structured_response"], Point | None)
    assert_type(create_agent("m", response_format=Row).invoke(QUESTION)["structured_response"], Row | None)
    union = create_agent("m", response_format=Verdict | NotYet)
    assert_type(union.invoke(QUESTION)["structured_response"], Verdict | NotYet | None)
    verdicts = create_agent("m", response_format=list[Verdict])
    assert_type(verdicts.invoke(QUESTION)["structured_response"], list[Verdict] | None)
    choice = create_agent("m", response_format=Literal["yes", "no"])
    assert_type(choice.invoke(QUESTION)["structured_response"], Literal["yes", "no"] | None)
    assert_type(create_agent("m", response_format=int).invoke(QUESTION)["structured_response"], int | None)
    plain = create_agent("m", response_format={"type": "object", "properties": {}})
    assert_type(plain.invoke(QUESTION)["structured_response"], dict[str, Any] | None)


def strategies() -> None:
    tool = create_agent("m", response_format=ToolStrategy(Verdict, handle_errors=False))
    assert_type(tool.invoke(QUESTION)["structured_response"], Verdict | None)
    explicit = create_agent("m", response_format=ToolStrategy[Verdict](Verdict))
    assert_type(explicit.invoke(QUESTION)["structured_response"], Verdict | None)
    union = create_agent("m", response_format=ToolStrategy(Verdict | NotYet))
    assert_type(union.invoke(QUESTION)["structured_response"], Verdict | NotYet | None)
    plain = create_agent("m", response_format=ToolStrategy({"type": "object"}))
    assert_type(plain.invoke(QUESTION)["structured_response"], dict[str, Any] | None)
    provider = create_agent("m", response_format=ProviderStrategy(Verdict, strict=True))
    assert_type(provider.invoke(QUESTION)["structured_response"], Verdict | None)
    prompted = create_agent("m", response_format=PromptedStrategy(Verdict, json_mode=True))
    assert_type(prompted.invoke(QUESTION)["structured_response"], Verdict | None)
    auto = create_agent("m", response_format=AutoStrategy(list[Verdict]))
    assert_type(auto.invoke(QUESTION)["structured_response"], list[Verdict] | None)
    fallback = create_agent("m", response_format=FallbackStrategy([ProviderStrategy(Verdict), ToolStrategy(Verdict)]))
    assert_type(fallback.invoke(QUESTION)["structured_response"], Verdict | None)
    deferred = create_agent("m", response_format=DeferredStrategy(ToolStrategy(Verdict)))
    assert_type(deferred.invoke(QUESTION)["structured_response"], Verdict | None)
    bare = create_agent("m", response_format=DeferredStrategy(Verdict | NotYet))
    assert_type(bare.invoke(QUESTION)["structured_response"], Verdict | NotYet | None)


def langchains_strategies() -> None:
    tool = create_agent("m", response_format=langchain.ToolStrategy(Verdict))
    assert_type(tool.invoke(QUESTION)["structured_response"], Verdict | None)
    provider = create_agent("m", response_format=langchain.ProviderStrategy(Verdict))
    assert_type(provider.invoke(QUESTION)["structured_response"], Verdict | None)
    auto = create_agent("m", response_format=langchain.AutoStrategy(Verdict))
    assert_type(auto.invoke(QUESTION)["structured_response"], Verdict | None)


def a_type(state: Any, runtime: Any) -> type[Verdict]:
    return Verdict


def a_strategy(state: Any, runtime: Any) -> ToolStrategy[Verdict | NotYet]:
    return ToolStrategy(Verdict | NotYet)


def callables() -> None:
    typed = create_agent("m", response_format=a_type)
    assert_type(typed.invoke(QUESTION)["structured_response"], Verdict | None)
    union = create_agent("m", response_format=a_strategy)
    assert_type(union.invoke(QUESTION)["structured_response"], Verdict | NotYet | None)


def results() -> None:
    agent = create_agent("m", [], response_format=Verdict, name="scout", limits=None, on_failure="raise")
    result = agent.invoke(QUESTION, {"tags": ["t"]}, context={})
    assert_type(result["outcome"], Outcome)
    assert_type(result["messages"], list[AnyMessage])
    assert_type(result["a_key_of_your_own"], Any)
    assert_type(result.get("structured_response"), Verdict | None)
    if (verdict := result["structured_response"]) is not None:
        assert_type(verdict.passed, bool)
    assert_type(agent.invoke(QUESTION, version="v2").value["structured_response"], Verdict | None)
    assert_type(agent.invoke(QUESTION, stream_mode="updates"), Any)
    assert_type(agent.with_config({"tags": []}).invoke(QUESTION)["structured_response"], Verdict | None)
    assert_type(create_agent("m").invoke(QUESTION)["structured_response"], Any | None)


async def awaited() -> None:
    agent = create_agent("m", response_format=Verdict)
    assert_type((await agent.ainvoke(QUESTION))["structured_response"], Verdict | None)
    assert_type((await agent.ainvoke(QUESTION, version="v2")).value["structured_response"], Verdict | None)


def takes(graph: CompiledStateGraph[Any, Any, Any, Any], result: dict[str, Any]) -> None: ...


def an_agent_is_langgraphs_graph_and_its_result_a_dict() -> None:
    agent = create_agent("m", response_format=Verdict)
    takes(agent, agent.invoke(QUESTION))
    keyed = create_agent("m", response_format=Verdict, output_key="verdict")
    takes(keyed, keyed.invoke(QUESTION))


def passed(result: AgentResult[Verdict]) -> bool:
    verdict = result["structured_response"]
    return verdict is not None and verdict.passed


def ask(agent: AgentGraph[Verdict]) -> bool:
    return passed(agent.invoke(QUESTION))


def an_agent_and_its_result_are_handed_on() -> None:
    assert_type(ask(create_agent("m", response_format=ToolStrategy(Verdict))), bool)


def events(item: object) -> None:
    if is_answer_event(item):
        assert_type(item, AnswerEvent)
        assert_type(item["status"], Literal["growing", "accepted", "rejected"])

"""Types that mypy and pyright check; never run."""

from dataclasses import dataclass
from typing import Any, Literal, assert_type

import langchain.agents.structured_output as langchain
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
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
from answergraph.graphs import (
    create_calculator,
    create_ensemble,
    create_extractor,
    create_judge,
    create_triage_agent,
    create_workflow,
    load_workflow,
)
from answergraph.graphs.add_ons.calculator.calculator import Calculation
from answergraph.many import MapRun, map_answers
from answergraph.middleware import AgentMiddleware, AgentState, InputAgentState, ModelRequest, dynamic_prompt
from answergraph.serving import to_a2a, to_mcp
from answergraph.streaming import is_answer_event
from answergraph.testing import Case, EvalReport, Tape, evaluate, replay
from answergraph.types import AnswerEvent, Judgment

QUESTION: InputAgentState = {"messages": ["Did it pass?"]}


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
    assert_type(create_judge("m", ["done"]).invoke({"report": "Done."})["judgment"], Judgment)
    reports = create_triage_agent().invoke({"folder": "run"})["reports"]
    assert_type(reports[0]["verdict"], Literal["real", "not-real", "disagreement", "flaky", "false-pass", "true-pass", "unknown"])
    work = create_workflow([]).invoke({"task": "This"})
    assert_type(work["status"], Literal["COMPLETE", "ABORT"])
    assert_type(load_workflow("work.yaml").invoke({})["reason"], str)
    agent = create_agent("m", response_format=Verdict)
    assert_type(resume(agent, config)["structured_response"], Verdict | None)


async def resumed(config: Any) -> None:
    assert_type((await aresume(create_agent("m", response_format=Verdict), config))["structured_response"], Verdict | None)


def mapped(rows: list[dict[str, Any]], saver: Any) -> None:
    agent = create_agent("m", response_format=Verdict)
    extractor = create_extractor("m", Verdict)
    assert_type(map_answers(agent, rows, key="id", input="body"), MapRun[Verdict | None])
    run = map_answers(extractor, rows, key="id", input="body", ledger="run.db")
    assert_type(run.again(create_extractor("n", Verdict), status={"invalid"}), MapRun[Verdict | None])
    assert_type(evaluate(extractor, [Case(inputs={"document": "It passed."}, expected_output={"passed": True})]), EvalReport)
    again = replay(Tape.from_thread(saver, "4711"), extractor)
    assert_type(again.outcome["status"] == "answered", bool)
    assert_type(create_ensemble([extractor, extractor]).invoke({"document": "It passed."})["structured_response"], Verdict | None)
    to_mcp(agent, extractor, create_judge("m", ["done"]))
    to_a2a(extractor, url="https://agents.example.org")


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
    assert_type(result.get("structured_response"), Verdict | None)
    assert_type(result["structured_response"].passed, bool)
    assert_type(agent.invoke(QUESTION, version="v2").value["structured_response"], Verdict)
    assert_type(agent.invoke(QUESTION, stream_mode="updates"), Any)
    assert_type(agent.with_config({"tags": []}).invoke(QUESTION)["structured_response"], Verdict)
    assert_type(create_agent("m").invoke(QUESTION)["structured_response"], Any)


class Counted(AgentState):
    visits: int


def keys_of_your_own() -> None:
    agent = create_agent("m", response_format=Verdict, state_schema=Counted)
    result = agent.invoke({"messages": ["Did it pass?"], "visits": 1})
    assert_type(result["structured_response"], Verdict | None)
    assert_type(result["visits"], Any)
    keyed = create_agent("m", response_format=Verdict | NotYet, output_key="verdict", on_failure="raise")
    assert_type(keyed.invoke(QUESTION)["verdict"], Any)
    assert_type(keyed.invoke(QUESTION)["structured_response"], Verdict | NotYet)


def an_answer_that_cannot_be_none() -> None:
    union = create_agent("m", response_format=Verdict | NotYet, on_failure="raise")
    assert_type(union.invoke(QUESTION)["structured_response"], Verdict | NotYet)
    tool = create_agent("m", response_format=ToolStrategy(Verdict), on_failure="raise")
    assert_type(tool.invoke(QUESTION)["structured_response"], Verdict)
    assert_type(create_calculator(on_failure="raise").invoke(QUESTION)["structured_response"], Calculation)
    priced = create_calculator(response_format=Verdict, on_failure="raise")
    assert_type(priced.invoke(QUESTION)["structured_response"].passed, bool)
    extractor = create_extractor("m", Verdict | NotYet, on_failure="raise")
    assert_type(extractor.invoke({"document": b"It passed."})["structured_response"], Verdict | NotYet)
    ensemble = create_ensemble([union, union])
    assert_type(ensemble.invoke(QUESTION)["structured_response"], Verdict | NotYet | None)


def inputs() -> None:
    agent = create_agent("m", response_format=Verdict)
    agent.invoke({"messages": "Did it pass?"})
    agent.invoke({"messages": [("user", "Did it pass?"), {"role": "user", "content": "Well?"}, HumanMessage("Hello")]})
    agent.invoke({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]})
    agent.invoke({"messages": HumanMessage("Did it pass?"), "existing": {"passed": True}})
    agent.invoke(Command(resume=True))
    agent.invoke(None)


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


def passed(result: AgentResult[Verdict | None]) -> bool:
    verdict = result["structured_response"]
    return verdict is not None and verdict.passed


def ask(agent: AgentGraph[Verdict | None]) -> bool:
    return passed(agent.invoke(QUESTION))


def an_agent_and_its_result_are_handed_on() -> None:
    assert_type(ask(create_agent("m", response_format=ToolStrategy(Verdict))), bool)


def events(item: object) -> None:
    if is_answer_event(item):
        assert_type(item, AnswerEvent)
        assert_type(item["status"], Literal["growing", "accepted", "rejected"])


def a_prompt_may_name_the_type_of_the_context() -> None:
    @dynamic_prompt
    def greeting(request: ModelRequest[Verdict]) -> str:
        return str(request.runtime.context.passed)

    assert_type(greeting, AgentMiddleware)

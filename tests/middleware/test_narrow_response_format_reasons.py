"""A middleware that withholds schemas says what would lift that: in every correction meanwhile, and in the outcome."""

import json
from typing import Annotated, Any

import pytest
from langchain.agents.middleware import ModelRequest as LangChainsRequest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from answergraph import (
    Abstention,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    PromptedStrategy,
    ProviderStrategy,
    Quote,
    ToolStrategy,
    create_agent,
)
from answergraph.middleware import AgentMiddleware, GroundedAnswer, ModelRequest, NarrowResponseFormat, RequireTools
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run


class Cause(BaseModel):
    """Why it failed."""

    cause: Annotated[str, Quote()]


class Guess(BaseModel):
    """Why it may have failed."""

    cause: str


class Missing(BaseModel):
    """What is missing."""

    tried: list[str]


def read_log() -> str:
    """Read the log."""
    return "the disk is full"


QUESTION: dict[str, Any] = {"messages": ["Why?"]}
GROUNDED = GroundedAnswer(abstain=Abstention)
GUARDS: dict[str, list[Any]] = {
    "required": [RequireTools("read_log"), GROUNDED],
    "hidden": [RequireTools("read_log", mode="hide"), GROUNDED],
    "grounded": [GroundedAnswer(sources=["read_log"], abstain=Abstention)],
}
FORMATS: dict[str, Any] = {
    "a bare type": Cause,
    "tool": ToolStrategy(Cause),
    "provider": ProviderStrategy(Cause),
    "prompted": PromptedStrategy(Cause),
    "deferred": DeferredStrategy(ToolStrategy(Cause)),
    "fallback": FallbackStrategy([ToolStrategy(Cause), PromptedStrategy(Cause)]),
}
EARLY: dict[str, Any] = {
    "a text": "I think so.",
    "the answer as a call": calls(call("Cause", {"cause": "the disk is full"})),
    "the answer as text": json.dumps({"cause": "the disk is full"}),
    "an abstention that says nothing": calls(call("Abstention", {"missing": []})),
}
FIRST = "first call read_log. Do that now"


def corrections(result: dict[str, Any]) -> list[str]:
    return [message.text for message in result["messages"] if str(message.id).startswith("answergraph-correction-")]


@pytest.mark.parametrize("early", EARLY.values(), ids=EARLY)
@pytest.mark.parametrize("response_format", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("guards", GUARDS.values(), ids=GUARDS)
def test_an_early_reply_is_told_which_tool_comes_first_and_can_call_it(
    run: Run, guards: list[Any], response_format: Any, early: Any
) -> None:
    in_text = response_format in (FORMATS["provider"], FORMATS["prompted"])
    whole = {"cause": "the disk is full"}
    last = json.dumps({"schema": "Cause", "value": whole}) if in_text else calls(call("Cause", whole, "last"))
    model = ScriptedChatModel(replies=[early, calls(call("read_log", {}, "read")), last])
    agent: Any = create_agent(model, [read_log], response_format=response_format, middleware=guards)
    result = run(agent, QUESTION)
    assert all(FIRST in text for text in corrections(result))
    assert len(corrections(result)) == 1
    assert "read_log" in model.requests[1].tool_names
    assert result["outcome"]["status"] == "answered"
    assert result["outcome"]["narrowed"][0]["until"] == "first call read_log"


def test_a_hidden_format_is_told_too(run: Run) -> None:
    model = ScriptedChatModel(replies=["I think so.", calls(call("read_log", {})), calls(call("Guess", {"cause": "disk"}))])
    agent = create_agent(
        model, [read_log], response_format=ToolStrategy(Guess), middleware=[RequireTools("read_log", mode="hide")]
    )
    result = run(agent, QUESTION)
    assert corrections(result) == [f"Before you can answer with 'Guess': {FIRST}."]
    assert result["outcome"]["narrowed"][0] == {
        "middleware": "RequireTools(read_log)",
        "from": ["Guess"],
        "to": [],
        "until": "first call read_log",
    }


def test_once_the_tools_are_taken_away_nothing_asks_for_them(run: Run) -> None:
    model = ScriptedChatModel(replies=["No.", "No.", calls(call("Abstention", {"missing": ["all"], "tried": []}))])
    agent = create_agent(model, [read_log], response_format=DeferredStrategy(ToolStrategy(Cause)), middleware=GUARDS["grounded"])
    result = run(agent, QUESTION)
    assert [FIRST in text for text in corrections(result)] == [True, False]
    assert result["outcome"]["status"] == "abstained"


def test_a_check_that_rejects_an_answer_of_the_final_step_gives_the_tools_back(run: Run) -> None:
    guess = calls(call("Guess", {"cause": "disk"}))
    model = ScriptedChatModel(replies=["I think so.", guess, calls(call("read_log", {}, "read")), "Read.", guess])
    required = [RequireTools("read_log")]
    agent = create_agent(model, [read_log], response_format=DeferredStrategy(ToolStrategy(Guess)), middleware=required)
    result = run(agent, QUESTION)
    assert [m.text for m in result["messages"] if m.type == "tool" and m.name == "read_log"] == ["the disk is full"]
    assert result["structured_response"] == Guess(cause="disk")


class OnlyMissing(AgentMiddleware[Any, Any, Any]):
    """A middleware of a user."""

    def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        return request.override(response_format=Missing, withheld_until="first call read_log")


OWN: dict[str, Any] = {
    "NarrowResponseFormat": NarrowResponseFormat(lambda request: Missing, until="first call read_log"),
    "OnlyMissing": OnlyMissing(),
}


@pytest.mark.parametrize("name", OWN)
def test_any_middleware_can_say_what_would_lift_its_narrowing(run: Run, name: str) -> None:
    model = ScriptedChatModel(replies=[calls(call("Guess", {"cause": "disk"})), calls(call("Missing", {"tried": []}))])
    agent: Any = create_agent(model, [read_log], response_format=ToolStrategy(Guess | Missing), middleware=[OWN[name]])
    result = run(agent, QUESTION)
    assert FIRST in corrections(result)[0]
    assert result["outcome"]["narrowed"] == [
        {"middleware": name, "from": ["Guess", "Missing"], "to": ["Missing"], "until": "first call read_log"}
    ]


def test_layers_add_what_they_ask_for(run: Run) -> None:
    outer = NarrowResponseFormat(lambda request: (Missing, Guess), name="outer", until="first ask")
    inner = NarrowResponseFormat(lambda request: Missing, name="inner", until="first look")
    model = ScriptedChatModel(replies=[calls(call("Guess", {"cause": "disk"})), calls(call("Missing", {"tried": []}))])
    every: Any = ToolStrategy(Guess | Missing | Abstention)
    result = run(create_agent(model, [read_log], response_format=every, middleware=[outer, inner]), QUESTION)
    assert "Before you can answer with 'Guess' or 'Abstention': first ask; first look. Do that now." in corrections(result)[0]
    assert [each["until"] for each in result["outcome"]["narrowed"]] == ["first ask", "first look"]


def test_another_process_says_it_too(run: Run) -> None:
    saver = InMemorySaver()

    def agent(*replies: Any, stop: Any) -> Any:
        model = ScriptedChatModel(replies=list(replies))
        made: Any = create_agent(
            model,
            [read_log],
            response_format=AutoStrategy(Cause),
            middleware=GUARDS["grounded"],
            checkpointer=saver,
            interrupt_before=stop,
        )
        return made

    config: Any = {"configurable": {"thread_id": "other process"}}
    run(agent("I think so.", stop=["structured_response"]), QUESTION, config)
    abstains = AIMessage("", tool_calls=[call("Abstention", {"missing": ["the log"], "tried": []})])
    result = run(agent(abstains, stop=None), None, config)
    assert corrections(result) == [f"Before you can answer with 'Cause': {FIRST}."]


class Rebuilds(AgentMiddleware[Any, Any, Any]):
    """A middleware that passes a request of LangChain's class on."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        names = ("model", "messages", "tools", "response_format", "state", "runtime")
        return handler(LangChainsRequest(**{name: getattr(request, name) for name in names}))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await self.wrap_model_call(request, handler)


def test_a_request_of_langchains_class_may_be_passed_on(run: Run) -> None:
    model = ScriptedChatModel(replies=["No.", calls(call("Abstention", {"missing": ["all"], "tried": []}))])
    middleware = [Rebuilds(), *GUARDS["grounded"]]
    agent = create_agent(model, [read_log], response_format=ToolStrategy(Cause), middleware=middleware)
    result = run(agent, QUESTION)
    assert FIRST in corrections(result)[0]
    assert result["outcome"]["status"] == "abstained"

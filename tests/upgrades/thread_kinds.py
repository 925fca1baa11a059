"""The kinds of threads that an upgrade must not lose; built with public names only, so that every version can run this file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.types import interrupt
from pydantic import BaseModel

import answergraph
from answergraph import (
    AnswerRejected,
    DeferredStrategy,
    FallbackStrategy,
    FromContext,
    PromptedStrategy,
    Quote,
    ToolStrategy,
    UsageLimits,
    as_tool,
    create_agent,
)
from answergraph.graphs import WorkflowStep, create_judge, create_workflow
from answergraph.middleware import (
    AgentMiddleware,
    GroundedAnswer,
    ModelResponse,
    RequireTools,
    after_model,
    before_model,
)
from answergraph.testing import ScriptedChatModel


class Verdict(BaseModel):
    """The verdict about a test."""

    passed: bool
    why: str


class Doubt(BaseModel):
    """The reason why there is no verdict."""

    missing: str


class Quoted(BaseModel):
    """The cause of a failure."""

    quote: Annotated[str, Quote()]


@dataclass
class Stopping:
    """Whether tools and models stop the process's run, as a crash would."""

    active: bool = False


STOPPING = Stopping()


@dataclass(frozen=True)
class Kind:
    """An agent and its inputs."""

    build: Callable[..., Any]
    """Takes the checkpointer."""
    input: Mapping[str, Any] = field(default_factory=lambda: {"messages": ["Did the test pass?"]})
    next_input: Mapping[str, Any] | None = field(default_factory=lambda: {"messages": ["And now?"]})
    """The input of the thread's next run; ``None`` if the graph has no conversation."""
    context: Any = None


def scripted(*replies: AIMessage | str) -> ScriptedChatModel:
    """Return a model whose reply depends on the conversation only, so that it is the same in every process."""

    def reply(messages: Sequence[Any]) -> Any:
        said = replies[sum(isinstance(message, AIMessage) for message in messages)]
        return said.model_copy(update={"id": None}) if isinstance(said, AIMessage) else said

    return ScriptedChatModel(replies=reply)


def calls(*named: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{name}_{at}"} for at, (name, args) in enumerate(named)])


LOOK = ("read_log", {"line": 3})
ASK = ("ask_person", {"question": "?"})
STOP = ("break_down", {"reason": "stop"})
YES: dict[str, Any] = {"passed": True, "why": "exit code 0"}
FINISH = ("Verdict", YES)
ANSWER = calls(FINISH)
WRONG_TOO = calls(("Verdict", {"passed": "maybe"}))
NUMBER = calls(("Number", {"n": 3}))
WRONG = calls(("Verdict", {"passed": "perhaps"}))
JSON = '{"passed": true, "why": "exit code 0"}'
QUOTE = calls(("Quoted", {"quote": "ended with exit code 0"}))
SCHEMA = {"title": "Number", "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
EITHER = ToolStrategy(Verdict | Doubt)


@tool
def read_log(line: int) -> str:
    """Read a line of the log."""
    return f"line {line}: the process ended with exit code 0"


@tool
def ask_person(question: str) -> str:
    """Ask a person."""
    return str(interrupt(question))


@tool
def break_down(reason: str) -> str:
    """Break down, as long as processes are to be stopped."""
    if STOPPING.active:
        raise RuntimeError(reason)
    return "still here"


class BreakingModel(ScriptedChatModel):
    """A model whose provider is away after the first reply, as long as processes are to be stopped."""

    def respond(self, request: Any) -> AIMessage:
        if STOPPING.active and any(isinstance(message, AIMessage) for message in request.messages):
            raise RuntimeError("the provider is away")
        return super().respond(request)


class Replaces(AgentMiddleware[Any, Any, Any]):
    """Puts a value in place of the model's answer."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        response = handler(request)
        return ModelResponse(result=response.result, structured_response=Verdict(passed=True, why="as the middleware says"))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        response = await handler(request)
        return ModelResponse(result=response.result, structured_response=Verdict(passed=True, why="as the middleware says"))


@after_model
def ask_after_model(state: Any, runtime: Any) -> dict[str, Any] | None:
    if len(state["messages"]) == 2:
        interrupt("Go on?")
    return None


@before_model
def note_before_model(state: Any, runtime: Any) -> dict[str, Any] | None:
    return None


def refuse_first(answer: Any, state: Any, runtime: Any) -> None:
    """Refuse a verdict that was given before the log was read."""
    if not any(message.type == "tool" and message.name == "read_log" for message in state["messages"]):
        raise AnswerRejected("Read the log first.")


def stop_in_check(answer: Any, state: Any, runtime: Any) -> None:
    """Stop as long as processes are to be stopped."""
    if STOPPING.active:
        raise RuntimeError("the check is away")


def agent(*replies: AIMessage | str, tools: Sequence[Any] = (read_log,), **arguments: Any) -> Callable[..., Any]:
    def build(checkpointer: Any) -> Any:
        changed = {"response_format": ToolStrategy(Verdict), **arguments}
        return create_agent(scripted(*replies), list(tools), checkpointer=checkpointer, **changed)

    return build


def _with_inner(checkpointer: Any) -> Any:
    inner = create_agent(scripted(calls(LOOK), ANSWER), [read_log], response_format=ToolStrategy(Verdict), name="tester")
    outer = scripted(calls(("tester", {"request": "Test it."})), calls(LOOK), ANSWER, ANSWER)
    tools = [as_tool(inner, description="Tests it."), read_log]
    return create_agent(outer, tools, response_format=ToolStrategy(Verdict), checkpointer=checkpointer)


def _breaking_model(checkpointer: Any) -> Any:
    model = BreakingModel(replies=scripted(calls(LOOK), ANSWER, ANSWER).replies)
    return create_agent(model, [read_log], response_format=ToolStrategy(Verdict), checkpointer=checkpointer)


def _judge(checkpointer: Any) -> Any:
    return create_judge(scripted('{"step": 2, "reason": "it says so"}'), ["it failed", "it passed"], checkpointer=checkpointer)


def _workflow(checkpointer: Any) -> Any:
    work = create_agent(scripted(calls(LOOK), "It passed.", "It passed."), [read_log], name="work")
    rules = {"when(true)": "second"}
    steps = [WorkflowStep("first", agent=work, rules=rules), WorkflowStep("second", agent=work, rules={"when(true)": "COMPLETE"})]
    return create_workflow(steps, task="Test it.", checkpointer=checkpointer)


CONVERSATION = [message for at in range(120) for message in (HumanMessage(f"{at}?"), AIMessage("Yes."))]

KINDS: dict[str, Kind] = {
    "a text": Kind(agent(calls(LOOK), "It passed.", "Yes.", response_format=None)),
    "an answer tool": Kind(agent(calls(LOOK), ANSWER, ANSWER)),
    "a prompt": Kind(agent(calls(LOOK), JSON, JSON, response_format=PromptedStrategy(Verdict))),
    "a bare schema": Kind(agent(calls(LOOK), ANSWER, ANSWER, response_format=Verdict)),
    "after the tools": Kind(
        agent(calls(LOOK), "Done.", ANSWER, "Done.", ANSWER, response_format=DeferredStrategy(ToolStrategy(Verdict)))
    ),
    "a wrong answer": Kind(agent(WRONG, calls(LOOK), ANSWER, ANSWER)),
    "only wrong answers": Kind(agent(WRONG, WRONG_TOO, ANSWER, limits=UsageLimits(answer_attempts=2))),
    "a held answer": Kind(agent(calls(LOOK, FINISH), ANSWER, ANSWER)),
    "a held answer and a person": Kind(agent(calls(ASK, FINISH), ANSWER, ANSWER, tools=[ask_person])),
    "an early answer": Kind(agent(calls(LOOK, FINISH), ANSWER, ANSWER, end_strategy="early", check_answer=refuse_first)),
    "an answer beside tools": Kind(agent(calls(LOOK, FINISH), ANSWER, ANSWER, end_strategy="exhaustive")),
    "a person": Kind(agent(calls(ASK), ANSWER, ANSWER, tools=[ask_person])),
    "a person beside a tool": Kind(agent(calls(LOOK, ASK), ANSWER, ANSWER, tools=[read_log, ask_person])),
    "a person at a hook": Kind(agent(calls(LOOK), ANSWER, ANSWER, middleware=[ask_after_model, note_before_model])),
    "a stopped tool": Kind(agent(calls(LOOK), calls(STOP), ANSWER, ANSWER, tools=[read_log, break_down])),
    "a stopped tool beside another": Kind(agent(calls(LOOK, STOP), ANSWER, ANSWER, tools=[read_log, break_down])),
    "a stopped model": Kind(_breaking_model),
    "a stopped check": Kind(agent(WRONG, ANSWER, ANSWER, check_answer=stop_in_check)),
    "the last call": Kind(agent(calls(LOOK), ANSWER, ANSWER, limits=UsageLimits(model_calls=2))),
    "no call left": Kind(agent(calls(LOOK), calls(LOOK), "No.", ANSWER, limits=UsageLimits(model_calls=2))),
    "two strategies": Kind(
        agent(WRONG, JSON, JSON, ANSWER, response_format=FallbackStrategy([ToolStrategy(Verdict), PromptedStrategy(Verdict)]))
    ),
    "a narrowed format": Kind(
        agent(calls(LOOK), ANSWER, calls(LOOK), ANSWER, response_format=EITHER, middleware=[RequireTools("read_log")])
    ),
    "a middleware's value": Kind(agent("I say so.", "I say so.", tools=[], middleware=[Replaces()])),
    "an agent inside": Kind(_with_inner),
    "an error at the end": Kind(
        agent(WRONG, WRONG_TOO, ANSWER, limits=UsageLimits(answer_attempts=2), on_failure="raise"),
    ),
    "a caller's schema": Kind(
        agent(calls(LOOK), NUMBER, NUMBER, response_format=FromContext(), context_schema=dict),
        context={"response_format": SCHEMA},
    ),
    "a union": Kind(agent(calls(LOOK), calls(("Doubt", {"missing": "the log"})), ANSWER, response_format=EITHER)),
    "a list": Kind(agent(calls(LOOK), f"[{JSON}]", f"[{JSON}]", response_format=PromptedStrategy(list[Verdict]))),
    "another key": Kind(agent(calls(LOOK), ANSWER, ANSWER, output_key="verdict")),
    "a quote": Kind(
        agent(
            *(calls(LOOK), calls(("Quoted", {"quote": "no such line at all"})), QUOTE, calls(LOOK), QUOTE),
            response_format=ToolStrategy(Quoted),
            middleware=[GroundedAnswer()],
        )
    ),
    "a long conversation": Kind(
        agent(*["Yes."] * 120, calls(LOOK), ANSWER, ANSWER), {"messages": [*CONVERSATION, HumanMessage("?")]}
    ),
    "a judge": Kind(_judge, {"work": "It passed."}, None),
    "a workflow": Kind(_workflow, {}, None),
}
"""By name, each with what may be unfinished in it."""

if hasattr(answergraph, "external_tool"):  # since 0.2
    pick = answergraph.external_tool("pick_colour", "Let the user pick a colour.", {"type": "object", "properties": {}})
    KINDS["a call made elsewhere"] = Kind(agent(calls(LOOK, ("pick_colour", {})), ANSWER, ANSWER, tools=[read_log, pick]))

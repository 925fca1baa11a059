"""What a tool returned and has no text of its own is neither a result nor a source, and the message says so."""

from datetime import date
from threading import Lock
from typing import Annotated, Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel

from answergraph import Abstention, Quote, create_agent
from answergraph.middleware import AgentMiddleware, GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run


class Row:
    """An object without a text of its own."""


class Named(Row):
    """An object with one."""

    def __str__(self) -> str:
        return "the river is 80 km long"


class Quoted(BaseModel):
    quote: Annotated[str, Quote()]


MADE: dict[str, Any] = {
    "an object": Row,
    "a list of them": lambda: [Row(), Row()],
    "a generator": lambda: (line for line in ["a"]),
    "a function": lambda: lambda: None,
    "a class": lambda: Row,
    "a dict with one": lambda: {"lock": Lock(), "held": False},
    "one below others": lambda: {"rows": [{"day": date(2026, 1, 2), "row": Row()}]},
    "a tuple with one": lambda: ("line", Row()),
}
READ: dict[str, Any] = {
    "an object with a text": (Named, "the river is 80 km long"),
    "a log with such a text": (lambda: "error in <Row object at 0x7f00>: no", "error in <Row object at 0x7f00>: no"),
    "a line that begins with one": (lambda: "<Row object at 0x7f00> failed", "<Row object at 0x7f00> failed"),
    "a dict whose text names one": (
        lambda: {"log": "<Row object at 0x7f00> failed", 1: {2}},
        "{'log': '<Row object at 0x7f00> failed', 1: {2}}",
    ),
    "brackets around a log": (lambda: "[<Row object at 0x7f00> failed]", "[<Row object at 0x7f00> failed]"),
    "a long list of them": (lambda: f"{['<Row object at 0x7f00>'] * 500}", f"{['<Row object at 0x7f00>'] * 500}"),
    "markup": (lambda: "<p>river</p>", "<p>river</p>"),
}


def looks(value: Any, *, direct: bool) -> Any:
    if direct:

        @tool
        def look() -> Any:
            """Look."""
            return value()

        return look

    @tool("look")
    def look_with_runtime(runtime: ToolRuntime) -> Any:
        """Look."""
        return value()

    return look_with_runtime


def result_of(run: Run, value: Any, *, direct: bool, middleware: Any = ()) -> ToolMessage:
    model = ScriptedChatModel(replies=[calls(call("look", {})), "Done."])
    agent: Any = create_agent(model, [looks(value, direct=direct)], middleware=middleware)
    (message,) = [m for m in run(agent, {"messages": ["Go."]})["messages"] if isinstance(m, ToolMessage)]
    return message


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "ToolNode"])
@pytest.mark.parametrize("value", MADE.values(), ids=MADE)
def test_an_object_without_a_text_is_an_error(run: Run, value: Any, direct: bool) -> None:
    message = result_of(run, value, direct=direct)
    assert message.status == "error"
    assert message.text.startswith("Tool look returned ")
    assert message.text.endswith("Whoever wrote the tool must return text, numbers, lists or dicts.")


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "ToolNode"])
@pytest.mark.parametrize(("value", "text"), READ.values(), ids=READ)
def test_a_text_stays_as_it_is(run: Run, value: Any, text: str, direct: bool) -> None:
    message = result_of(run, value, direct=direct)
    assert (message.text, message.status) == (text, "success")


class Watch(AgentMiddleware):
    """Keeps what each call of a tool gave."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        self.seen.append(handler(request))
        return self.seen[-1]

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        self.seen.append(await handler(request))
        return self.seen[-1]


def test_a_middleware_sees_the_error(run: Run) -> None:
    watch = Watch()
    message = result_of(run, Row, direct=True, middleware=[watch])
    assert watch.seen[0].status == message.status == "error"


@pytest.mark.parametrize(("value", "quote"), [(Row, "Row object"), (lambda: {"lock": Lock()}, "unlocked _thread.lock object")])
def test_an_object_supports_no_quote(run: Run, value: Any, quote: str) -> None:
    answer = calls(call("Quoted", {"quote": quote}))
    model = ScriptedChatModel(replies=[calls(call("look", {})), answer, answer, answer, answer])
    grounded = GroundedAnswer(sources=["look"], abstain=Abstention)
    agent: Any = create_agent(model, [looks(value, direct=True)], response_format=Quoted, middleware=[grounded])
    result = run(agent, {"messages": ["Go."]})
    assert result["structured_response"] is None
    assert result["outcome"]["status"] in {"invalid", "unanswered"}

"""Graphs without answergraph: LangChain's agent, a plain StateGraph, a supervisor over two agents."""

import json
import operator
from typing import Annotated, Any, Literal

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph.testing import ScriptedChatModel
from tests.answergraph.page.watched_graphs import in_turn

LIMITS = "setting | now | advised\n--- | --- | ---\nheap | 64 MB | 256 MB"
DRAFT = f"Runners start the stub with **64 MB** of heap.\n\n{LIMITS}"


@tool
def read_wiki(page: str) -> str:
    """Read a page of the wiki."""
    return "\n".join(f"line {number}: the runner gives {number} MB" for number in range(1, 41))


def _reads(page: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "read_wiki", "args": {"page": page}, "id": f"call-{page}"}])


def langchain_agent() -> Any:
    """Return LangChain's agent: it reads a page, then answers in Markdown."""
    model = ScriptedChatModel(replies=in_turn(_reads("ci-runners"), AIMessage(DRAFT)))
    return create_agent(model, [read_wiki])


class Limit(BaseModel):
    """What LangChain's agent answers with."""

    setting: str
    megabytes: int


def langchain_answer() -> Any:
    """Return LangChain's agent with a response format: it has a typed answer, and no record of how it came."""
    call = {"name": "Limit", "args": {"setting": "heap", "megabytes": 256}, "id": "limit"}
    return create_agent(ScriptedChatModel(replies=in_turn(AIMessage("", tool_calls=[call]))), response_format=ToolStrategy(Limit))


class Report(TypedDict):
    """All that the graph gives back."""

    report: str


class Draft(Report):
    """What its nodes work on."""

    topic: str


def reporting() -> Any:
    """Return a plain graph whose output is one key of its state."""

    def write(state: Draft) -> dict[str, Any]:
        return {"report": "256 MB is enough.", "topic": "limits"}

    return (
        StateGraph(Draft, output_schema=Report).add_node("write", write).add_edge(START, "write").add_edge("write", END).compile()
    )


class Notes(MessagesState):
    """Keys that the nodes write; the input needs none of them."""

    topic: str
    sources: Annotated[list[str], operator.add]
    score: float


def plain() -> Any:
    """Return a graph of plain functions with a loop; two of them run in parallel."""

    def plan(state: Notes) -> dict[str, Any]:
        return {"topic": "runner memory limits"}

    def wiki(state: Notes) -> dict[str, Any]:
        return {"sources": ["wiki/ci-runners"]}

    def web(state: Notes) -> dict[str, Any]:
        return {"sources": ["runner-docs#memory"]}

    def write(state: Notes) -> dict[str, Any]:
        return {"messages": [AIMessage(DRAFT)]}

    def grade(state: Notes) -> dict[str, Any]:
        return {"score": state.get("score", 0.0) + 0.5}

    def route(state: Notes) -> Literal["good_enough", "write_again"]:
        return "good_enough" if state["score"] > 0.5 else "write_again"

    graph = StateGraph(Notes)
    for node in (plan, wiki, web, write, grade):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan").add_edge("plan", "wiki").add_edge("plan", "web").add_edge(["wiki", "web"], "write")
    graph.add_edge("write", "grade")
    return graph.add_conditional_edges("grade", route, {"good_enough": END, "write_again": "write"}).compile()


Turn = Literal["reader", "writer", "__end__"]
TURNS: dict[str, Turn] = {"": "reader", "reader": "writer", "writer": "__end__"}


class Task(MessagesState):
    """The conversation, and the agent of the last turn."""

    last: str


def supervisor() -> Any:
    """Return a supervisor that sends two agents to work, one after the other."""

    def supervise(state: Task) -> Command[Turn]:
        following = TURNS[state.get("last", "")]
        return Command(goto=following, update={"last": following})

    reader = create_agent(
        ScriptedChatModel(replies=in_turn(_reads("limits"), AIMessage("The limit is 64 MB."))), [read_wiki], name="reader"
    )
    done = AIMessage("**Done**: see the table.\n\n" + LIMITS)
    writer = create_agent(ScriptedChatModel(replies=in_turn(done)), [], name="writer")
    graph = StateGraph(Task).add_node("supervisor", supervise).add_node("reader", reader).add_node("writer", writer)
    return graph.add_edge(START, "supervisor").add_edge("reader", "supervisor").add_edge("writer", "supervisor").compile()


def office() -> Any:
    """Return a graph with a supervisor inside, and so with agents inside that."""
    return StateGraph(MessagesState).add_node("team", supervisor()).add_edge(START, "team").add_edge("team", END).compile()


def broken() -> Any:
    """Return a graph that fails with an error whose words `langgraph dev` keeps to itself."""

    def call(state: Notes) -> dict[str, Any]:
        raise ConnectionError("no route to the wiki")

    return StateGraph(Notes).add_node("call", call).add_edge(START, "call").add_edge("call", END).compile()


def odd_names() -> Any:
    """Return a graph whose nodes are called like what every object of JavaScript has."""

    def wait(state: Notes) -> dict[str, Any]:
        return {}

    graph, names = StateGraph(Notes), ("__proto__", "constructor", "toString")
    for name in names:
        graph.add_node(name, wait)
    return (
        graph.add_edge(START, names[0])
        .add_edge(names[0], names[1])
        .add_edge(names[1], names[2])
        .add_edge(names[2], END)
        .compile()
    )


class Address(BaseModel):
    street: str
    number: int = 1


class Customer(BaseModel):
    """Who ordered."""

    name: str
    address: Address | None = None


class Article(BaseModel):
    article: str
    count: int = Field(default=1, ge=1)


class Order(TypedDict, total=False):
    """An input with objects and lists."""

    customer: Customer
    articles: list[Article]
    tags: list[str]


def ordering() -> Any:
    """Return a graph that repeats an order."""

    class Ordered(Order, total=False):
        messages: list[Any]

    def repeat(state: Ordered) -> dict[str, Any]:
        order = {key: value for key, value in state.items() if key != "messages"}
        return {"messages": [AIMessage(json.dumps(order, default=dict))]}

    graph = StateGraph(Ordered, input_schema=Order).add_node("repeat", repeat)
    return graph.add_edge(START, "repeat").add_edge("repeat", END).compile()


class Rounds(TypedDict):
    """How often the graph went round."""

    rounds: int


def thousand() -> Any:
    """Return a graph of a thousand steps; one of them writes a different text."""

    def tick(state: Rounds) -> dict[str, Any]:
        return {"rounds": state.get("rounds", 0) + 1}

    def tock(state: Rounds) -> dict[str, Any]:
        return {} if state["rounds"] != 250 else {"rounds": 250}

    def route(state: Rounds) -> Literal["again", "enough"]:
        return "again" if state["rounds"] < 500 else "enough"

    graph = StateGraph(Rounds).add_node("tick", tick).add_node("tock", tock).add_edge(START, "tick").add_edge("tick", "tock")
    return graph.add_conditional_edges("tock", route, {"again": "tick", "enough": END}).compile()

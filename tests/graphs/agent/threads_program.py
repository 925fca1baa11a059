"""A program that keeps threads of agents in a database: one process begins them, another reads and resumes them.

``python -m tests.graphs.agent.threads_program begin|resume DATABASE`` prints what each place shows of the answers and what was
logged.
"""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal

from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import StateGraph
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypedDict

from answergraph import ToolStrategy, as_node, create_agent
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.kit import AnswerChannel
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run

Saver = BaseCheckpointSaver[Any]


class Color(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    """A part."""

    color: Color
    weight_grams: float = Field(alias="weight")


class Report(BaseModel):
    """A report."""

    at: datetime
    parts: list[Part]
    note: str | None = None


@dataclass
class Place:
    """A place."""

    city: str
    since: datetime


class Route(TypedDict):
    """A route."""

    to: str
    leaves: datetime


RECORD = {
    "title": "Record",
    "type": "object",
    "properties": {"name": {"type": "string"}, "sizes": {"type": "array", "items": {"type": "integer"}}},
    "required": ["name"],
}

TEXT = "2026-11-21T08:00:00Z"
MOMENT = TypeAdapter(datetime).validate_python(TEXT)
PART = {"color": "red", "weight": 2}
REPORT = {"at": TEXT, "parts": [PART]}
(NO_REPORT,) = answer_schemas(Literal["none"])


@dataclass(frozen=True)
class Kind:
    """One way to declare an answer."""

    declared: Any
    name: str
    args: dict[str, Any]
    value: Any
    """What every place has to show."""


KINDS = {
    "model": Kind(Report, "Report", REPORT, Report.model_validate(REPORT)),
    "dataclass": Kind(Place, "Place", {"city": "Kyoto", "since": TEXT}, Place("Kyoto", MOMENT)),
    "typed dict": Kind(Route, "Route", {"to": "Nara", "leaves": TEXT}, Route(to="Nara", leaves=MOMENT)),
    "JSON Schema": Kind(RECORD, "Record", {"name": "a", "sizes": [1]}, {"name": "a", "sizes": [1]}),
    "union": Kind(Report | Place, "Place", {"city": "Kyoto", "since": TEXT}, Place("Kyoto", MOMENT)),
    "list": Kind(list[Part], "list_Part", {"value": [PART]}, [Part.model_validate(PART)]),
    "enum": Kind(Color, "Color", {"value": "blue"}, Color.BLUE),
    "number": Kind(float, "float", {"value": 2}, 2.0),
    "literal or model": Kind(Literal["none"] | Report, NO_REPORT.name, {"value": "none"}, "none"),
    "mixed": Kind((Route, RECORD), "Record", {"name": "b"}, {"name": "b"}),
}


@tool
def search(query: str) -> str:
    """Search."""
    return f"found {query}"


def agent_of(kind: Kind, saver: Saver, *replies: Any) -> Any:
    """Return an agent that stops after each answer it reads."""
    stops = ["structured_response"]
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, [search], response_format=ToolStrategy(kind.declared), checkpointer=saver, interrupt_after=stops)


def begin(kind: Kind, saver: Saver, run: Run) -> list[Any]:
    """Leave one thread with an accepted answer and one with a held one."""
    answer, search_too = call(kind.name, kind.args), call("search", {"query": "q"}, "2")
    agent = agent_of(kind, saver, calls(answer), calls(answer, search_too))
    accepted = run.stream(agent, {"messages": ["Go."]}, config_of("accepted", kind, run), stream_mode="values")[-1]
    run(agent, {"messages": ["Go."]}, config_of("held", kind, run))
    held = run.state(agent, config_of("held", kind, run)).values
    assert held["structured_response"] is None
    return [accepted["structured_response"], *seen(agent, kind, run)]


def resume(kind: Kind, saver: Saver, run: Run) -> list[Any]:
    """Continue both threads to their ends."""
    agent = agent_of(kind, saver, calls(call(kind.name, kind.args, "3")))
    before = seen(agent, kind, run)
    ended = run(agent, None, config_of("accepted", kind, run))
    confirmed = run(agent, None, config_of("held", kind, run))
    return [ended["structured_response"], *before, confirmed["structured_response"]]


class Own(TypedDict):
    """The state of a custom graph."""

    report: Annotated[Report | None, AnswerChannel]
    first: Annotated[Report | None, AnswerChannel]


def of_a_graph(saver: Saver, run: Run) -> list[Any]:
    """Run an agent inside a graph with other keys, and return what that graph's state and history show."""
    kind, model = KINDS["model"], ScriptedChatModel(replies=[calls(call("Report", REPORT))])
    agent = create_agent(model, response_format=ToolStrategy(kind.declared), name="reporter")
    node = as_node(agent, inputs=lambda state: {"messages": ["Go."]}, outputs=as_json)
    config: Any = {"configurable": {"thread_id": f"own {run.color}"}}
    graph = StateGraph(Own).add_node("reporter", node).add_edge("__start__", "reporter").compile(saver)
    before = run.state(graph, config).values
    if not before:
        run(graph, {"first": REPORT}, config)
    states = [run.state(graph, config), run.history(graph, config)[0]]
    return [state.values[key] for state in states for key in Own.__annotations__]


def as_json(result: dict[str, Any]) -> dict[str, Any]:
    return {"report": result["structured_response"].model_dump(mode="json", by_alias=True)}


def seen(agent: Any, kind: Kind, run: Run) -> list[Any]:
    """Return the accepted answer as the state shows it, and as the newest checkpoint of the history does."""
    config = config_of("accepted", kind, run)
    states = [run.state(agent, config), run.history(agent, config)[0]]
    return [state.values["structured_response"] for state in states]


def config_of(thread: str, kind: Kind, run: Run) -> Any:
    return {"configurable": {"thread_id": f"{thread} {kind.declared} {run.color}"}}


@asynccontextmanager
async def async_saver(database: str) -> AsyncIterator[Saver]:
    saver: Any = AsyncPostgresSaver if database.startswith("postgresql:") else AsyncSqliteSaver
    async with saver.from_conn_string(database) as opened:
        await opened.setup()
        yield opened


def reported(command: str, database: str) -> dict[str, list[str]]:
    """Run a command in both colours, and return per kind what each place showed."""
    act = {"begin": begin, "resume": resume}[command]
    saver: Any = PostgresSaver if database.startswith("postgresql:") else SqliteSaver
    found: dict[str, list[str]] = {}
    with asyncio.Runner() as runner:
        with saver.from_conn_string(database) as opened:
            opened.setup()
            for name, kind in KINDS.items():
                found[name] = [repr(value) for value in act(kind, opened, Run("sync", runner))]
            found["model"] += [repr(value) for value in of_a_graph(opened, Run("sync", runner))]
        context = async_saver(database)
        opened = runner.run(context.__aenter__())
        for name, kind in KINDS.items():
            found[name] += [repr(value) for value in act(kind, opened, Run("async", runner))]
        found["model"] += [repr(value) for value in of_a_graph(opened, Run("async", runner))]
        runner.run(context.__aexit__(None, None, None))
    return found


class Warned(logging.Handler):
    """Records warnings and errors of the log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


if __name__ == "__main__":
    warned = Warned()
    logging.captureWarnings(True)
    logging.getLogger().addHandler(warned)
    found = reported(*sys.argv[1:])
    json.dump({"found": found, "warned": warned.messages}, sys.stdout)

"""Every graph of ``langgraph.json`` on a real server: each stream mode, subgraphs, schemas."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.questions import QUESTIONS, SHIPPED

pytestmark = pytest.mark.server

MODES = ["values", "updates", "messages-tuple", "messages", "custom", "debug", "events", "tasks", "checkpoints"]
CONVERSATIONS = {"messages-tuple", "messages", "custom"}
"""Modes in which a graph may have nothing to say: one that calls no model, or has no typed answer."""


async def stream(client: LangGraphClient, graph: str, mode: Any, **options: Any) -> list[Any]:
    thread = await client.threads.create()
    question = QUESTIONS[graph].input
    return [part async for part in client.runs.stream(thread["thread_id"], graph, input=question, stream_mode=mode, **options)]


def test_every_graph_that_is_served_has_a_question() -> None:
    assert [graph for graph in SHIPPED if graph not in QUESTIONS] == []


@pytest.mark.parametrize("graph", SHIPPED)
async def test_a_run_ends_with_the_right_answer(client: LangGraphClient, graph: str) -> None:
    thread = await client.threads.create()
    end: Any = await client.runs.wait(thread["thread_id"], graph, input=QUESTIONS[graph].input)
    assert QUESTIONS[graph].is_right(end), end
    state = await client.threads.get_state(thread["thread_id"])
    assert state["next"] == []


@pytest.mark.parametrize("graph", SHIPPED)
async def test_each_stream_mode_shows_the_run(client: LangGraphClient, graph: str) -> None:
    streams = await asyncio.gather(*(stream(client, graph, mode) for mode in MODES))
    told = {mode: {part.event.split("/")[0].split("|")[0] for part in parts} for mode, parts in zip(MODES, streams, strict=True)}
    expected = {"messages-tuple": "messages"}
    silent = [mode for mode, events in told.items() if expected.get(mode, mode) not in events]
    assert [mode for mode in silent if mode not in CONVERSATIONS] == []
    assert [mode for mode, events in told.items() if "error" in events] == []
    last = [part.data for part in streams[0] if part.event == "values"][-1]
    assert QUESTIONS[graph].is_right(last), last


@pytest.mark.parametrize("graph", SHIPPED)
async def test_all_modes_can_be_streamed_at_once(client: LangGraphClient, graph: str) -> None:
    parts = await stream(client, graph, ["values", "updates", "messages-tuple", "custom"], stream_subgraphs=True)
    kinds = {part.event.split("|")[0] for part in parts}
    assert {"values", "updates"} <= kinds
    assert "error" not in kinds


async def test_the_steps_of_a_subgraph_are_streamed_under_its_name(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    modes: Any = ["updates", "messages-tuple", "custom"]
    question = QUESTIONS["calculator"].input
    run = client.runs.stream(thread["thread_id"], "team", input=question, stream_mode=modes, stream_subgraphs=True)
    parts = [part async for part in run]
    inner = [(part.event.split("|"), part.data) for part in parts if "|" in part.event]
    assert {event[0] for event, _ in inner} == {"updates", "messages", "custom"}
    assert {event[1].split(":")[0] for event, _ in inner} == {"calculator"}
    nodes = [node for event, update in inner if event[0] == "updates" for node in update]
    assert nodes == ["model", "tools"] * 5 + ["model", "structured_response"]
    (outer,) = [part.data for part in parts if part.event == "updates"]
    assert outer["calculator"]["structured_response"]["final_answer"] == 257.25

"""A tool that waits for a human, on a server: approve, edit, reject, and in no hurry."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.questions import asks

pytestmark = pytest.mark.server

EDITED = {"type": "edit", "edited_action": {"name": "multiply", "args": {"a": 5, "b": 5}}}
DECISIONS: list[tuple[dict[str, Any], str]] = [
    ({"type": "approve"}, "20"),
    (EDITED, "25"),
    ({"type": "reject", "message": "No products today."}, "No products today."),
    ({"type": "respond", "message": "21"}, "21"),
]


async def run_up_to_the_question(client: LangGraphClient) -> str:
    thread = (await client.threads.create())["thread_id"]
    paused: Any = await client.runs.wait(thread, "approval", input=asks("(2 + 3) × 4"))
    (asked,) = paused["__interrupt__"]
    assert asked["value"]["action_requests"][0]["args"] == {"a": 5, "b": 4}
    return thread


async def resume(client: LangGraphClient, decision: dict[str, Any]) -> tuple[dict[str, Any], str]:
    thread = await run_up_to_the_question(client)
    state: Any = await client.threads.get(thread)
    assert state["status"] == "interrupted"
    end: Any = await client.runs.wait(thread, "approval", command={"resume": {"decisions": [decision]}})
    product = next(m for m in end["messages"] if m["type"] == "tool" and m["name"] == "multiply")
    return end, product["content"]


async def test_the_run_goes_on_as_the_human_decides(client: LangGraphClient) -> None:
    ended = await asyncio.gather(*(resume(client, decision) for decision, _ in DECISIONS))
    for (end, product), (decision, expected) in zip(ended, DECISIONS, strict=True):
        assert expected in product, decision
        assert end["outcome"]["status"], decision
    assert ended[0][0]["structured_response"]["final_answer"] == 20


async def test_what_ran_before_the_question_does_not_run_again(client: LangGraphClient) -> None:
    end, _ = await resume(client, {"type": "approve"})
    assert [m["name"] for m in end["messages"] if m["type"] == "tool"][:2] == ["add", "multiply"]
    assert sum(m["type"] == "tool" and m["name"] == "add" for m in end["messages"]) == 1


async def test_a_paused_run_shows_where_it_waits(client: LangGraphClient) -> None:
    thread = await run_up_to_the_question(client)
    state = await client.threads.get_state(thread)
    assert state["next"] == ["HumanInTheLoopMiddleware.after_model"]
    assert state["tasks"][0]["interrupts"]

"""The steps of a thread are read from its checkpoints once; whoever may not read the thread is told nothing of them."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from answergraph.page import PAGE_PATH, app
from answergraph.page.kept_steps import KeptSteps


class Server:
    """A server of one thread, which only ``reader`` may read; counts the states that it reads."""

    def __init__(self, thread: str) -> None:
        self.thread = thread
        self.states: list[dict[str, Any]] = []
        self.read = 0
        self.client = TestClient(
            Starlette(routes=[*app.routes, Route("/threads/{thread}/history", self._history, methods=["POST"])])
        )

    def step(self, parent: int | None = None) -> None:
        """Add a checkpoint after the newest, or after another one."""
        number = len(self.states)
        parent = number - 1 if parent is None else parent
        of_parent = {"checkpoint_id": f"{parent:06}"} if parent >= 0 else None
        state = {"checkpoint": {"checkpoint_id": f"{number:06}"}, "parent_checkpoint": of_parent, "next": ["node"], "tasks": []}
        if parent >= 0:
            self.states[parent]["tasks"] = [{"name": "node", "result": "done"}]
        self.states.append({**state, "values": "x" * 1000, "metadata": {"source": "loop"}, "created_at": None})

    async def _history(self, request: Request) -> JSONResponse:
        if request.headers.get("authorization") != "reader":
            return JSONResponse({"detail": "Not yours."}, 403)
        asked = await request.json()
        before = asked.get("before", {"configurable": {"checkpoint_id": "~"}})["configurable"]["checkpoint_id"]
        states = [state for state in reversed(self.states) if state["checkpoint"]["checkpoint_id"] < before][: asked["limit"]]
        self.read += len(states)
        return JSONResponse(states)

    def steps(self) -> list[Any]:
        """Read all steps, as the page does."""
        steps: list[Any] = []
        while True:
            before = {"before": steps[-1]["checkpoint_id"]} if steps else {}
            response = self.client.get(
                f"{PAGE_PATH}/threads/{self.thread}/steps", params={"limit": 100, **before}, headers={"authorization": "reader"}
            )
            steps += response.json()
            if len(response.json()) < 100:
                return steps

    def reads(self) -> int:
        """Read all steps, which must be those that are stored; returns how many states were read for it."""
        before = self.read
        steps = self.steps()
        assert [step["checkpoint_id"] for step in steps] == [
            state["checkpoint"]["checkpoint_id"] for state in reversed(self.states)
        ]
        assert [step["tasks"] for step in steps] == [state["tasks"] for state in reversed(self.states)]
        return self.read - before


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Server:
    return Server(request.node.name)


def test_a_thread_that_is_read_again_costs_a_state_per_page_and_what_is_new(server: Server) -> None:
    for _ in range(5000):
        server.step()
    assert server.reads() == 5000
    assert server.reads() < 160
    for _ in range(3):
        server.step()
    assert server.reads() < 170


def test_the_newest_step_is_read_until_another_one_follows_it(server: Server) -> None:
    for _ in range(4):
        server.step()
        server.reads()
        server.states[-1]["tasks"] = [{"name": "node", "error": "It failed."}]
        server.reads()


def test_the_ends_of_branches_are_read_each_time(server: Server) -> None:
    for _ in range(10):
        server.step()
    server.reads()
    server.step(parent=4)
    server.reads()
    server.states[9]["tasks"] = [{"name": "node", "result": "went on"}]
    assert server.reads() < 10


def test_whoever_may_not_read_a_thread_gets_nothing_that_was_kept(server: Server) -> None:
    for _ in range(3):
        server.step()
    assert server.reads() == 3
    for headers in ({}, {"authorization": "other"}):
        refused = server.client.get(f"{PAGE_PATH}/threads/{server.thread}/steps", headers=headers)
        assert (refused.status_code, refused.json()) == (403, {"detail": "Not yours."})
        older = server.client.get(f"{PAGE_PATH}/threads/{server.thread}/steps?before=000002", headers=headers)
        assert (older.status_code, older.json()) == (403, {"detail": "Not yours."})


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 150, 199, 200, 201])
def test_steps_that_the_server_has_deleted_are_not_shown(server: Server, count: int) -> None:
    for _ in range(250):
        server.step()
    server.reads()
    del server.states[: 250 - count]
    server.reads()


def test_a_deleted_thread_is_gone(server: Server) -> None:
    for _ in range(3):
        server.step()
    server.reads()
    server.states.clear()
    assert server.steps() == []


async def test_no_more_is_kept_than_the_bound() -> None:
    kept = KeptSteps(most_characters=1000)
    steps: list[dict[str, object]] = [
        {"checkpoint_id": f"{number:02}", "parent_checkpoint": {"checkpoint_id": f"{number - 1:02}"}}
        for number in range(10, 0, -1)
    ]
    read: list[str] = []

    async def ask(most: int, before: str | None) -> list[dict[str, object]]:
        read.append(before or "")
        return [dict(step) for step in steps if before is None or str(step["checkpoint_id"]) < before][:most]

    for thread in ("one", "two", "one"):
        await kept.read((thread, ""), 10, None, ask)
    assert read == ["", "", ""], "the second thread put the first one out"


async def test_two_pages_that_read_a_thread_at_once_both_leave_out_what_was_deleted() -> None:
    numbers = list(range(250))

    async def ask(limit: int, before: str | None) -> list[dict[str, Any]]:
        await asyncio.sleep(0)
        older = [number for number in reversed(numbers) if before is None or f"{number:06}" < before][:limit]
        return [{"checkpoint_id": f"{n:06}", "parent_checkpoint": {"checkpoint_id": f"{n - 1:06}"}} for n in older]

    kept = KeptSteps()
    assert len(await kept.read(("thread", ""), 300, None, ask)) == 250
    del numbers[:100]
    both = await asyncio.gather(*(kept.read(("thread", ""), 300, None, ask) for _ in range(2)))
    assert [len(steps) for steps in both] == [150, 150]

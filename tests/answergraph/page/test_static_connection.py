"""A run is followed to the end that the server reports, also if connections break: `run_store.js` in a browser."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Route

from tests.suite.chromium import PATIENCE
from tests.suite.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.browser

STEPS = 24
"""Six seconds: the run goes on until its connection is cut for the second time, also where the test is slow."""
MOST_BYTES = 1_000_000
"""Bytes that 200 steps of a kilobyte may send to the page, the final state included."""

Open = Callable[[str], Page]


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def tab(context: BrowserContext) -> Open:
    """Open a tab at a server, with its own store and a record of the store's events."""

    def opened(url: str) -> Page:
        page = context.new_page()
        page.goto(f"{url}/page/")
        page.evaluate(
            """async () => {
                const { RunStore } = await import("./run_store.js");
                window.store = new RunStore();
                window.seen = [];
                store.subscribe(({ status, connection }) => seen.push({ status, connection: connection.state }));
            }"""
        )
        return page

    return opened


def start(page: Page, graph: str = "steady", rounds: int = STEPS) -> bool:
    request = {"assistant_id": graph, "input": {"messages": [{"role": "user", "content": "Go."}], "rounds": rounds}}
    taken: bool = page.evaluate("(request) => store.start(request)", request)
    return taken


def open_thread(page: Page, thread: str) -> None:
    page.evaluate("(thread) => store.openThread(thread)", thread)


def wait(page: Page, condition: str) -> None:
    """Wait until something is true of the run."""
    page.evaluate(
        """(patience) => new Promise((resolve, reject) => {
            const started = performance.now();
            const look = () => {
                const run = store.run;
                if (CONDITION) resolve();
                else if (performance.now() - started > patience) reject(new Error(JSON.stringify(run)));
                else setTimeout(look, 20);
            };
            look();
        })""".replace("CONDITION", condition),
        PATIENCE,
    )


def run_of(page: Page) -> dict[str, Any]:
    run: dict[str, Any] = page.evaluate("JSON.parse(JSON.stringify(store.run))")
    return run


def ended_with_every_step_once(page: Page, steps: int = STEPS) -> dict[str, Any]:
    wait(page, "!store.isBusy && !run.isReadingSteps")
    run = run_of(page)
    assert (run["status"], run["error"]) == ("ended", None)
    assert [step["state"] for step in run["steps"]] == ["done"] * steps
    assert [step["number"] for step in run["steps"]] == list(range(1, steps + 1))
    assert len({message["id"] for message in run["messages"]}) == len(run["messages"]) == steps + 1
    return run


@pytest.mark.parametrize("cleanly", [True, False], ids=["cleanly", "rudely"])
def test_a_run_is_followed_to_its_end_through_a_proxy_that_cuts(tab: Open, proxy: FaultyProxy, cleanly: bool) -> None:
    page = tab(proxy.url)
    assert start(page)
    for step in (3, 7):
        wait(page, f"run.steps.length >= {step}")
        assert proxy.cut(cleanly=cleanly) == 1
    ended_with_every_step_once(page)
    seen = page.evaluate("seen")
    assert "lost" in {each["connection"] for each in seen}
    assert {each["status"] for each in seen if each["connection"] == "lost"} == {"running"}


def test_events_that_come_twice_and_out_of_order_are_shown_once(tab: Open, proxy: FaultyProxy) -> None:
    page = tab(proxy.url)
    proxy.repeat()
    assert start(page)
    ended_with_every_step_once(page)
    assert proxy.repeated > STEPS


def test_a_step_whose_event_the_server_lost_is_shown_when_the_run_has_ended(tab: Open, server_url: str) -> None:
    def lose_the_third_update(route: Route) -> None:
        response = route.fetch()
        before, mark, after = response.text().partition("event: updates")
        first, second, rest = after.split("event: updates", 2)
        route.fulfill(response=response, body=mark.join([before, first, second, rest.partition("\n\n")[2]]))

    page = tab(server_url)
    page.route("**/stream", lose_the_third_update)
    assert start(page)
    ended_with_every_step_once(page)


def test_a_past_run_whose_stream_shows_no_step_is_read_from_its_checkpoints(tab: Open, server_url: str) -> None:
    """Aegra replays a run like this if its client requested only whole states."""
    first = tab(server_url)
    assert start(first)
    thread = ended_with_every_step_once(first)["thread"]
    second = tab(server_url)
    metadata = 'id: 1\nevent: metadata\ndata: {"run_id": "run", "attempt": 1}\n\n'
    second.route("**/stream*", lambda route: route.fulfill(content_type="text/event-stream", body=metadata))
    open_thread(second, thread)
    wait(second, f"run.status === 'ended' && run.steps.length === {STEPS}")


def test_while_the_server_is_away_the_run_goes_on_and_is_found_again(tab: Open, proxy: FaultyProxy) -> None:
    page = tab(proxy.url)
    start(page)
    wait(page, "run.steps.length >= 2")
    proxy.go_away()
    wait(page, "run.connection.state === 'lost' && run.connection.tries >= 2")
    assert run_of(page)["status"] == "running"
    assert run_of(page)["connection"]["retryAt"] > 0
    proxy.come_back()
    page.evaluate("store.retry()")
    wait(page, "run.connection.state === 'back'")
    ended_with_every_step_once(page)


def test_what_cannot_be_sent_is_kept_and_sent_once(tab: Open, proxy: FaultyProxy) -> None:
    page = tab(proxy.url)
    proxy.go_away()
    assert not start(page, rounds=1)
    run = run_of(page)
    assert (run["status"], run["unsent"]["message"]) == ("none", "The server does not answer.")
    assert run["unsent"]["request"]["input"]["messages"][0]["content"] == "Go."
    proxy.come_back()
    assert start(page, rounds=1)
    assert run_of(page)["unsent"] is None
    run = ended_with_every_step_once(page, 1)
    runs = page.evaluate("(thread) => fetch(`../threads/${thread}/runs`).then((found) => found.json())", run["thread"])
    assert len(runs) == 1


def test_an_old_answer_to_who_is_at_work_adds_no_step(tab: Open, server_url: str) -> None:
    """The newest checkpoint may be older than the stream, and the answer may arrive late."""
    page = tab(server_url)
    answers: list[APIResponse] = []

    def the_first_with_a_node(route: Route) -> None:
        if not answers or not any(task["name"] == "first" for task in answers[-1].json()[0]["tasks"]):
            answers.append(route.fetch())
        route.fulfill(response=answers[-1])

    page.route("**/steps?limit=1", the_first_with_a_node)
    start(page, "relay")
    wait(page, "run.steps.filter(({ node }) => node === 'first').length === 2")
    wait(page, "!store.isBusy")
    assert [(step["number"], step["node"]) for step in run_of(page)["steps"]] == [(1, "first"), (2, "second"), (3, "third")]


def test_a_run_is_joined_by_a_reload_and_a_second_tab_and_stopped_from_there(tab: Open, server_url: str) -> None:
    first = tab(server_url)
    start(first, rounds=200)
    wait(first, "run.steps.length >= 3")
    thread = run_of(first)["thread"]
    second = tab(server_url)
    open_thread(second, thread)
    wait(second, "run.status === 'running' && run.steps.length >= 4")
    second.evaluate("store.stop()")
    for page in (first, second):
        wait(page, "run.status === 'stopped'")
    assert {"stopping", "running"} <= {each["status"] for each in second.evaluate("seen")}
    assert first.evaluate("store.run.steps.at(-1).state") in {"stopped", "done"}


def test_a_tab_that_shows_a_thread_sees_the_run_that_another_one_starts_there(tab: Open, server_url: str) -> None:
    first = tab(server_url)
    start(first, rounds=1)
    run = ended_with_every_step_once(first, 1)
    second = tab(server_url)
    open_thread(second, run["thread"])
    wait(second, "run.status === 'ended'")
    start(first, rounds=STEPS)
    wait(second, "run.status === 'running'")
    for page in (first, second):
        wait(page, f"run.status === 'ended' && run.messages.length === {STEPS + 1}")


def test_two_hundred_steps_send_less_than_a_megabyte(tab: Open, server_url: str, context: BrowserContext) -> None:
    page = tab(server_url)
    brought = 0

    def count(event: dict[str, Any]) -> None:
        nonlocal brought
        brought += event["dataLength"]

    watcher = context.new_cdp_session(page)
    watcher.send("Network.enable")
    watcher.on("Network.dataReceived", count)
    read_from_checkpoints: list[str] = []
    page.on("request", lambda request: read_from_checkpoints.append(request.url) if "/steps?" in request.url else None)
    start(page, "many", rounds=200)
    run = ended_with_every_step_once(page, 200)
    page.wait_for_timeout(500)
    assert brought < MOST_BYTES
    assert [url for url in read_from_checkpoints if not url.endswith("steps?limit=1")] == []
    brought = 0
    open_thread(page, run["thread"])
    wait(page, "run.steps.length === 200")
    assert brought < MOST_BYTES

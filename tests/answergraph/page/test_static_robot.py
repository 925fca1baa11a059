"""A robot clicks while a proxy delays, hangs, cuts and repeats what the server says: the page does what it shows."""

import itertools
import logging
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.answergraph.page.conftest import LONGEST_RUN, opened, watched_page
from tests.suite.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.browser

LOG = logging.getLogger(__name__)

SEED = int(os.environ.get("ANSWERGRAPH_ROBOT_SEED", "45"))
MINUTES = float(os.environ.get("ANSWERGRAPH_ROBOT_MINUTES", "0"))
"""How long sequence follows sequence, each with the next seed; there is one at least."""
LAST_SEED = SEED + 4
ACTIONS = 24
LONGEST_DELAY = 2.0
"""In seconds, of each piece of an answer."""
ENDS = {"calculator": "Answered", "rejected": "No answer: invalid", "steady": "Failed"}
"""How the runs of each graph end; `steady` lacks an input here."""
OF_A_ROBOT = re.compile(r"\d+ \+ 1")
OVER = ("success", "error", "interrupted", "timeout")
REFUSED = 422
"""What Aegra answers whoever wants threads without their states."""
CUT = re.compile("Failed to load resource|ERR_")
"""What a browser itself writes to its console of a connection that was cut."""
WATCH_ENDS = """window.ends = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
    const said = document.querySelector("#head h1")?.textContent ?? "";
    const thread = new URLSearchParams(location.hash.slice(1)).get("thread");
    if (thread && /^(Answered|No answer|Failed|Stopped|Ended)/.test(said)) ends.push([thread, said]);
}).observe(document.body, { subtree: true, childList: true, characterData: true }));"""
WATCH_WHAT_IS_TOLD_OF_A_MESSAGE = """window.told = [];
const { get, set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
Object.defineProperty(HTMLTextAreaElement.prototype, "value", { get, set(text) {
    if (this.id === "message" && text === "") told.push([get.call(this), "sent"]);
    set.call(this, text);
} });
addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
    const said = document.getElementById("notice").textContent;
    if (said.startsWith("Your message was not sent")) told.push([document.getElementById("message").value, "not sent"]);
}).observe(document.getElementById("notice"), { childList: true }));"""
"""The page empties the box of a message that was taken; else it says that it still stands there."""
WATCH_WHAT_IS_SELECTED = """window.sent = {};
addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target.id === "message") sent[target.value] = document.getElementById("assistant").value;
}, true);"""
GO_BACK = "navigation.entries()[navigation.currentEntry.index - 1]?.sameDocument && history.back()"


@pytest.fixture
def page(browser: Browser, proxy: FaultyProxy) -> Iterator[Page]:
    yield from watched_page(browser, proxy.url, CUT)


@dataclass
class Robot:
    """Does at random what a person may do; remembers which graph was selected for each text."""

    page: Page
    proxy: FaultyProxy
    seed: int
    selected: dict[str, str] = field(default_factory=dict)
    ends: list[tuple[str, str]] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.numbers = itertools.count(1000 * self.seed)  # no two sequences send the same text

    def act(self) -> None:
        """Disturb the connection, do one thing, and wait for a moment or not."""
        disturb = self.chance.choice([self.hang, self.delay, self.cut, self.go_away, self.repeat, self.leave_alone])
        do = self.chance.choice(
            [self.begin, self.begin, self.go_on, self.open, self.open, self.look, self.stop, self.go_back, self.reload]
        )
        LOG.info("%s, %s, at %s", disturb.__name__, do.__name__, self.page.url)
        disturb()
        do()
        self.page.wait_for_timeout(self.chance.choice([0, 50, 300, 1500]))
        self.leave_alone()

    def hang(self) -> None:
        self.proxy.hang()

    def delay(self) -> None:
        self.proxy.delay(LONGEST_DELAY)

    def cut(self) -> None:
        self.proxy.cut(cleanly=self.chance.random() < 0.5)

    def go_away(self) -> None:
        self.proxy.go_away()

    def repeat(self) -> None:
        self.proxy.repeat()

    def leave_alone(self) -> None:
        self.proxy.come_back()
        self.proxy.go_on()

    def begin(self) -> None:
        self.page.select_option("#assistant", label=self.chance.choice(list(ENDS)))
        self.go_on()

    def go_on(self) -> None:
        message = self.page.locator("#message")
        graph = self.page.locator("#assistant option:checked")
        if not message.is_visible() or graph.inner_text() not in ENDS:  # only of these it is known how they end
            return
        text = f"{next(self.numbers)} + 1"
        message.fill(text)
        message.press("Enter")
        self.selected |= self.page.evaluate("sent")
        LOG.info("sends %s", self.selected.get(text, "nothing"))

    def open(self) -> None:
        threads = self.page.locator("#threads button.thread")
        if count := threads.count():
            threads.nth(self.chance.randrange(min(count, 5))).click()

    def look(self) -> None:
        self.page.locator(f"#tab-{self.chance.choice(['timeline', 'messages', 'state'])}").click()

    def stop(self) -> None:
        stop = self.page.locator("#stop")
        with suppress(PlaywrightTimeoutError):  # a quick run may be over before the click
            if stop.is_enabled():
                stop.click(timeout=1000)

    def go_back(self) -> None:
        self.page.evaluate(GO_BACK)

    def reload(self) -> None:
        self.leave_alone()
        self.keep_what_was_told()
        self.page.reload()
        self.page.wait_for_selector("body[data-ready]", timeout=LONGEST_RUN)

    def keep_what_was_told(self) -> None:
        self.ends += [(thread, said) for thread, said in self.page.evaluate("ends")]
        self.told |= dict(self.page.evaluate("told"))

    def ask_a_silent_server(self) -> None:
        """Open something while nothing is heard: the page says so before a quarter of a minute is over, and recovers."""
        self.proxy.hang()
        self.page.get_by_role("button", name="New thread").click()
        self.page.locator("#threads button.thread").first.click()
        expect(self.page.locator("#heard")).to_have_text(re.compile("^Nothing heard for 1[0-4] s"), timeout=LONGEST_RUN)
        expect(self.page.locator("#status")).to_contain_text("Nothing was heard of the server since")
        self.leave_alone()
        expect(self.page.locator("#heard")).to_contain_text("Connected", timeout=LONGEST_RUN)


def runs_of(server: httpx.Client) -> list[dict[str, Any]]:
    """Return all runs of the newest threads whose message is one of a robot's, each with its ``text``."""
    runs = []
    newest = {"limit": 100}
    threads = server.post("/threads/search", json={**newest, "select": ["thread_id"]})
    if threads.status_code == REFUSED:
        threads = server.post("/threads/search", json=newest)
    for thread in threads.raise_for_status().json():
        for run in server.get(f"/threads/{thread['thread_id']}/runs").json():
            messages = (run.get("kwargs", run).get("input") or {}).get("messages") or [{}]
            text = messages[-1].get("content")
            if isinstance(text, str) and OF_A_ROBOT.fullmatch(text):  # other tests of this server send blocks of content
                runs.append({**run, "text": text})
    return runs


def end_of(run: dict[str, Any], graphs: dict[str, str]) -> str:
    return "Stopped" if run["status"] == "interrupted" else ENDS[graphs[run["assistant_id"]]]


def test_what_was_selected_arrived_once_and_nothing_was_told_that_the_server_had_not_said(
    page: Page, proxy: FaultyProxy, server: httpx.Client
) -> None:
    graphs = {each["assistant_id"]: each["graph_id"] for each in server.post("/assistants/search", json={"limit": 100}).json()}
    for script in (WATCH_ENDS, WATCH_WHAT_IS_TOLD_OF_A_MESSAGE, WATCH_WHAT_IS_SELECTED):
        page.add_init_script(script)
    begun, sent = time.monotonic(), 0
    for seed in itertools.count(SEED):
        LOG.info("seed %d, after %.0f seconds", seed, time.monotonic() - begun)
        sent += runs_of_a_sequence(Robot(page, proxy, seed), server, graphs)
        # On a slow machine a sequence may end before a message is taken; the next one then shows what becomes of one.
        if (sent or seed == LAST_SEED) and time.monotonic() - begun >= 60 * MINUTES:
            break
    assert sent


def runs_of_a_sequence(robot: Robot, server: httpx.Client, graphs: dict[str, str]) -> int:
    """Let the robot do a sequence of actions, and compare the page with the server.

    Returns the number of messages of which the page has told that they were sent, each of which has arrived.
    """
    page = robot.page
    page.reload()
    page.wait_for_selector("body[data-ready]")
    for _ in range(ACTIONS):
        robot.act()
    robot.ask_a_silent_server()
    # What was sent at last may still be on its way: the page asks for it until it knows.
    expect(page.locator("#heard")).to_contain_text("Connected", timeout=LONGEST_RUN)
    page.wait_for_timeout(5000)
    robot.reload()
    while any(run["status"] not in OVER for run in runs_of(server)):
        page.wait_for_timeout(1000)
    runs = runs_of(server)
    own = [run for run in runs if run["text"] in robot.selected]
    sent = {run["text"]: run["assistant_id"] for run in own}
    assert len(sent) == len(own), "a message was sent twice"
    assert sent == {text: robot.selected[text] for text in sent}
    for text, said in robot.told.items():
        assert (text in sent) == (said == "sent"), (text, said)
    # A thread may hold runs of an earlier sequence too.
    by_thread = {thread: [run for run in runs if run["thread_id"] == thread] for thread in {run["thread_id"] for run in own}}
    for thread, said in robot.ends:
        if thread in by_thread:
            assert said.startswith(tuple(end_of(run, graphs) for run in by_thread[thread])), (thread, said)
    page.reload()
    for thread, newest in ((thread, max(all_runs, key=lambda run: run["created_at"])) for thread, all_runs in by_thread.items()):
        expect(page.locator(f"#threads [data-id='{thread}']")).to_be_visible()
        opened(page, graphs[newest["assistant_id"]], thread)
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{end_of(newest, graphs)}"))
    return list(robot.told.values()).count("sent")

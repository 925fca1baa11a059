"""A ledger on the page: why a map stopped, what went wrong how often, and the run of one row, by keyboard."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Semaphore, Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from answergraph.many import map_answers
from tests.answergraph.cli.opened.test_ledger_reader import with_copies
from tests.answergraph.many.invoices import agent_of, read_number
from tests.answergraph.page.conftest import faults, held_back, take_picture, take_picture_in_all_sizes, until_held, watched_page
from tests.suite.page_of_file import page_of_file

pytestmark = pytest.mark.browser

MANY = 100_000
MOST_BYTES = 30_000_000
BODIES = ["Invoice 7", "Invoice 8", "Invoice 9", *[f"page {'x' * number}" for number in range(6)]]


class Slow:
    """Holds rows back until they are let go; each ends when there is a permit for it."""

    def __init__(self) -> None:
        self.permits = Semaphore(0)
        self.asked: list[str] = []
        self.begun = Event()

    def reply(self, text: str) -> str:
        self.asked.append(text)
        self.begun.set()
        self.permits.acquire()
        return read_number(text)


def rows_under_way(place: Path) -> int:
    with closing(sqlite3.connect(place)) as ledger:
        (count,) = ledger.execute("SELECT count(*) FROM answergraph_rows WHERE state = 'running'").fetchone()
    return int(count)


def rows() -> Iterator[dict[str, Any]]:
    yield from ({"id": f"inv-{number:03}", "body": body} for number, body in enumerate(BODIES))


def test_a_hundred_thousand_rows_say_why_they_stopped_in_less_than_thirty_megabytes(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "invoices.db"
    list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=4))
    with_copies(place, MANY)
    with page_of_file(place) as url:
        for page in watched_page(browser, url, path="/"):
            # Why it stopped is said at once, and the first row that did is open.
            headline = page.get_by_role("region", name="All rows").get_by_role("heading", level=1)
            expect(headline).to_have_text("Stopped: 100 007 rows have ended")
            expect(page.locator("#map .why")).to_contain_text("4 rows in a row ended without an answer.")
            expect(page.locator("#map .why")).to_be_in_viewport(ratio=1)
            expect(page.locator("#row")).to_have_text("inv-003row 1 of 4")
            expect(page.locator("#row")).to_be_in_viewport()
            expect(page.locator(".meters > div").first).to_have_text("Costnot known no price is known")
            page.locator("#ledger-groups button", has_text="answered").first.click()
            expect(page.locator("#ledger-rows [data-row]")).to_have_count(50)
            memory = page.context.new_cdp_session(page)
            memory.send("HeapProfiler.collectGarbage")
            assert memory.send("Runtime.getHeapUsage")["usedSize"] < MOST_BYTES


def test_a_ledger_says_why_it_stopped_and_opens_a_row_that_did(browser: Browser, tmp_path: Path, pictures: Path) -> None:
    place = tmp_path / "invoices.db"
    list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=4))
    with page_of_file(place) as url:
        for page in watched_page(browser, url, path="/"):
            headline = page.get_by_role("region", name="All rows").get_by_role("heading", level=1)
            expect(headline).to_have_text("Stopped: 7 rows have ended")
            expect(page.locator("#map .why")).to_contain_text("4 rows in a row ended without an answer.")
            # An example is open.
            expect(page.locator("#row")).to_contain_text("inv-003")
            expect(page.locator("#row")).to_contain_text("row 1 of 4")
            expect(page.locator("#answers")).to_contain_text("number")
            expect(page.locator("#status")).to_have_text("Stopped: 7 rows have ended.")
            assert faults(page) == []
            take_picture_in_all_sizes(page, pictures / "page-ledger.png")
            page.set_viewport_size({"width": 820, "height": 1100})
            reason = page.locator("#ledger-groups .hint").first.bounding_box()
            assert reason
            assert reason["width"] > reason["height"], "a reason folds at its words"
            page.set_viewport_size({"width": 1440, "height": 900})

            page.locator("#ledger-groups [aria-pressed=true]").focus()
            page.keyboard.press("ArrowUp")
            page.keyboard.press("ArrowRight")
            expect(page.locator("#ledger-rows [data-row]").first).to_be_focused()
            expect(page.locator("#ledger-rows [data-row]")).to_have_count(3)
            page.keyboard.press("n")
            expect(page.locator("#row")).to_contain_text("inv-000")
            page.keyboard.press("n")
            expect(page.locator("#row")).to_contain_text("inv-001")
            expect(page.locator("#head")).to_contain_text("Answered")
            page.keyboard.press("/")
            page.keyboard.type("inv-004")
            page.keyboard.press("Enter")
            expect(page.locator("#row")).to_contain_text("inv-004")
            # Another pass writes into the ledger meanwhile.
            list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=None))
            expect(headline).to_have_text("Nobody is at work: 9 rows have ended", timeout=60_000)
            expect(page.locator(".meters")).to_contain_text("rows a second")
            assert faults(page) == []


def test_a_map_is_paused_by_keyboard_and_goes_on_at_the_next_start(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "invoices.db"
    slow = Slow()
    mapped = map_answers(agent_of(slow.reply), list(rows()), key="id", input="body", ledger=place, concurrency=2, stop_after=None)
    thread = Thread(target=lambda: list(mapped), daemon=True)
    thread.start()
    slow.begun.wait()
    while rows_under_way(place) < 2:
        Event().wait(0.02)
    with page_of_file(place, "--control") as url:
        for page in watched_page(browser, url, path="/"):
            headline = page.get_by_role("region", name="All rows").get_by_role("heading", level=1)
            expect(headline).to_have_text("Running: 0 rows have ended")
            pause = page.get_by_role("button", name="Pause")
            pause.focus()
            page.keyboard.press("Enter")
            expect(headline).to_have_text("Pausing: 0 rows have ended")
            expect(page.locator("#status")).to_have_text("Pausing: 0 rows have ended.")
            expect(page.locator("#map .why")).to_contain_text("2 rows under way end first; no more are begun.")
            expect(pause).to_be_focused()
            expect(pause).to_have_attribute("aria-disabled", "true")
            assert faults(page) == []
            slow.permits.release(9)
            thread.join()
            expect(headline).to_have_text("Paused: 2 rows have ended")
            expect(page.locator("#status")).to_have_text("Paused: 2 rows have ended.")
            expect(page.locator("#map .why")).to_contain_text("A person paused the map.")
            expect(page.locator(".meters")).to_contain_text("Left7")
            assert faults(page) == []
            assert (len(slow.asked), mapped.stopped) == (2, "A person paused the map.")

            # The next start goes on where it was.
            slow.permits.release(9)
            list(mapped)
            expect(headline).to_have_text("Nobody is at work: 9 rows have ended")
            assert len(slow.asked) == 9


def test_failures_are_marked_by_keyboard_and_asked_again_at_the_next_start(
    browser: Browser, tmp_path: Path, pictures: Path
) -> None:
    place = tmp_path / "invoices.db"
    slow = Slow()
    slow.permits.release(15)
    mapped = map_answers(agent_of(slow.reply), list(rows()), key="id", input="body", ledger=place, concurrency=2, stop_after=None)
    list(mapped)
    with page_of_file(place, "--control") as url:
        for page in watched_page(browser, url, path="/"):
            page.locator("#ledger-groups button", has_text="number").focus()
            page.keyboard.press("Enter")
            again = page.locator("#ledger-rows").get_by_role("button", name=re.compile("again|Leave"))
            expect(again).to_have_text("Ask these 6 rows again")
            again.focus()
            page.keyboard.press("Enter")
            expect(again).to_have_text("Leave as they are")
            expect(again).to_be_focused()
            expect(page.locator("#status")).to_have_text("6 rows will be asked again at the next start.")
            expect(page.locator("#map .why")).to_contain_text("6 rows will be asked again at the next start.")
            take_picture(page, pictures / "page-ledger-again.png")
            assert faults(page) == []
            page.keyboard.press("Enter")
            expect(page.locator("#status")).to_have_text("No group is asked again.")
            page.keyboard.press("Enter")
            expect(again).to_have_text("Leave as they are")
            assert len(slow.asked) == 9
            list(mapped)
            assert len(slow.asked) == 15
            expect(page.locator("#map .why")).not_to_contain_text("again")


def test_a_page_that_only_reads_says_so_and_writes_nothing(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "invoices.db"
    list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=None))
    with page_of_file(place) as url:
        for page in watched_page(browser, url, path="/"):
            expect(page.locator("#map")).to_contain_text("This page only reads. Started with --control, it can pause the map")
            page.locator("#ledger-groups button", has_text="number").click()
            expect(page.locator("#ledger-rows [data-row]")).to_have_count(6)
            expect(page.get_by_role("button", name="Pause")).to_have_count(0)
            expect(page.get_by_role("button", name="again")).to_have_count(0)
            assert page.request.post(f"{url}/opened/pause", data={}).status == 405


def test_a_late_answer_about_a_ledger_undoes_no_wish_and_a_failed_wish_is_told(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "invoices.db"
    list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=None))
    with page_of_file(place, "--control") as url:
        for page in watched_page(browser, url, re.compile("Failed to load resource"), path="/"):
            page.locator("#ledger-groups button", has_text="number").click()
            again = page.locator("#ledger-rows").get_by_role("button", name=re.compile("again|Leave"))
            page.route("**/opened/again?", lambda route: route.fulfill(status=503))
            again.click()
            expect(page.locator("#ledger-rows")).to_contain_text("That was not done: The ledger cannot be written: 503.")
            page.unroute("**/opened/again?")
            # However long the test takes, the page does not give the question up that is held.
            page.evaluate("AbortSignal.timeout = () => new AbortController().signal")
            held = held_back(page, "**/opened?")
            before = page.request.get(f"{url}/opened").json()
            until_held(page, held, 1)
            again.click()
            expect(again).to_have_text("Leave as they are")
            held[0].fulfill(json=before)
            until_held(page, held, 2)  # the page has taken the late answer, and asks anew
            assert again.inner_text() == "Leave as they are"
            held[1].abort()
            expect(page.locator("#error")).to_contain_text("Nothing new is known since")
            page.unroute("**/opened?")
            for route in held[2:]:
                route.abort()
            expect(page.locator("#error")).to_be_hidden()

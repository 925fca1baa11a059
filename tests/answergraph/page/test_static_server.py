"""The page on separate servers: one that restarts in the middle of a run, and one that requires a token."""

import json
import shutil
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.answergraph.page.conftest import LONGEST_RUN, SOME_STEPS, ended
from tests.suite import processes
from tests.suite.chromium import PATIENCE
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

pytestmark = pytest.mark.browser

STEPS = 40


def only(graph: str) -> dict[str, object]:
    """Return settings of a server with one graph of ``watched_graphs.py``."""
    return {**shipped(), "graphs": {graph: f"./tests/answergraph/page/watched_graphs.py:{graph}"}}


def opened(browser: Browser, url: str) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/page/")
    return page


def begin(page: Page, text: str, rounds: int | None = None) -> None:
    page.wait_for_selector("body[data-ready]")
    page.get_by_label("Message", exact=True).fill(text)
    if rounds:
        page.get_by_text("More input, all of it optional").click()
        page.get_by_label("Rounds").fill(str(rounds))
    page.get_by_role("button", name="Run", exact=True).click()


def try_now(page: Page) -> None:
    """Have the page connect again; if it has done so by itself since the server is there, the button is gone."""
    with suppress(PlaywrightTimeoutError):
        page.get_by_role("button", name="Try now").click(timeout=2000)


def test_a_run_is_followed_through_the_end_and_the_new_start_of_its_server(browser: Browser, tmp_path: Path) -> None:
    lay_out(tmp_path, only("steady"))
    port = processes.free_port()
    with ExitStack() as first:
        url = first.enter_context(langgraph_dev(tmp_path, {}, port))
        page = opened(browser, url)
        begin(page, "Go.", STEPS)
        expect(page.locator("#step-count")).to_have_text(SOME_STEPS)
    expect(page.locator("#notice")).to_contain_text("Connecting again.")
    expect(page.get_by_role("button", name="Try now")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Running when last heard")
    expect(page.locator("#status")).to_contain_text("Nothing was heard of the server since")
    with langgraph_dev(tmp_path, {}, port):
        try_now(page)
        assert ended(page) == "The run has ended."
        expect(page.locator("#count")).to_have_text(str(STEPS + 1))
        page.context.close()


def test_a_run_goes_on_when_its_server_is_loaded_anew(browser: Browser, tmp_path: Path) -> None:
    """``langgraph dev`` reloads when a file of the project changes."""
    lay_out(tmp_path, only("steady"))
    with langgraph_dev(tmp_path, {}, reloads=True) as url:
        page = opened(browser, url)
        begin(page, "Go.", STEPS)
        expect(page.locator("#step-count")).to_have_text(SOME_STEPS)
        (tmp_path / "edited.py").write_text("EDITED = True\n")
        expect(page.locator("#notice")).to_contain_text("Connecting again.", timeout=LONGEST_RUN)
        assert ended(page) == "The run has ended."
        expect(page.locator("#count")).to_have_text(str(STEPS + 1))
        page.context.close()


def test_a_run_that_died_with_its_server_is_said_to_be_lost(browser: Browser, tmp_path: Path) -> None:
    """Killed by ``kill -9``, this server forgets what it has not written to its files; here, that is everything."""
    lay_out(tmp_path, only("steady"))
    port = processes.free_port()
    with langgraph_dev(tmp_path, {}, port, crashes=True) as url:
        page = opened(browser, url)
        begin(page, "Go.", STEPS)
        expect(page.locator("#step-count")).to_have_text(SOME_STEPS)
    expect(page.locator("#notice")).to_contain_text("Connecting again.")
    expect(page.get_by_role("button", name="Try now")).to_be_visible()
    shutil.rmtree(tmp_path / ".langgraph_api")
    with langgraph_dev(tmp_path, {}, port):
        try_now(page)
        expect(page.locator("#status")).to_have_text("The server does not know this run.")
        expect(page.locator(".head .why")).to_contain_text("Below is what was heard until")
        expect(page.locator(".step").first).to_contain_text("1 steady")
        page.get_by_role("button", name="New thread").click()
        page.get_by_label("Rounds").fill("2")
        begin(page, "Go again.")
        assert ended(page) == "The run has ended."
        page.context.close()


def test_a_token_is_asked_for_used_for_everything_and_kept_in_the_tab(browser: Browser, tmp_path: Path) -> None:
    settings = {**only("steady"), "auth": {"path": "./examples/server/auth.py:auth", "disable_studio_auth": True}}
    lay_out(tmp_path, settings)
    with langgraph_dev(tmp_path, {"ANSWERGRAPH_TOKENS": json.dumps({"alices-token": "alice"})}) as url:
        page = opened(browser, url)
        dialog = page.get_by_role("dialog", name="This server asks for a token")
        expect(dialog.get_by_label("Token", exact=True)).to_be_focused()
        for token in ("nobodys-token", " alices-token "):
            expect(dialog.get_by_role("alert")).to_contain_text("401: Send 'Authorization: Bearer <token>'")
            dialog.get_by_label("Token", exact=True).fill(token)
            page.keyboard.press("Enter")
        begin(page, "Go.", 2)
        assert ended(page) == "The run has ended."
        page.reload()
        page.wait_for_selector("body[data-ready]")
        expect(page.locator("#count")).to_have_text("3")
        expect(dialog).to_be_hidden()
        assert page.evaluate("[Object.values(sessionStorage), localStorage.length, document.cookie]") == [["alices-token"], 0, ""]
        stranger = opened(browser, url)
        stranger.get_by_role("button", name="Cancel").click()
        expect(stranger.locator("#error")).to_contain_text("401: Send")
        for each in (page, stranger):
            each.context.close()

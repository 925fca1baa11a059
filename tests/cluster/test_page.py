# ruff: noqa: F401 - pytest finds the imported tests here, and they find these fixtures
"""The page on Aegra: what its tests find out about a run on ``langgraph dev`` holds on two Aegra servers behind nginx."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.answergraph.page.conftest import LONGEST_RUN, watched, watched_page
from tests.answergraph.page.test_static_approvals import (
    test_arguments_are_edited_in_a_form_and_what_nobody_touches_stays,
    test_one_is_rejected_with_a_reason_and_one_answered_in_the_tools_place,
)
from tests.answergraph.page.test_static_cases import test_each_run_of_an_agent_side_by_side_is_a_case_with_its_reason
from tests.answergraph.page.test_static_nested import (
    test_a_past_run_has_the_steps_of_a_graph_that_a_tool_ran,
    test_a_past_step_where_edges_join_is_there_and_a_run_goes_on_from_it,
    test_a_run_goes_on_from_before_the_subgraph_that_a_step_is_in,
)
from tests.answergraph.page.test_static_past import (
    test_a_link_leads_into_a_subgraph_of_a_past_run,
    test_a_run_that_was_resumed_and_the_one_that_resumed_it_are_told_apart,
)
from tests.answergraph.page.test_static_views import (
    test_graphs_of_others_run_and_show_what_they_left,
    test_the_state_is_edited_and_the_run_goes_on_from_there,
)
from tests.cluster.nginx import in_front_of
from tests.cluster.servers import cluster, missing
from tests.suite.chromium import chromium

pytestmark = [pytest.mark.cluster, pytest.mark.browser]

OF_AEGRA = re.compile("422")
"""Aegra refuses to list threads without their states. The page then asks for all, and the browser notes the refusal."""


@pytest.fixture(scope="module")
def server_urls() -> Iterator[list[str]]:
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    with cluster(watched()) as running:
        yield running.urls


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Closed before the next module: Playwright's event loop would stay in the way of its asynchronous tests.
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def opened_once(browser: Browser, server_urls: list[str]) -> Iterator[Page]:
    with in_front_of(server_urls) as front:
        yield from watched_page(browser, front, known=OF_AEGRA)


@pytest.fixture
def page(opened_once: Page) -> Page:
    """The same page for all tests, each with a thread of its own: to open it takes longer than most of them."""
    opened_once.set_viewport_size({"width": 1440, "height": 900})
    opened_once.get_by_role("button", name="New thread").click()
    opened_once.get_by_role("tab", name="Timeline").click()
    return opened_once


@pytest.fixture(scope="module")
def server(server_urls: list[str]) -> Iterator[httpx.Client]:
    """The other server, for the runs that the page only looks at."""
    with httpx.Client(base_url=server_urls[1], timeout=LONGEST_RUN / 1000) as client:
        yield client

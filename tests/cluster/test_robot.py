# ruff: noqa: F401, F811 - pytest finds the imported test here, and it finds these fixtures
"""The page's robot on two Aegra servers behind nginx: it clicks while a proxy disturbs what nginx passes on."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.answergraph.page.conftest import watched_page
from tests.answergraph.page.test_static_robot import (
    CUT,
    test_what_was_selected_arrived_once_and_nothing_was_told_that_the_server_had_not_said,
)
from tests.cluster.nginx import in_front_of
from tests.cluster.test_page import OF_AEGRA, browser, server, server_urls
from tests.suite.faulty_proxy import FaultyProxy, faulty_proxy

pytestmark = [pytest.mark.cluster, pytest.mark.browser]


@pytest.fixture
def proxy(server_urls: list[str]) -> Iterator[FaultyProxy]:
    with in_front_of(server_urls) as front, faulty_proxy(front) as proxy:
        yield proxy


@pytest.fixture
def page(browser: Browser, proxy: FaultyProxy) -> Iterator[Page]:
    yield from watched_page(browser, proxy.url, re.compile(f"{CUT.pattern}|{OF_AEGRA.pattern}"))

"""Debian's Chromium, for the tests that look at a page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

PATIENCE = 60_000
"""In milliseconds. Playwright's own five seconds are too few on a busy machine; what comes sooner is not waited for."""

expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start it without a window; skip where it is not installed."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    with sync_playwright() as playwright:
        # In a container there is often no user that its sandbox could run as; the pages are our own.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()

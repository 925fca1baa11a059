"""The page of a triage in a browser, on a telephone, a laptop and a wide screen."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.answergraph.cli.test_command_line import answergraph
from tests.graphs.add_ons.triage.junit_files import failed, write_results
from tests.graphs.add_ons.triage.test_clusters import no_price, refused, wrong_price
from tests.suite.chromium import chromium

pytestmark = pytest.mark.browser

SIZES = [(360, 740), (1280, 800), (2560, 1440)]
"""Width and height in pixels."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("run")
    names = [f"test_{kind}_{number}" for kind in ("refused", "wrong", "price") for number in range(4)]
    cases = [
        failed(name, detail(index))
        for index, name in enumerate(names)
        for detail in [(refused, wrong_price, no_price)[index // 4]]
    ]
    flaky = '<testcase classname="shop" name="test_shaky"><flakyFailure message="it came too late"/></testcase>'
    write_results(place, *cases, flaky)
    assert (
        answergraph("triage", str(place), "--html", str(place / "page.html"), "--source-url", "https://code.example/shop")[0] == 0
    )
    return place / "page.html"


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def page(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Page]:
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.goto(report.as_uri())
    yield page
    context.close()
    assert errors == []


def test_nothing_reaches_beyond_the_screen(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_verdict_is_chosen_and_the_others_are_hidden(page: Page) -> None:
    expect(page.locator("article:visible")).to_have_count(4)
    page.get_by_label("test and application disagree (8)").check()
    expect(page.locator("article:visible")).to_have_count(2)
    expect(page.locator("tbody tr[data-verdict]:visible")).to_have_count(2)
    expect(page.locator("article:visible mark").first).to_contain_text("price")
    page.get_by_label("all (13)").check()
    expect(page.locator("article:visible")).to_have_count(4)


def test_a_cause_is_chosen_and_shows_its_cases_with_links_to_their_code(page: Page) -> None:
    page.locator("tbody tr[data-verdict=disagreement] a").first.click()
    expect(page.locator("article:visible")).to_have_count(1)
    page.locator("article:visible summary").click()
    expect(page.locator("article:visible li")).to_have_count(4)
    link = page.locator("article:visible li a").first
    assert (link.get_attribute("href") or "").startswith("https://code.example/shop/test_shop.py#L")
    page.get_by_text("Show all causes").click()
    expect(page.locator("article:visible")).to_have_count(4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_verdict_is_green_and_each_can_be_read(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for verdict in page.locator(".verdict").all():
        colour = verdict.evaluate("element => getComputedStyle(element).color")
        red, green, blue = (int(part) for part in colour[4:-1].split(", "))
        assert not (green > red and green > blue)
    expect(page.get_by_text("should have passed").first).to_be_visible()


HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><a href='javascript:1'>x</a>"
)


def test_hostile_results_and_logs_are_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    inside = escape(HOSTILE, quote=True)
    case = failed(inside, f"{inside}\n{inside}.py:1: OSError: {inside}")
    write_results(tmp_path, case.replace("<testcase ", f'<testcase file="javascript:{inside}" line="{inside}" '), name="<b>.xml")
    (tmp_path / "<img src=x onerror=alert(1)>.log").write_text(f"ERROR {HOSTILE}\n")
    report = tmp_path / "page.html"
    assert answergraph("triage", str(tmp_path), "--html", str(report), "--source-url", "https://code.example/shop")[0] == 0
    page, asked = browser.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    expect(page.locator("article").first).to_contain_text("document.title='owned'")
    assert "owned" not in page.title().replace(HOSTILE, "")
    assert page.locator("img, a[href^=javascript], article script").count() == 0
    assert asked == [report.as_uri()]
    page.close()

"""The page in general: untrusted text, no other servers, many messages, the keyboard, screen readers, light and dark."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.answergraph.page.conftest import choose, ended, until, usual_work
from tests.answergraph.page.watched_graphs import HOSTILE, MANY

pytestmark = pytest.mark.browser


def send(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Control+Enter")
    ended(page)


def test_foreign_text_is_text_wherever_it_stands(page: Page) -> None:
    choose(page, "hostile")
    expect(page.locator("#drawing text", has_text="<img src=x").first).to_be_visible()
    page.get_by_text("The edges in words").click()
    expect(page.locator("#edges li", has_text="__start__")).to_have_text(f"__start__ → {HOSTILE}")
    send(page, HOSTILE)
    expect(page.locator(".message")).to_have_count(3)
    expect(page.locator(".message[data-type=ai] .body")).to_have_text(HOSTILE)
    expect(page.locator("[data-node]")).to_contain_text("<img")
    assert page.title() == "Ended · answergraph"
    assert page.locator("main img, main script, main a[href]").count() == 0


def test_the_browser_itself_refuses_what_comes_from_elsewhere(browser: Browser, server_url: str) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{server_url}/page/")
    elsewhere = server_url.replace("127.0.0.1", "localhost")
    refused = page.evaluate(
        """async (elsewhere) => {
            const refused = new Set();
            document.addEventListener("securitypolicyviolation", ({effectiveDirective}) => refused.add(effectiveDirective));
            const add = (tag, attributes) => document.body.append(Object.assign(document.createElement(tag), attributes));
            add("img", {src: `${elsewhere}/ok`});
            add("script", {src: `${elsewhere}/page/main.js`});
            add("script", {textContent: "window.ran = true"});
            add("link", {rel: "stylesheet", href: `${elsewhere}/page/style.css`});
            add("iframe", {src: `${elsewhere}/ok`});
            await fetch(`${elsewhere}/ok`).catch(() => {});
            while (refused.size < 5) await new Promise(requestAnimationFrame);
            return [...refused].sort();
        }""",
        elsewhere,
    )
    assert refused == ["connect-src", "frame-src", "img-src", "script-src-elem", "style-src-elem"]
    assert page.evaluate("window.ran") is None


def drawn(page: Page) -> int:
    """Return how many messages the browser lays out and paints."""
    look = "all => all.filter(each => each.checkVisibility({contentVisibilityAuto: true})).length"
    count: int = page.locator(".message > h2").evaluate_all(look)
    return count


def test_of_two_thousand_messages_only_what_is_seen_is_drawn(page: Page) -> None:
    choose(page, "long")
    send(page, "Go on.")
    expect(page.locator(".message")).to_have_count(MANY + 1)
    page.get_by_role("tab", name="Messages").click()
    expect(page.locator(".message").last).to_be_in_viewport()
    page.locator("#messages").focus()
    page.keyboard.press("Home")
    expect(page.locator(".message").first).to_be_in_viewport()
    until(page, lambda: 0 < drawn(page) < 60, "what is seen is drawn, and little else")
    # A jump is answered within a few pictures.
    work = usual_work(page, "(list) => { list.scrollTop += list.scrollHeight / 40; }")
    assert work < 300, "milliseconds for one jump through the list"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".message")).to_have_count(MANY + 1)
    until(page, lambda: 0 < drawn(page) < 60, "what is seen is drawn, and little else")


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the input")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    choose(page, "calculator")
    page.get_by_label("Message", exact=True).focus()
    page.keyboard.type("12 + 30")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    ended(page)
    for _ in range(200):  # each thread in the list is a stop
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('chip')"):
            break
    page.keyboard.press("Space")
    expect(page.get_by_role("region", name="Evidence for final_answer")).to_be_focused()


def test_a_screen_reader_finds_names_landmarks_and_news(page: Page) -> None:
    choose(page, "calculator")
    send(page, "12 + 30")
    for role, name in [
        ("navigation", "Threads and checkpoints"), ("region", "Graph"), ("region", "Answer"), ("region", "Outcome"),
        ("form", "Input"), ("treegrid", "Steps"),
        ("group", "The graph calculator"), ("tablist", "The run"), ("combobox", "Graph"), ("textbox", "Message"),
    ]:  # fmt: skip
        expect(page.get_by_role(role, name=name, exact=True)).to_be_visible()  # type: ignore[arg-type]  # a literal, from a table
    expect(page.get_by_role("status")).to_have_text("The run has ended: answered.")
    unnamed = "all => all.filter(each => !(each.labels?.length || each.ariaLabel || each.textContent.trim())).length"
    assert page.locator("button, input, select, textarea").evaluate_all(unnamed) == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_contrasts_with_its_background(page: Page, theme: str) -> None:
    page.get_by_label("Colours").select_option(theme)
    ratios: dict[str, float] = page.evaluate(
        """() => {
            const probe = document.body.appendChild(document.createElement("i"));
            const luminance = (name) => {
                probe.style.color = `var(${name})`;
                const [r, g, b] = getComputedStyle(probe).color.match(/[0-9.]+/g).map((value) => {
                    const part = value / 255;
                    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
                });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const ratio = (one, other) => {
                const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
                return (light + 0.05) / (dark + 0.05);
            };
            const words = ["ink", "ink-2", "ink-3"];
            const tones = ["accent", "ok", "honest", "you", "away", "no", "limit", "refused", "idle"];
            const on = (name, places) => places.map((behind) => [`--${name}`, `--${behind}`]);
            const pairs = [...words.flatMap((name) => on(name, ["ground", "pane", "sunk", "raised"])),
                ...tones.flatMap((name) => on(name, ["ground", "pane", "sunk", `${name}-soft`]))];
            pairs.push(["--ink", "--mark"], ["--on-accent", "--accent"]);
            return Object.fromEntries(pairs.map(([one, other]) => [`${one} on ${other}`, ratio(one, other)]));
        }"""
    )
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


def test_the_choice_of_colours_is_kept(page: Page) -> None:
    page.get_by_label("Colours").select_option("dark")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 19, 23)"

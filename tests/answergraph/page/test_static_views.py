"""The views of a run at every screen size: head, attempts, timeline, graph, state, two runs side by side."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.answergraph.page.conftest import LONGEST_RUN, all_steps_read, choose, ended, every_row_drawn, is_cut_off, usual_work
from tests.answergraph.page.watched_graphs import HOSTILE

pytestmark = pytest.mark.browser


def run(page: Page, graph: str, text: str = "Why did the build fail?") -> None:
    """Carry out a run of a graph and wait for its end."""
    choose(page, graph)
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)


def steps(page: Page) -> list[str]:
    """Return all rows of the timeline, with a bar between cells; the window is high enough to show all rows."""
    all_steps_read(page)
    page.set_viewport_size({"width": 1440, "height": 2400})
    every_row_drawn(page)
    text: list[str] = page.locator(".step").evaluate_all(
        "all => all.map(row => [...row.children].map(cell => cell.textContent.trim()).join(' | '))"
    )
    return text


def test_each_step_says_what_it_decided_and_why_the_run_went_on(page: Page) -> None:
    run(page, "grounded")
    told = [re.sub(r" \| [0-9.<]+ m?s \|", " | time |", row) for row in steps(page)]
    assert told[0].startswith("1 | model | calls read_log | ")
    assert told[0].endswith("→ call_tools")
    assert "2 | read_log | a.log · 3 lines" in told[1]
    assert told[2].startswith("3 | model | answers with Finding | ")
    assert told[3].startswith("4 | structured_response | quotes[0]")
    assert told[3].endswith("→ ask_again")
    assert told[5].startswith("6 | structured_response | accepted, 1 passage found")
    assert told[5].endswith("■ finish")


def test_the_head_says_why_there_is_no_answer(page: Page) -> None:
    run(page, "rejected")
    head = page.get_by_role("region", name="Outcome")
    expect(head.get_by_role("heading", level=1)).to_have_text("No answer: invalid after 4 attempts")
    expect(head.locator(".why")).to_contain_text("quotes[0]")
    expect(head.locator(".usage")).to_contain_text("5 of 50 model calls")
    expect(head.locator(".usage")).to_contain_text("4 of 4 attempts")
    expect(page.locator(".answer td[data-tone=no]")).to_have_count(4)


def test_a_past_run_has_its_steps_and_its_path(page: Page) -> None:
    run(page, "calculator", "(17 × 23) + (89 ÷ 4) - 156")
    before = [row.split(" | ")[1:3] for row in steps(page)]
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.get_by_role("treegrid")).to_have_attribute("aria-rowcount", str(len(before)))
    assert [row.split(" | ")[1:3] for row in steps(page)] == before
    expect(page.locator("#drawing .edge.taken").first).to_be_visible()


def test_a_step_and_its_edge_are_chosen_together(page: Page) -> None:
    run(page, "grounded")
    page.locator(".step").nth(3).click()
    expect(page.locator("#drawing .edge.selected")).to_have_attribute(
        "aria-label", re.compile("^structured_response to model, ask_again, taken once")
    )
    expect(page.get_by_role("region", name="Step 4, structured_response")).to_be_visible()
    page.keyboard.press("g")
    expect(page.locator("#drawing .edge.selected")).to_be_focused()
    page.locator(".step").nth(3).press("ArrowDown")
    expect(page.get_by_role("region", name="Step 5, model")).to_contain_text("answers with Finding")
    page.locator("#drawing .node", has_text="tools").click()
    expect(page.locator(".step")).to_have_count(1)
    page.get_by_role("button", name="Show all nodes").click()
    expect(page.locator(".step")).to_have_count(6)


def test_a_thousand_steps_stay_fluent(page: Page) -> None:
    choose(page, "thousand")
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ended: 1 000 steps, no error")
    assert page.locator(".step").count() < 12, "what repeats is folded"
    expect(page.locator(".step.folded")).to_contain_text("more steps")
    page.locator(".step.folded").first.click()
    rows = page.get_by_role("treegrid")
    assert int(rows.get_attribute("aria-rowcount") or 0) > 900
    assert page.locator(".step").count() < 80, "only what is in sight is in the document"
    work = usual_work(page, "(list) => { list.scrollTop += 700; }")
    assert work < 300, "milliseconds for one picture"


def overlaps(page: Page) -> list[str]:
    """Return the labels and nodes of the drawing that overlap."""
    found: list[str] = page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll("#drawing .edge text, #drawing .node:not(.group) > rect")]
                .map((each) => [each.textContent || each.parentNode.ariaLabel, each.getBoundingClientRect()]);
            return boxes.flatMap(([one, a], index) => boxes.slice(index + 1)
                .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
                .map(([other]) => `${one} over ${other}`));
        }"""
    )
    return found


@pytest.mark.parametrize("graph", ["grounded", "agent", "react", "triage", "workflow", "supervisor", "plain"])
def test_no_reason_lies_over_another(page: Page, graph: str) -> None:
    choose(page, graph)
    assert overlaps(page) == []
    while page.locator("#drawing .node[aria-expanded=false]").count():
        page.locator("#drawing .node[aria-expanded=false]").first.press("Enter")
    assert overlaps(page) == [], "with all subgraphs open"


def test_a_graph_is_drawn_whatever_its_nodes_are_called(page: Page) -> None:
    choose(page, "odd_names")
    expect(page.locator("#drawing .node > title")).to_have_text(["__start__", "__proto__", "constructor", "toString", "__end__"])
    expect(page.locator("#drawing .edge")).to_have_count(4)


def test_the_graph_is_zoomed_and_fitted(page: Page) -> None:
    choose(page, "workflow")
    drawing = page.locator("#drawing svg")
    fitted = drawing.get_attribute("width") or ""
    page.get_by_role("button", name="Draw larger").click()
    expect(drawing).not_to_have_attribute("width", fitted)
    assert float(drawing.get_attribute("width") or 0) > float(fitted) * 1.2
    page.get_by_role("button", name="Fit the graph").click()
    expect(drawing).to_have_attribute("width", fitted)


def test_the_graph_is_made_wider_by_keys_and_by_drawing_and_stays_so(page: Page) -> None:
    choose(page, "workflow")
    side = page.get_by_role("complementary", name="Graph and details")
    line = page.get_by_role("separator", name="Width of the graph")
    line.press("ArrowLeft")
    expect(side).to_have_css("width", "420px")
    line.hover()
    page.mouse.down()
    page.mouse.move(840, 400)
    page.mouse.up()
    expect(side).to_have_css("width", "600px")
    page.reload()
    expect(side).to_have_css("width", "600px")
    expect(line).to_have_attribute("aria-valuenow", "600")


@pytest.mark.parametrize(("graph", "nodes"), [("langchain_agent", "model"), ("plain", "grade"), ("supervisor", "reader")])
def test_graphs_of_others_run_and_show_what_they_left(page: Page, graph: str, nodes: str) -> None:
    run(page, graph, "What memory do our runners have?")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ended: ")
    expect(page.locator("#left table")).to_contain_text("256 MB")
    expect(page.locator(".step", has_text=nodes).first).to_be_visible()
    page.get_by_role("tab", name="State").click()
    expect(page.get_by_role("tabpanel", name="State")).to_contain_text("messages")
    page.get_by_role("tab", name="Messages").click()
    expect(page.locator(".message strong").first).to_be_visible()


def test_the_state_is_edited_and_the_run_goes_on_from_there(page: Page) -> None:
    run(page, "plain", "What memory?")
    page.locator(".step", has_text="grade").last.click()
    page.get_by_role("button", name="Edit the state").click()
    form = page.get_by_role("form", name="Edit the state")
    form.get_by_label("topic").fill("{")
    form.get_by_role("button", name="Save and run on").click()
    expect(form.get_by_label("topic")).to_be_focused()
    form.get_by_label("topic").fill('"heap sizes"')
    form.get_by_role("button", name="Save and run on").click()
    expect(page.locator("#left")).to_contain_text("heap sizes", timeout=LONGEST_RUN)


def test_the_state_before_a_node_where_edges_join_is_its_own(page: Page) -> None:
    run(page, "plain", "What memory?")
    page.locator(".step", has_text=re.compile("^3")).click()
    page.get_by_role("button", name="Edit the state").click()
    form = page.get_by_role("form", name="Edit the state")
    expect(form.get_by_label("sources")).to_have_value(re.compile("wiki"))
    expect(form.get_by_label("score")).to_have_count(0)


def test_back_leads_to_what_was_open_before(page: Page) -> None:
    run(page, "calculator", "12 + 30")
    address = page.url
    page.get_by_role("tab", name="Messages").click()
    page.get_by_role("button", name="New thread").click()
    expect(page.locator(".message")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("tab", name="Messages")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".message").first).to_contain_text("12 + 30")
    page.go_back()
    expect(page).to_have_url(address)
    expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")


def test_a_thread_is_listed_by_its_first_message_and_how_it_ended(page: Page) -> None:
    run(page, "rejected", "Is the shop open?")
    thread = page.locator("#threads button").first
    expect(thread).to_contain_text("Is the shop open?")
    expect(thread).to_contain_text("invalid")
    expect(thread.get_by_text("rejected", exact=True)).to_be_visible()
    page.get_by_label("Find a thread").fill("shop")
    expect(thread).to_be_visible()
    page.get_by_label("Find a thread").fill("nothing of the kind")
    expect(thread).to_be_hidden()


def test_markdown_is_made_of_elements_and_never_of_html(page: Page) -> None:
    links = "[bad](javascript:alert(1)) [good](https://example.org)"
    text = f"# Head\n\n**bold** {HOSTILE} {links}\n\n![remote](https://example.org/a.png)"
    made = page.evaluate(
        """async (text) => {
            const { markdown } = await import("./markdown.js");
            const made = markdown(text);
            document.querySelector("main").append(made);
            return { images: made.querySelectorAll("img, script").length,
                links: [...made.querySelectorAll("a")].map(({ href, rel }) => [href, rel]),
                bold: made.querySelector("strong").textContent, text: made.textContent };
        }""",
        text,
    )
    assert made["images"] == 0
    assert made["links"] == [
        ["https://example.org/", "noopener noreferrer"],
        ["https://example.org/a.png", "noopener noreferrer"],
    ]
    assert made["bold"] == "bold"
    assert "<script>" in made["text"]


@pytest.fixture(params=[(1440, 900), (1024, 768), (390, 844)], ids=["wide", "tablet", "phone"])
def sized(request: pytest.FixtureRequest, page: Page) -> Page:
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_size_in_both_schemes_is_accessible_and_fits(sized: Page, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def is_accessible() -> None:
        found = axe.run(sized, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
        assert not is_cut_off(sized)

    sized.get_by_label("Colours").select_option(theme)
    for graph in ("grounded", "plain"):
        run(sized, graph)
        for tab in ("Timeline", "Messages", "State"):
            sized.get_by_role("tab", name=tab).click()
            is_accessible()
    sized.get_by_label("Message", exact=True).fill("And now?")
    sized.get_by_role("button", name="Run", exact=True).click()
    expect(sized.locator("#runs")).to_be_visible()
    ended(sized)
    sized.get_by_label("The run of this thread").select_option(index=1)
    expect(sized.locator("#runs")).to_contain_text("An earlier run.")
    sized.get_by_role("button", name="Compare").click()
    sized.get_by_label("The run to compare with").select_option(index=1)
    expect(sized.get_by_role("region", name="Comparison").locator("tbody tr").first).to_be_visible()
    is_accessible()
    expect(sized.get_by_label("Message", exact=True)).to_be_in_viewport()


def test_on_a_phone_the_graph_is_a_tab_and_the_threads_are_a_drawer(browser: Browser, server_url: str) -> None:
    """On a phone the graph is a tab with a way back, and the threads are a drawer."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{server_url}/page/#assistant=plain")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#drawing")).to_be_hidden()
    page.get_by_role("tab", name="Graph").click()
    expect(page.locator("#drawing svg")).to_be_visible()
    page.get_by_role("button", name="Back to the run").click()
    expect(page.locator("#drawing")).to_be_hidden()
    expect(page.get_by_role("navigation")).to_be_hidden()
    page.get_by_role("button", name="Threads").click()
    expect(page.get_by_role("navigation")).to_be_visible()
    context.close()

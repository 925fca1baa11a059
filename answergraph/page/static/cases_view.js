// The cases of a run on the page: how many ended how, and a row for each, which opens to its answer and leads to its steps.

import { button, counted, el, icon, lasted, plural, svg } from "./dom.js";
import { statusWords } from "./outcome_words.js";
import { spansIn } from "./time_strip.js";

/** How many rows are shown before the rest is asked for. */
const MAX_SHOWN = 200;

export class CasesView {
  #place;
  #card;
  #goTo;
  #cases = [];
  /** @type {Map<string, {element: HTMLElement, print: string}>} */
  #rows = new Map();
  #thread = null;
  #verdict = null;
  #shown = MAX_SHOWN;
  #kinds = el("div.row", { role: "group", "aria-label": "Which cases" });
  #list = el("div.cases", { role: "list" });
  #more = button("Show all cases", () => ((this.#shown = Infinity), this.#draw()), { kind: "quiet" });
  #none = el("p.hint", {}, "Nothing ran in parallel in this run.");

  /** @param {HTMLElement} place @param {(record: object) => HTMLElement} card shows an answer
   * @param {(id: string) => void} goTo shows the steps of a case
   */
  constructor(place, card, goTo) {
    this.#place = place;
    this.#card = card;
    this.#goTo = goTo;
    place.replaceChildren(this.#kinds, this.#list, this.#more, this.#none);
  }

  /** @param {import("./cases.js").Case[]} cases @param {string|null} thread */
  show(cases, thread) {
    this.#cases = cases;
    if (thread !== this.#thread) {
      this.#rows.clear();
      this.#verdict = null;
      this.#shown = MAX_SHOWN;
    }
    this.#thread = thread;
    if (!this.#place.hidden) this.#draw();
  }

  #draw() {
    const kinds = Map.groupBy(this.#cases, ({ verdict }) => verdict);
    if (!kinds.has(this.#verdict)) this.#verdict = null;
    const chosen = this.#verdict === null ? this.#cases : kinds.get(this.#verdict);
    this.#drawKinds(kinds);
    let next = this.#list.firstElementChild;
    const spans = this.#cases.flatMap((each) => each.spans);
    const begin = spans.reduce((least, { began }) => Math.min(least, began), Infinity);
    const whole = Math.max(1, spans.reduce((most, { ended }) => Math.max(most, ended), 0) - begin);
    for (const each of chosen.slice(0, this.#shown)) {
      const element = this.#row(each);
      drawSpans(element.querySelector(".spans"), each.spans, begin, whole);
      if (element === next) next = next.nextElementSibling;
      else this.#list.insertBefore(element, next);
    }
    while (next) {
      const gone = next;
      next = next.nextElementSibling;
      gone.remove();
    }
    this.#more.hidden = chosen.length <= this.#shown;
    this.#more.textContent = `Show all ${counted(chosen.length)} cases`;
    this.#none.hidden = chosen.length > 0;
  }

  #drawKinds(kinds) {
    const options = [[null, this.#cases], ...kinds];
    const texts = options.map(([verdict, { length }]) => `${verdict ?? "All"} ${counted(length)}`);
    const isSame = texts.join() === [...this.#kinds.children].map(({ textContent }) => textContent).join();
    if (!isSame)
      this.#kinds.replaceChildren(...options.map(([verdict], index) => button(texts[index], () => ((this.#verdict = verdict), this.#draw()), { kind: "small" })));
    for (const [index, [verdict]] of options.entries())
      this.#kinds.children[index].setAttribute("aria-pressed", String(verdict === this.#verdict));
    this.#kinds.hidden = kinds.size < 2;
  }

  #row({ step, record, spans, ...told }) {
    const known = this.#rows.get(told.id);
    const print = JSON.stringify([told, Boolean(record)]);
    if (known?.print === print) return known.element;
    const element = known?.element ?? this.#made(told.id);
    const { tone, icon: sign } = statusWords(told.status);
    const [box, summary] = [element.firstElementChild, element.querySelector("summary")];
    box.dataset.status = told.status;
    summary.replaceChildren(
      el("span.title", {}, told.title),
      el("span.badge", { "data-tone": tone }, icon(sign), told.verdict.replaceAll("_", " ")),
      el("span.why", {}, told.why),
      svg("svg", { class: "spans", viewBox: "0 0 1000 14", preserveAspectRatio: "none", "aria-hidden": "true" }),
      el("span.figure", {}, step ? [plural(told.steps, "step"), lasted(told.took)].filter(Boolean).join(", ") : ""),
    );
    while (summary.nextSibling) summary.nextSibling.remove();
    this.#rows.set(told.id, { element, print });
    this.#open(box, told.id);
    return element;
  }

  #made(id) {
    const box = el("details.case", { "data-id": id }, el("summary"));
    box.addEventListener("toggle", () => this.#open(box, id));
    return el("div", { role: "listitem" }, box);
  }

  /** What a case opens to is made when it is opened. */
  #open(box, id) {
    const found = this.#cases.find((each) => each.id === id);
    if (!box.open || box.children.length > 1 || !found) return;
    const { step, record, why, steps } = found;
    box.append(
      ...[
        record ? this.#card(record) : why && el("p", {}, why),
        step && button(`Its ${plural(steps, "step")} in the timeline`, () => this.#goTo(step.id), { kind: "small" }),
      ].filter(Boolean),
    );
  }
}

/** Draw when a case was at work, on the axis of all cases: its row says the same in words. */
function drawSpans(place, spans, begin, whole) {
  const lines = [...Map.groupBy(spans, ({ kind }) => kind)].map(([kind, own]) => [kind, spansIn(own, begin, whole)]);
  const print = JSON.stringify(lines);
  if (print === place.dataset.print) return;
  place.dataset.print = print;
  place.replaceChildren(...lines.map(([kind, d]) => svg("path", { "data-kind": kind, d })));
}

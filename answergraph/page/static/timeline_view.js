// The timeline on the page: rows of one height, of which only those in sight are in the document; above them the strip of time.

import { button, counted, el } from "./dom.js";
import { folded } from "./repeated_steps.js";
import { BUSY } from "./run_status.js";
import { stepRow } from "./step_row.js";
import { drawStrip } from "./time_strip.js";
import { Timeline } from "./timeline.js";

const FILTERS = {
  all: { label: "All steps", fits: () => true },
  errors: { label: "Errors", fits: ({ tone }) => tone === "no" },
  tools: { label: "Tools", fits: ({ kind }) => kind === "tool" },
  answers: { label: "Answers", fits: ({ kind }) => kind === "answer" },
};
/** How many rows beyond what is in sight are in the document. */
const BEYOND = 8;

export class TimelineView {
  #place;
  #scroll;
  #actions;
  #rows = [];
  #opened = new Map();
  #selected = null;
  #filter = "all";
  #path = null;
  #words = "";
  #run = null;
  #reasons = new Map();
  #drawn = new Map();
  #seen = 0;
  /** Where the page was before it followed a run by itself; null once a person has moved it. */
  #followedFrom = null;
  #parts;

  /** @param {HTMLElement} place @param {HTMLElement} scroll what scrolls
   * @param {{choose: (row: object) => void, inside: (step: object) => void, look: (step: object) => void, older: () => void,
   *   graph: () => void}} actions a row was chosen; steps are missing; a tool came into sight, which may have run a graph
   */
  constructor(place, scroll, actions) {
    this.#place = place;
    this.#scroll = scroll;
    this.#actions = actions;
    this.#parts = this.#build();
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"])
      scroll.addEventListener(kind, () => (this.#followedFrom = null), { passive: true });
    scroll.addEventListener("scroll", () => this.#draw(), { passive: true });
    // What stands above the rows may change its height after they were drawn, and so which of them are in sight.
    const watch = new ResizeObserver(() => this.#draw());
    for (const each of [scroll, ...scroll.children]) watch.observe(each);
  }

  #build() {
    const strip = el("div.strip", { "aria-hidden": "true" });
    const filter = el(
      "select",
      { "aria-label": "Which steps", onchange: ({ target }) => ((this.#filter = target.value), this.#refresh()) },
      ...Object.entries(FILTERS).map(([value, { label }]) => el("option", { value }, label)),
    );
    const search = el("input", {
      type: "search",
      placeholder: "Find in steps, arguments and results",
      "aria-label": "Find a step",
      oninput: ({ target }) => ((this.#words = target.value.toLowerCase()), this.#refresh()),
    });
    const unfilter = button("Show all nodes", () => this.only(null), { kind: "small" });
    const filters = el("div.filters", {}, filter, search, unfilter);
    const head = el(
      "div.steps-head",
      { "aria-hidden": "true" },
      el("span"),
      el("span", {}, "Step"),
      el("span", {}, "What happened"),
      el("span.figure.tokens", {}, "Tokens"),
      el("span.figure.cost", {}, "Cost"),
      el("span.figure", {}, "Time"),
      el("span", {}, "Then"),
    );
    const rows = el("div.rows", { role: "treegrid", "aria-label": "Steps", onkeydown: (event) => this.#key(event) });
    const none = el("p.hint");
    const load = button("Load the older steps", () => this.#actions.older(), { kind: "small" });
    const reading = el("span.hint", {}, "Reading the older steps …");
    const older = el("div.older", { hidden: true }, load, reading);
    const more = button("", () => this.#toEnd());
    const follow = el("div.follow", { hidden: true }, more);
    this.#place.replaceChildren(strip, filters, head, older, rows, none, follow);
    return { strip, older, load, reading, rows, none, follow, more, unfilter, search, head, filters };
  }

  /** Show a run. */
  show(run, reasons) {
    const isSame = run.thread === this.#run?.thread && run.id === this.#run?.id;
    if (!isSame) {
      this.#opened.clear();
      this.#seen = 0;
      this.#path = null;
      this.#followedFrom = null;
    }
    const wasAtEnd = this.#isAtEnd;
    this.#run = run;
    this.#reasons = reasons;
    this.#refresh();
    const isLive = run.steps.some(({ state }) => state === "running");
    if (!isLive || wasAtEnd) this.#seen = run.steps.length;
    if (isLive && wasAtEnd && isSame && !this.#place.hidden && this.#rows.length > 8) this.#follow();
    else if (!BUSY.includes(run.status) && this.#followedFrom !== null) this.#goBack();
    const missed = run.steps.length - this.#seen;
    this.#parts.follow.hidden = missed <= 0;
    this.#parts.more.textContent = `${counted(missed)} new ${missed === 1 ? "step" : "steps"}`;
  }

  /** Show only the visits of one node, or all. */
  only(path) {
    this.#path = path;
    this.#refresh();
  }

  /** Select a row, open it and what it lies in, and bring it into view. @param {string} id */
  reveal(id) {
    this.#opened.set(id, true);
    for (const parts = String(id).split("|"); parts.length > 1; parts.pop()) this.#openAround(id);
    this.#refresh();
    const fold = this.#rows.find(({ kind, hidden }) => kind === "fold" && hidden.some((row) => row.id === id));
    if (fold) this.#toggle(fold, true);
    const at = this.#rows.findIndex((row) => row.id === id);
    if (at < 0) return null;
    this.#choose(at, false);
    return this.#rows[at];
  }

  #openAround(id) {
    const step = this.#run?.steps.find((each) => each.id === id);
    for (let space = step?.space; space; space = space.includes("|") ? space.slice(0, space.lastIndexOf("|")) : "") {
      const around = this.#run.steps.find(({ childSpace }) => childSpace === space);
      if (around) this.#opened.set(around.id, true);
    }
  }

  get selected() {
    return this.#selected;
  }

  #refresh() {
    if (!this.#run) return;
    const timeline = new Timeline(this.#run, this.#reasons);
    const isWhole = this.#filter === "all" && !this.#words && !this.#path;
    const top = timeline.rows();
    this.#parts.older.hidden = !this.#run.olderSteps;
    this.#parts.load.hidden = this.#run.olderSteps === "loading";
    this.#parts.reading.hidden = this.#run.olderSteps !== "loading";
    const opened = new Set([...this.#opened].filter(([, isOpen]) => isOpen).map(([id]) => id));
    this.#rows = isWhole
      ? this.#flat(timeline, folded(top, opened))
      : this.#flat(timeline, top, true).filter((row) => this.#fits(row));
    drawStrip(this.#parts.strip, top, ({ id }) => this.#choose(this.#rows.findIndex((row) => row.id === id)));
    this.#parts.none.hidden = this.#rows.length > 0;
    this.#parts.none.textContent = top.length ? "No step matches." : this.#run.status === "none" ? "No steps yet." : "The steps of this run are not known.";
    this.#parts.filters.hidden = top.length === 0;
    this.#parts.unfilter.hidden = !this.#path;
    this.#parts.head.hidden = this.#rows.length === 0;
    this.#place.toggleAttribute("data-priced", this.#rows.some(({ cost }) => cost));
    this.#place.toggleAttribute("data-no-then", this.#rows.every(({ then }) => !then));
    this.#parts.rows.setAttribute("aria-rowcount", String(this.#rows.length));
    this.#parts.rows.setAttribute("aria-busy", String(this.#run.isReadingSteps || this.#run.olderSteps === "loading"));
    this.#drawn.clear();
    this.#draw(true);
  }

  #fits(row) {
    if (!FILTERS[this.#filter].fits(row)) return false;
    if (this.#path && [row.step.inside, row.step.node].filter(Boolean).join(":") !== this.#path) return false;
    return (!this.#words || `${row.name} ${row.what} ${row.then} ${JSON.stringify(row.message ?? row.step.wrote ?? "")}` .toLowerCase() .includes(this.#words));
  }

  #flat(timeline, rows, isAll = false) {
    return rows.flatMap((row) => {
      if (!row.hasMore || row.kind === "fold") return [row];
      const isOpen = isAll || (this.#opened.get(row.id) ?? (row.isOpen || ["failed", "waits"].includes(row.step.state)));
      if (isOpen && row.step.hasInside) this.#actions.inside(row.step);
      return [{ ...row, isOpened: isOpen }, ...(isOpen ? this.#flat(timeline, timeline.below(row), isAll) : [])];
    });
  }

  get #height() {
    return parseFloat(getComputedStyle(this.#parts.rows).getPropertyValue("--row")) || 29;
  }

  get #isAtEnd() {
    const [rows, scroll] = [this.#parts.rows.getBoundingClientRect(), this.#scroll.getBoundingClientRect()];
    return rows.bottom <= scroll.bottom + 2 * this.#height;
  }

  #follow() {
    const from = this.#followedFrom ?? this.#scroll.scrollTop;
    this.#toEnd();
    this.#followedFrom = from;
  }

  /** The head says how it ended. */
  #goBack() {
    this.#scroll.scrollTop = this.#followedFrom;
    this.#followedFrom = null;
  }

  #toEnd() {
    this.#seen = this.#run.steps.length;
    this.#parts.follow.hidden = true;
    this.#scroll.scrollTop += Math.max(0, this.#parts.rows.getBoundingClientRect().bottom - this.#scroll.getBoundingClientRect().bottom + 8);
    this.#draw();
  }

  /** Put the rows in sight into the document, and take the others out. */
  #draw(isNew = false) {
    if (this.#place.hidden || !this.#rows.length) return this.#parts.rows.replaceChildren();
    const height = this.#height;
    const { rows } = this.#parts;
    rows.style.height = `${this.#rows.length * height}px`;
    const above = this.#scroll.getBoundingClientRect().top - rows.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(above / height) - BEYOND);
    const last = Math.min(this.#rows.length, Math.ceil((above + this.#scroll.clientHeight) / height) + BEYOND);
    const focused = document.activeElement?.closest?.(".step")?.dataset.id;
    const wanted = new Map();
    for (let at = first; at < last; at++) wanted.set(this.#rows[at].id, this.#drawn.get(this.#rows[at].id) ?? this.#element(at));
    for (const { kind, step } of this.#rows.slice(first, last)) if (kind === "tool" && step.childSpace) this.#actions.look(step);
    const isSame = !isNew && wanted.size === this.#drawn.size && [...wanted.keys()].every((id) => this.#drawn.has(id));
    this.#drawn = wanted;
    if (isSame) return;
    rows.replaceChildren(...wanted.values());
    if (!rows.querySelector("[tabindex='0']")) rows.firstElementChild?.setAttribute("tabindex", "0");
    if (focused) wanted.get(focused)?.focus({ preventScroll: true });
  }

  #element(at) {
    const { id } = this.#rows[at];
    return stepRow(this.#rows[at], at, id === this.#selected, () => this.#click(id));
  }

  #click(id) {
    const at = this.#rows.findIndex((row) => row.id === id);
    const row = this.#rows[at];
    if (row.hasMore && (this.#selected === id || !row.parts)) this.#toggle(row);
    if (row.kind !== "fold") this.#choose(this.#rows.findIndex((each) => each.id === id));
  }

  #toggle(row, isOpen = !row.isOpened) {
    this.#opened.set(row.id, isOpen);
    this.#refresh();
  }

  #choose(at, tell = true) {
    const row = this.#rows[at];
    if (!row) return;
    this.#selected = row.id;
    this.#drawn.clear();
    this.#draw(true);
    const [top, bottom] = [at * this.#height, (at + 1) * this.#height];
    const [rows, scroll] = [this.#parts.rows.getBoundingClientRect(), this.#scroll.getBoundingClientRect()];
    const over = scroll.top + 48 - (rows.top + top);
    const under = rows.top + bottom - scroll.bottom;
    if (over > 0) this.#scroll.scrollTop -= over;
    else if (under > 0) this.#scroll.scrollTop += under;
    this.#draw();
    if (!tell) return;
    this.#drawn.get(row.id)?.focus({ preventScroll: true });
    this.#actions.choose(row);
  }

  #key(event) {
    const id = event.target.closest(".step")?.dataset.id;
    const at = this.#rows.findIndex((row) => row.id === id);
    const row = this.#rows[at];
    if (!row) return;
    const actions = {
      ArrowDown: () => this.#choose(at + 1),
      ArrowUp: () => this.#choose(at - 1),
      Home: () => this.#choose(0),
      End: () => this.#choose(this.#rows.length - 1),
      ArrowRight: () => row.hasMore && this.#toggle(row, true),
      ArrowLeft: () => row.hasMore && this.#toggle(row, false),
      Enter: () => this.#click(id),
      "/": () => this.#parts.search.focus(),
      g: () => this.#actions.graph(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    if (row.hasMore) this.#drawn.get(id)?.focus({ preventScroll: true });
  }
}

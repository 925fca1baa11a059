// A ledger: how its rows ended, by status and reason; the rows of a group; the run of one row.

import { breakable, button, counted, el, icon, plural, shareBar } from "./dom.js";
import { LedgerControl } from "./ledger_control.js";
import { headOfLedger, isSame, metersOf, MOST, NAMES, Pace, partsOf, percent, reasonOf, statusesOf, sum } from "./ledger_words.js";
import { statusWords } from "./outcome_words.js";

/** How long until the ledger is asked again, in milliseconds. */
const AGAIN = 3000;
/** At most how often a screen reader is told of rows, in milliseconds. */
const SAID_EVERY = 30_000;
/** How long an answer is waited for, in milliseconds. */
const PATIENCE = 10_000;
const ask = async (path, query = {}, wish = null) => {
  const sent = wish && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wish) };
  const response = await fetch(`opened${path}?${new URLSearchParams(query)}`, { ...sent, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`The ledger cannot be ${wish ? "written" : "read"}: ${response.status}.`);
  return response.json();
};
const groupOf = (group) => Object.fromEntries(NAMES.map((name) => [name, group[name] ?? ""]));

export class LedgerView {
  #places;
  #showRow;
  #pace = new Pace();
  #ledger = null;
  #print = "";
  #open = new Set();
  #rows = [];
  #more = false;
  /** The group whose rows these are. */
  #loaded = null;
  #goesToRows = false;
  #chosen = {};
  #said = { at: 0, text: "" };
  #turn = 0;
  /** Counts questions, so that a late answer changes nothing newer. */
  #questions = 0;
  #heard = Date.now();
  #isBehind = false;
  #control = new LedgerControl((path, wish) => this.#wish(path, wish));
  #told = el("div");

  /** @param {{head: HTMLElement, groups: HTMLElement, rows: HTMLElement, status: HTMLElement, error: HTMLElement}} places
   * @param {(row: object|null) => void} showRow
   */
  constructor(places, showRow) {
    this.#places = places;
    this.#showRow = showRow;
    places.head.replaceChildren(this.#told, this.#control.whole);
    for (const place of [places.groups, places.rows]) place.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("keydown", (event) => this.#anywhere(event));
    addEventListener("hashchange", () => this.#follow());
  }

  /** Show what the ledger says now, and go on asking. @param {object} ledger */
  async begin(ledger) {
    this.#take(ledger);
    if (ledger.stopped && !location.hash) {
      // Why it stopped is seen in a row: the first of those that ended so most often.
      const group = ledger.groups.find(({ status }) => status !== "answered" && status !== "abstained");
      const { rows } = group ? await ask("/rows", groupOf(group)) : { rows: [] };
      if (rows.length) this.#choose({ ...groupOf(group), key: rows[0].key });
    }
    await this.#follow();
    setTimeout(() => this.#again(), AGAIN);
  }

  async #again() {
    const question = ++this.#questions;
    try {
      const ledger = document.hidden ? null : await ask("");
      if (ledger && question === this.#questions) this.#take(ledger);
      this.#heard = Date.now();
      this.#places.error.hidden = true;
      if (this.#isBehind) await this.#follow();
    } catch (error) {
      this.#fail(`Nothing new is known since ${new Date(this.#heard).toLocaleTimeString()}: ${error.message}`);
    }
    setTimeout(() => this.#again(), AGAIN);
  }

  #fail(text) {
    // The same words are not told again.
    if (this.#places.error.textContent !== text) this.#places.error.textContent = text;
    this.#places.error.hidden = false;
  }

  async #wish(path, wish) {
    const question = ++this.#questions;
    const ledger = await ask(path, {}, wish);
    if (question !== this.#questions) return;
    this.#questions++; // a question on its way may have been answered before the wish
    this.#take(ledger);
    if (path === "/again") this.#tell(headOfLedger(ledger).wished || "No group is asked again.");
  }

  #take(ledger) {
    const pace = this.#pace.take(sum(ledger.groups), performance.now());
    const print = JSON.stringify([ledger, pace?.rate]);
    this.#ledger = ledger;
    if (print === this.#print) return;
    this.#print = print;
    const { tone, icon: sign, word, rest, why } = headOfLedger(ledger);
    const parts = partsOf(ledger);
    this.#told.replaceChildren(
      el("div.title", {}, el("span.disc", { "data-tone": tone }, icon(sign)), el("h1", { "data-tone": tone }, el("b", {}, word), rest)),
      el("p.why", {}, why.filter(Boolean).join(" ")),
      shareBar(parts),
      el("p.row.legend", {}, ...parts.map((part) => el("span.sign", { "data-tone": part.tone }, icon(part.icon), part.word, " ", el("b", {}, counted(part.count))))),
      el("dl.meters", {}, ...metersOf(ledger, pace).map(([name, figure, remark]) => el("div", {}, el("dt", {}, name), el("dd", {}, figure, " ", el("small", {}, remark))))),
    );
    this.#say(`${word}${rest}.`);
    this.#drawGroups();
    this.#showControl();
  }

  #showControl() {
    const chosen = this.#chosen.status && this.#ledger.groups.find((group) => isSame(group, this.#chosen));
    this.#control.show(this.#ledger, chosen, this.#ledger.asked_again.some((group) => isSame(group, this.#chosen)));
  }

  /** Rows are told of seldom, a stop at once. */
  #say(text) {
    const now = performance.now();
    const isStop = /^(Stopped|Paus)/.test(text) && text.split(":")[0] !== this.#said.text.split(":")[0];
    if (text === this.#said.text || (!isStop && this.#said.at && now - this.#said.at < SAID_EVERY)) return;
    this.#tell(text);
  }

  #tell(text) {
    this.#said = { at: performance.now(), text };
    this.#places.status.textContent = text;
  }

  #drawGroups() {
    const all = sum(this.#ledger.groups);
    const focused = document.activeElement?.dataset?.group;
    const rows = statusesOf(this.#ledger.groups).flatMap(({ status, count, groups }) => {
      if (groups.length === 1) return [this.#line(groups[0], all, status)];
      const shown = this.#open.has(status) ? groups : groups.slice(0, MOST);
      const rest = groups.slice(shown.length);
      const open = () => (this.#open.add(status), this.#drawGroups());
      const more = rest.length && el("tr.sub", {}, el("td", { colspan: 4 }, button(`${plural(rest.length, "more reason")}, ${plural(sum(rest), "row")}`, open, { kind: "quiet" })));
      return [this.#total(status, count, all), ...shown.map((group) => this.#line(group, all)), more].filter(Boolean);
    });
    const head = ["How rows ended", "Rows", `Share of ${counted(all)}`, ""].map((title, index) => el("th", { scope: "col", class: index ? "r" : null }, title || el("span.unseen", {}, "Share")));
    this.#places.groups.replaceChildren(el("table.groups", { "aria-label": "How rows ended" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)));
    if (focused) this.#places.groups.querySelector(`[data-group="${CSS.escape(focused)}"]`)?.focus();
  }

  #total(status, count, all) {
    return el("tr.total", {}, el("th", { scope: "row" }, signOf(status)), ...figures(status, count, all));
  }

  #line(group, all, status) {
    const reason = reasonOf(group);
    const isChosen = isSame(group, this.#chosen) && this.#chosen.status;
    const name = status ? [signOf(status), reason && el("span.hint", {}, " · ", ...breakable(reason))] : breakable(reason || "with an answer");
    const choose = () => this.#choose({ ...groupOf(group), key: null });
    const opener = el("button.bare", { type: "button", "data-group": JSON.stringify(groupOf(group)), "aria-pressed": String(Boolean(isChosen)), onclick: choose }, ...name.filter(Boolean));
    return el(`tr${status ? ".total" : ".sub"}`, {}, el("th", { scope: "row" }, opener), ...figures(group.status, group.count, all));
  }

  #choose(change) {
    const wanted = { ...this.#chosen, ...change };
    location.hash = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
  }

  /** Show the group and the row that the address names. */
  async #follow() {
    const wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    const turn = ++this.#turn;
    this.#chosen = wanted;
    try {
      if (!this.#loaded || !isSame(wanted, this.#loaded)) await this.#load(wanted, turn);
      if (turn !== this.#turn) return;
      this.#drawGroups();
      this.#drawRows();
      const row = wanted.key ? await ask("/row", { key: wanted.key }) : null;
      if (turn === this.#turn) this.#showRow(row && { ...row, place: this.#rows.findIndex(({ key }) => key === wanted.key) + 1, of: this.#countOf(wanted) });
      this.#isBehind = false;
    } catch (error) {
      if (turn === this.#turn) this.#isBehind = true;
      this.#fail(error.message);
    }
  }

  #countOf = (wanted) => this.#ledger.groups.find((group) => isSame(group, wanted))?.count ?? 0;

  async #load(wanted, turn, after = "") {
    const { rows, more } = wanted.status ? await ask("/rows", { ...groupOf(wanted), after }) : { rows: [], more: false };
    if (turn !== this.#turn) return;
    this.#rows = after ? [...this.#rows, ...rows] : rows;
    this.#more = more;
    this.#loaded = wanted;
  }

  async #loadMore() {
    await this.#load(this.#chosen, this.#turn, this.#rows.at(-1).key);
    this.#drawRows();
  }

  #drawRows() {
    const { status, key: chosen } = this.#chosen;
    const focused = document.activeElement?.dataset?.row;
    this.#showControl();
    const title = status ? [statusWords(status).word, reasonOf(this.#chosen)].filter(Boolean).join(" · ") : "Choose how rows ended";
    const find = el("input.find", { type: "search", placeholder: "Find a key", "aria-label": "Find a row by its whole key", onchange: ({ target }) => target.value && this.#choose({ key: target.value }) });
    const rows = this.#rows.map(({ key, reason, cost }) =>
      el("li", {}, el("button.bare", { type: "button", "data-row": key, "aria-current": key === chosen ? "true" : null, onclick: () => this.#choose({ key }) }, el("code", {}, key), el("span", {}, reason), el("span.figure", {}, cost ? cost.toFixed(4) : ""))),
    );
    const count = status && `${counted(this.#rows.length)} of ${counted(this.#countOf(this.#chosen))}`;
    this.#places.rows.replaceChildren(
      el("div.bar", {}, el("h2", {}, title), count && el("span.hint", {}, count), find),
      this.#control.part,
      el("ul.rowlist", {}, ...rows),
      ...(this.#more ? [button("More rows", () => this.#loadMore(), { kind: "small" })] : []),
    );
    const row = focused ? `[data-row="${CSS.escape(focused)}"]` : this.#goesToRows && "[data-row]";
    if (row) this.#places.rows.querySelector(row)?.focus();
    this.#goesToRows = false;
  }

  #key(event) {
    const { key, target, currentTarget } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const all = [...currentTarget.querySelectorAll("[data-group], [data-row]")];
    if (step && all.includes(target)) (all[all.indexOf(target) + step] ?? target).focus();
    else if (key === "ArrowRight" && target.dataset.group) this.#into(target);
    else if (key === "ArrowLeft" && target.dataset.row) this.#places.groups.querySelector('[aria-pressed="true"]')?.focus();
    else return;
    event.preventDefault();
  }

  /** From a group to its rows, which may have to be asked for first. */
  #into(target) {
    const group = JSON.parse(target.dataset.group);
    this.#goesToRows = true;
    if (isSame(group, this.#loaded)) this.#drawRows();
    else this.#choose({ ...group, key: null });
  }

  #anywhere(event) {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { n: 1, p: -1 }[event.key];
    if (event.key === "/") this.#places.rows.querySelector(".find")?.focus();
    else if (step) this.#step(step);
    else return;
    event.preventDefault();
  }

  #step(step) {
    const at = this.#rows.findIndex(({ key }) => key === this.#chosen.key);
    const next = this.#rows[at < 0 ? 0 : at + step];
    if (next) this.#choose({ key: next.key });
  }
}

function signOf(status) {
  const { tone, icon: sign, word } = statusWords(status);
  return el("span.sign", { "data-tone": tone }, icon(sign), word);
}

function figures(status, count, all) {
  const bar = el("i", { "data-tone": statusWords(status).tone });
  bar.style.width = `${(100 * count) / all}%`;
  return [el("td.r", {}, counted(count)), el("td.r", {}, percent(count, all)), el("td", {}, el("span.part", { "aria-hidden": "true" }, bar))];
}

// Document and record: the fields of an answer in the order of the schema beside the text they were taken from; which of them to look at.

import { byStatus, coverageOf, fieldWords, isDoubtful } from "./coverage.js";
import { DocumentView, pathOf, stripOf } from "./document_view.js";
import { button, counted, el, icon, plural, shareBar, shown } from "./dom.js";
import { drawnPage } from "./page_view.js";
import { saveProofs } from "./saved_file.js";
import { fieldsIn, layOut, PDF, spansOf, withTexts } from "./record.js";

/** From how many rows on a list is folded: those to look at are there. */
const MANY = 20;
/** How many rows of a list are drawn at once. */
const PIECE = 200;
const FOUND_BY = { first_answer: "", repair: "after a correction", agreement: "readers agree", escalation: "by the next agent", person: "by a person" };

export class RecordView {
  #place;
  #document;
  #texts = el("div.doc", { role: "region", "aria-label": "Document" });
  #nameOf;
  #pages;
  #print = "";
  #laid = null;
  #filter = "all";

  /** @param {HTMLElement} place @param {() => string} [nameOf] the name of the graph, if what is shown can be saved
   * @param {{texts: Function, picture: Function}} [pages] asks for the pages of a PDF
   */
  constructor(place, nameOf, pages) {
    this.#place = place;
    this.#nameOf = nameOf;
    this.#pages = pages;
    this.#document = new DocumentView(this.#texts, pages?.picture);
    for (const type of ["pointerover", "focusin"]) place.addEventListener(type, ({ target }) => this.#light(target));
    place.addEventListener("click", ({ target }) => target.closest("button, a") || this.#go(target, true));
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {object|null} proofs @returns {number|null} how many fields there are to look at; null without a record */
  show(proofs) {
    const print = JSON.stringify(proofs);
    if (print !== this.#print) {
      this.#print = print;
      this.#laid = proofs && layOut(proofs);
      // On a phone there is room for what somebody should look at.
      this.#filter = matchMedia("(max-width: 760px)").matches && this.#laid?.fields.some(isDoubtful) ? "look" : "all";
      if (proofs) this.#draw(proofs);
      if (this.#pages && proofs?.documents.some(({ others }) => others?.includes(PDF))) this.#readPages(proofs, print);
    }
    return this.#laid ? this.#laid.fields.filter(isDoubtful).length : null;
  }

  async #readPages(proofs, print) {
    const documents = await withTexts(proofs.documents, this.#pages);
    if (print !== this.#print || !documents.some(({ pages }) => pages)) return;
    this.#laid = layOut({ ...proofs, documents });
    this.#draw({ ...proofs, documents });
  }

  /** Save what is shown, with the pictures of all pages that a field was taken from. */
  async #save(proofs) {
    const places = this.#laid.fields.flatMap((field) => field.places);
    for (const document of this.#laid.documents.filter(({ pages }) => pages))
      for (const [index, spans] of spansOf(document, places.filter((place) => place.document === document)).entries())
        if (spans.length) await drawnPage(document, index, spans, this.#pages?.picture).catch(() => null);
    saveProofs(proofs, this.#nameOf());
  }

  #draw(proofs) {
    const { fields, documents } = this.#laid;
    const groups = byStatus(fields);
    const bar = shareBar(groups.map(([status, { length: count }]) => ({ status, count, ...fieldWords(status) })));
    this.#document.show(documents, fields);
    const parts = [
      el("div.cover", {}, bar, this.#filters(fields, groups), this.#nameOf && button("Save with proofs", () => this.#save(proofs), { kind: "small" })),
      // The head says it of an answer.
      proofs.outcome.status !== "answered" && el("p.why", {}, coverageOf(fields)),
      el("div.split", {}, this.#texts, el("div.record", {}, this.#keys(), el("div.rows"))),
    ];
    this.#place.replaceChildren(...parts.filter(Boolean));
    this.#list();
  }

  #keys() {
    const keys = [["↑ ↓", "field"], ["d", "next to look at"], ["Enter", "its place"], ["Esc", "back"]];
    return el("p.panebar", {}, el("b", {}, "Record"), ...keys.map(([key, word]) => el("span.key", {}, el("kbd", {}, key), ` ${word}`)));
  }

  #filters(fields, groups) {
    const doubtful = fields.filter(isDoubtful).length;
    const choices = [["all", "All", fields.length], ["look", "To look at", doubtful], ...groups.map(([status, some]) => [status, fieldWords(status).word, some.length])];
    const buttons = choices.map(([name, word, count]) => {
      const sign = groups.some(([status]) => status === name) && fieldWords(name);
      const choose = () => ((this.#filter = name), press(), this.#list());
      const each = el("button.small", { type: "button", "data-filter": name, onclick: choose }, sign && el("span.sign", { "data-tone": sign.tone }, icon(sign.icon)), word, " ", el("b", {}, counted(count)));
      return each;
    });
    const press = () => buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.filter === this.#filter)));
    press();
    return el("span.pickers", { role: "group", "aria-label": "Show fields" }, ...buttons);
  }

  #fits(field) {
    return this.#filter === "all" || (this.#filter === "look" ? isDoubtful(field) : field.status === this.#filter);
  }

  #list() {
    const rows = this.#laid.rows.filter((row) => fieldsIn(row).some((field) => this.#fits(field)));
    const body = el("tbody", {}, ...rows.map((row) => (row.table ? this.#table(row) : this.#field(row))));
    this.#place.querySelector(".rows").replaceChildren(rows.length ? el("table.fieldlist", { role: "grid", "aria-label": "Record" }, body) : el("p.hint", {}, "No field is so."));
    const first = body.querySelector("[data-key]");
    if (first) first.tabIndex = 0;
  }

  #field(field) {
    const notes = notesOf(field);
    return el(
      "tr",
      { "data-key": field.key, "data-tone": isDoubtful(field) ? fieldWords(field.status).tone : null, "data-status": field.status, tabindex: "-1" },
      el("td.n", {}, field.number ?? ""),
      el("th", { scope: "row" }, ...pathOf(field.path)),
      el("td", {}, el("div.value", {}, field.value === undefined ? "" : shown(field.value)), ...notes),
      el("td.stat", {}, statusSign(field.status)),
    );
  }

  #table(row) {
    const { path, table } = row;
    const fields = fieldsIn(row);
    const number = fields.find((field) => field.number)?.number ?? "";
    const told = byStatus(fields).map(([status, some]) => `${counted(some.length)} ${fieldWords(status).word}`).join(", ");
    const items = table.items.filter(({ cells }) => cells.some((cell) => this.#fits(cell)));
    const isFolded = items.length > MANY;
    const first = isFolded ? items.filter(({ cells }) => cells.some(isDoubtful)) : items;
    const body = el("tbody", {}, ...first.slice(0, PIECE).map((item) => this.#item(item)));
    const more = (isFolded || first.length > PIECE) && button(`Show all ${plural(items.length, "row")}`, ({ currentTarget }) => this.#rest(body, items, currentTarget), { kind: "quiet" });
    const head = table.names.some(Boolean) && el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "#"), ...table.names.map((name) => el("th", { scope: "col" }, ...pathOf(name)))));
    return el(
      "tr",
      {},
      el("td.n", {}, number),
      el("th", { scope: "row" }, ...pathOf(path)),
      el("td", { colspan: "2" }, el("p.hint", {}, `${plural(table.items.length, "row")}, ${plural(fields.length, "field")}: ${told}`), el("table.items", { "aria-label": path }, head, body), more),
    );
  }

  #item({ index, cells }) {
    return el("tr", {}, el("th", { scope: "row" }, index + 1), ...cells.map((cell) => this.#cell(cell)));
  }

  #cell(field) {
    const { tone, icon: sign, word } = fieldWords(field.status);
    const value = field.value === null || field.value === undefined ? "" : shown(field.value);
    const attributes = { "data-key": field.key, "data-tone": isDoubtful(field) ? tone : null, "data-status": field.status, tabindex: "-1" };
    return el("td", attributes, el("span.value", {}, value), el("span.sign", { "data-tone": tone, title: word }, icon(sign), el("span.unseen", {}, word)), ...notesOf(field));
  }

  /** Draw all rows of a folded list, some at a time so that the page goes on answering. */
  #rest(body, items, opener) {
    opener.remove();
    body.replaceChildren();
    const next = (from) => {
      body.append(...items.slice(from, from + PIECE).map((item) => this.#item(item)));
      if (from + PIECE < items.length) requestAnimationFrame(() => body.isConnected && next(from + PIECE));
    };
    next(0);
  }

  #keysAt(target) {
    const mark = target.closest?.(".mark");
    if (mark) return JSON.parse(mark.dataset.fields);
    const row = target.closest?.("[data-key]");
    return row ? [row.dataset.key] : null;
  }

  #light(target) {
    const keys = this.#keysAt(target);
    if (!keys) return null;
    for (const each of this.#place.querySelectorAll("[data-key].on")) each.classList.remove("on");
    const rows = keys.map((key) => this.#row(key)).filter(Boolean);
    for (const each of rows) each.classList.add("on");
    return { mark: this.#document.light(keys), row: rows[0] };
  }

  #row = (key) => this.#place.querySelector(`[data-key="${CSS.escape(key)}"]`);

  /** From a field to its place, or from a place to its field; where the document has no room, its lines come to the field. */
  #go(target, byPointer) {
    const lit = this.#light(target);
    if (!lit) return;
    const isMark = Boolean(target.closest(".mark"));
    if (isMark) this.#place.querySelector(".split").classList.remove("whole");
    if (!isMark && lit.mark && !this.#texts.checkVisibility()) return this.#strip(lit.row);
    const wanted = isMark ? lit.row : lit.mark;
    wanted?.scrollIntoView({ block: "nearest" });
    if (!byPointer) wanted?.focus({ preventScroll: true });
  }

  #strip(row) {
    const isOpen = row.querySelector(".place") ?? row.nextElementSibling?.matches(".at");
    for (const each of this.#place.querySelectorAll(".at, td > .place")) each.remove();
    if (isOpen) return;
    const { places } = this.#laid.fields.find(({ key }) => key === row.dataset.key);
    const whole = () => (this.#place.querySelector(".split").classList.add("whole"), this.#go(row, true));
    const opener = button(places[0].document.pages ? "Whole page" : "Whole text", whole, { kind: "small" });
    const strip = stripOf(places[0], this.#laid.fields.flatMap((field) => field.places), this.#pages?.picture, opener);
    if (row.matches("tr")) row.after(el("tr.at", {}, el("td", { colspan: 4 }, strip)));
    else row.append(strip);
  }

  #key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("button, input, textarea")) return;
    if (key === "Enter" || key === " ") this.#go(target, false);
    else if (key === "Escape" && target.closest(".mark")) this.#row(this.#keysAt(target)[0])?.focus();
    else if (!this.#move(key, target)) return;
    event.preventDefault();
  }

  #move(key, target) {
    const all = [...this.#place.querySelectorAll("[data-key]")];
    const at = all.indexOf(target.closest("[data-key]"));
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (key !== "d" && (!step || at < 0)) return false;
    const doubtful = (each) => each.dataset.tone;
    const next = step ? all[at + step] : (all.slice(at + 1).find(doubtful) ?? all.find(doubtful));
    if (!next) return true;
    for (const each of all) each.tabIndex = each === next ? 0 : -1;
    next.focus();
    return true;
  }
}

function statusSign(status) {
  const { tone, icon: sign, word } = fieldWords(status);
  return el("span.sign", { "data-tone": tone }, icon(sign), word);
}

/** What is said of a field: what is wrong, which other values its label has, what is nearest, what each reader gave, and who has accepted it. */
function notesOf({ records }) {
  return records.flatMap(({ problem, others = [], nearest, readings = [], accepted_by: by }) =>
    [
      problem && el("p.note", {}, problem),
      others.length > 0 && el("p.note", {}, "In doubt, since its label has another value too: ", ...others.map(({ unit }) => el("q", {}, unit))),
      nearest?.unit && el("p.note", {}, "Nearest: ", el("q", {}, nearest.unit)),
      readings.length > 0 && el("p.note", {}, readings.map(({ reader, value }) => `${reader}: ${shown(value)}`).join(" · ")),
      FOUND_BY[by] && el("p.note", {}, FOUND_BY[by]),
    ].filter(Boolean),
  );
}

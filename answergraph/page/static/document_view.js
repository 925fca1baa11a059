// The text of the documents, with every place that a field was taken from; a place and its field have the same number.

import { breakable, button, el, plural } from "./dom.js";
import { fieldWords } from "./coverage.js";
import { cutOf, PageView } from "./page_view.js";
import { linesOf } from "./record.js";

/** From how many lines on those without a place are folded, and how many stay beside a place. */
const MANY = 2000;
const BESIDE = 3;

export class DocumentView {
  #place;
  #marks = new Map();
  #pages;

  /** @param {HTMLElement} place @param {Function} [picture] asks for the picture of a page */
  constructor(place, picture) {
    this.#place = place;
    this.#pages = new PageView(picture, (places, where) => this.#mark("", places, [{ mark: [...new Set(places.map(({ mark }) => mark))].join(" ") }], where));
  }

  /** @param {object[]} documents @param {import("./record.js").Field[]} fields */
  show(documents, fields) {
    this.#marks.clear();
    this.#pages.clear();
    const places = Map.groupBy(fields.flatMap((field) => field.places), ({ document }) => document);
    this.#place.replaceChildren(
      ...(documents.length ? documents : [{ name: "document", text: "", notes: ["No document is stored with this run."] }]).flatMap((document, index) =>
        this.#one(document, places.get(document) ?? [], documents.length > 1 ? `${document.name} ${index + 1}` : document.name),
      ),
    );
  }

  #one(document, places, name) {
    const lines = linesOf(document, places);
    const list = el("ol.lines", { tabindex: "0", role: "list", "aria-label": `The text of the ${name}` }, ...this.#folded(lines, document));
    const sheets = document.pages && el("div.sheets", {}, ...this.#pages.show(document, places));
    return [
      el("p.panebar", {}, el("b", {}, name), sheets && views(sheets, list), el("span", {}, `${sheets ? plural(document.pages.length, "page") : plural(lines.length, "line")}, ${plural(places.length, "place")}`)),
      ...document.notes.map((note) => el("p.note", {}, note)),
      sheets,
      list,
    ].filter(Boolean);
  }

  /** The lines; of very many those around the places, the others where somebody asks for them. */
  #folded(lines, document) {
    const draw = (line) => this.#line(line, document);
    if (lines.length <= MANY) return lines.map(draw);
    const shown = new Set(lines.slice(0, 20));
    for (const [index, { pieces }] of lines.entries())
      if (pieces.some(({ places }) => places.length)) for (const near of lines.slice(Math.max(0, index - BESIDE), index + BESIDE + 1)) shown.add(near);
    const parts = [];
    for (let from = 0, to; from < lines.length; from = to) {
      to = from + 1;
      while (to < lines.length && shown.has(lines[to]) === shown.has(lines[from])) to += 1;
      const some = lines.slice(from, to);
      const open = ({ currentTarget }) => currentTarget.closest("li").replaceWith(...some.map(draw));
      if (shown.has(some[0])) parts.push(...some.map(draw));
      else parts.push(el("li", {}, el("span"), button(`${plural(some.length, "line")} without a place`, open, { kind: "quiet" })));
    }
    return parts;
  }

  #line({ number, pieces }, { isCut }) {
    return el("li", {}, el("span", { "aria-hidden": "true" }, isCut ? "" : number), el("span", {}, ...pieces.map((piece) => this.#piece(piece, number))));
  }

  #piece({ text, places, ends }, line) {
    return places.length ? this.#mark(text, places, ends, `line ${line}`) : text;
  }

  #mark(text, places, ends, where) {
    const fields = [...new Set(places.map(({ field }) => field))];
    const { tone } = fieldWords(fields[0].status);
    const names = fields.map(({ path }) => path).join(", ");
    const isOther = places.every((place) => place.isOther);
    const attributes = { role: "button", tabindex: "0", "data-tone": tone, "data-status": isOther ? "other" : fields[0].status, "aria-label": `${text ? `${text}, ` : ""}${isOther ? "another value" : "place"} of ${names}, ${where}` };
    const element = el("span.mark", attributes, text, ...ends.map(({ mark }) => el("sup", {}, mark)));
    for (const { key } of fields) this.#marks.set(key, [...(this.#marks.get(key) ?? []), element]);
    element.dataset.fields = JSON.stringify(fields.map(({ key }) => key));
    return element;
  }

  /** Light the places of a field, and of no other. @returns {HTMLElement|undefined} the first that is shown */
  light(keys) {
    for (const each of this.#place.querySelectorAll(".mark.on")) each.classList.remove("on");
    const marks = keys.flatMap((key) => this.#marks.get(key) ?? []);
    for (const each of marks) each.classList.add("on");
    const seen = marks.filter((each) => each.checkVisibility());
    return seen.find((each) => each.dataset.status !== "other") ?? seen[0] ?? marks[0];
  }
}

/** Two buttons: the pages as pictures, or their text. */
function views(sheets, list) {
  const show = (isText) => {
    [sheets.hidden, list.hidden] = [isText, !isText];
    for (const [index, each] of buttons.entries()) each.setAttribute("aria-pressed", String(Boolean(index) === isText));
  };
  const buttons = ["Pages", "Text"].map((word, index) => button(word, () => show(Boolean(index)), { kind: "small" }));
  show(false);
  return el("span.pickers", { role: "group", "aria-label": "Show the document as" }, ...buttons);
}

/** Where a place stands, in words. @param {import("./record.js").Place} place */
export function whereIs({ document: { text, pages, isCut }, start }) {
  let end = text.length - (pages ?? []).reduce((length, page) => length + page.text.length, 0);
  const page = (pages ?? []).findIndex((each) => start < (end += each.text.length));
  return page >= 0 ? `Page ${page + 1}` : isCut ? "" : `Line ${text.slice(0, start).split("\n").length}`;
}

/** A place where there is no room for the document: cut from its page, or its line with the one before and the one after.
 * @param {import("./record.js").Place} place @param {import("./record.js").Place[]} places of all fields @param {Function} [picture]
 * @param {...HTMLElement} more
 */
export function stripOf(place, places, picture, ...more) {
  const text = linesAt(place);
  const strip = el("div.place", {}, text, el("div.row", {}, el("span.hint", {}, whereIs(place)), ...more));
  // The text stays, for those who do not see the picture.
  if (place.document.pages) cutOf(place, places, picture).then((cut) => cut && (strip.prepend(cut), text.classList.add("unseen")));
  return strip;
}

function linesAt({ document, start, end }) {
  const from = document.text.lastIndexOf("\n", Math.max(0, document.text.lastIndexOf("\n", start - 1) - 1)) + 1;
  const after = document.text.indexOf("\n", end);
  const next = after < 0 ? -1 : document.text.indexOf("\n", after + 1);
  const text = document.text;
  return el("pre", {}, text.slice(from, start), el("mark", {}, text.slice(start, end)), text.slice(end, next < 0 ? undefined : next));
}

export const pathOf = (path) => (path ? breakable(path) : ["whole answer"]);

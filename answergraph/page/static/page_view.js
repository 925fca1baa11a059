// The pages of a document as pictures, each with a box around every place that a field was taken from.

import { el, plural } from "./dom.js";
import { spansOf } from "./record.js";

/** How wide a page would be from which a place is cut, in widths of what is seen. */
const ZOOM = 1.8;

export class PageView {
  #ask;
  #makeMark;
  #watch = new IntersectionObserver((seen) => seen.forEach(({ isIntersecting, target }) => isIntersecting && this.#draw(target)), { rootMargin: "400px" });
  #sheets = new Map();

  /** @param {((id: string, page: number, spans: number[][]) => Promise<object>)|undefined} ask for a picture and its boxes
   * @param {(places: object[], where: string) => HTMLElement} makeMark
   */
  constructor(ask, makeMark) {
    this.#ask = ask;
    this.#makeMark = makeMark;
  }

  /** Forget what was shown. */
  clear() {
    this.#watch.disconnect();
    this.#sheets.clear();
  }

  /** The sheets of a document. A picture is asked for when its sheet comes into sight. @returns {HTMLElement[]} */
  show(document, places) {
    return spansOf(document, places).map((spans, index) => this.#sheet(document, index, spans));
  }

  #sheet(document, index, spans) {
    const page = document.pages[index];
    const name = `Page ${index + 1} of ${document.pages.length}`;
    const notes = page.text.trim() ? [] : [el("p.note", {}, `${name} has no text that could be read: nothing on it was checked.`)];
    if (!page.drawn && !this.#ask) return el("div", {}, ...notes, el("p.note", {}, `${name}: no field was taken from it, and its picture was not saved.`));
    const marks = spans.map(({ places }) => this.#makeMark(places, `page ${index + 1}`));
    const sheet = el("div.sheet", { "data-state": "open" }, el("img", { alt: name }), ...marks);
    this.#sheets.set(sheet, { document, index, spans, marks });
    const whole = el("div", {}, ...notes, sheet);
    if (page.drawn) this.#draw(sheet);
    else this.#watch.observe(sheet);
    return whole;
  }

  async #draw(sheet) {
    this.#watch.unobserve(sheet);
    const { document, index, spans, marks } = this.#sheets.get(sheet);
    const drawn = await drawnPage(document, index, spans, this.#ask).catch(() => null);
    sheet.dataset.state = drawn ? "drawn" : "failed";
    if (!drawn) return void sheet.before(el("p.note", {}, `Page ${index + 1} cannot be drawn. The text shows its places.`));
    sheet.querySelector("img").src = drawn.picture;
    if (drawn.hides_text) sheet.before(el("p.note", {}, `Page ${index + 1} has text that its picture does not show, as behind a scan.`));
    const missing = marks.filter((mark, at) => !put(mark, drawn.boxes[at])).length;
    // Somebody may wait for it here.
    marks.find((mark) => mark.matches(":focus"))?.scrollIntoView({ block: "nearest" });
    if (missing) sheet.before(el("p.note", {}, `Where ${plural(missing, "place")} of this page stand in the picture is not known. The text shows them.`));
  }
}

/** The picture of a page with the boxes of its spans, which is kept with the page. */
export async function drawnPage(document, index, spans, ask) {
  const page = document.pages[index];
  page.drawn ??= await ask?.(document.id, index, spans.map(({ span }) => span));
  return page.drawn;
}

/** The picture around a place, some lines high; null where nobody can draw it.
 * @param {import("./record.js").Place} place @param {import("./record.js").Place[]} places of all fields @param {Function} [ask]
 */
export async function cutOf(place, places, ask) {
  const { document } = place;
  const pages = spansOf(document, places.filter((each) => each.document === document));
  const at = (spans) => spans.findIndex((span) => span.places.includes(place));
  const index = pages.findIndex((spans) => at(spans) >= 0);
  const drawn = index < 0 ? null : await drawnPage(document, index, pages[index], ask).catch(() => null);
  const box = drawn?.boxes[at(pages[index])]?.[0];
  if (!box) return null;
  const img = el("img", { src: drawn.picture, alt: "" });
  await img.decode();
  const [left, top, right, bottom] = box;
  const high = Math.max(0.05, 5 * (bottom - top));
  const [from, height] = [Math.min(1 - high, Math.max(0, (top + bottom - high) / 2)), img.naturalHeight / img.naturalWidth];
  const mark = el("mark");
  Object.assign(mark.style, { left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) });
  const sheet = el("div", {}, img, mark);
  Object.assign(sheet.style, { width: share(ZOOM), top: share(-from / high), left: share(Math.min(0, Math.max(1 - ZOOM, 0.5 - (ZOOM * (left + right)) / 2))) });
  const cut = el("div.cut", {}, sheet);
  cut.style.aspectRatio = `1 / ${ZOOM * height * high}`;
  return cut;
}

/** Put a mark around its boxes: a place over two lines has two. */
function put(mark, boxes) {
  for (const [index, [left, top, right, bottom]] of boxes.entries()) {
    const box = index ? mark.parentElement.appendChild(el("span.rest")) : mark;
    Object.assign(box.style, { left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) });
    if (index) box.dataset.tone = mark.dataset.tone;
  }
  mark.hidden = !boxes.length;
  return boxes.length > 0;
}

const share = (part) => `${100 * part}%`;

// The pages of a document as pictures, each with a box around every place that a field was taken from.

import { el, plural } from "./dom.js";
import { spansOf } from "./record.js";

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

// The messages on the page. Each is an element of its own, made once and changed when the message changes; the browser draws only
// those that can be seen (`content-visibility` in the style sheet), so that two thousand cost as much as twenty.

import { otherBlocks, textOf } from "./conversation.js";
import { el, shown, textBlock } from "./dom.js";

/** How near to its end a list still follows what is written, in pixels. */
const NEAR = 80;

export class MessageList {
  #place;
  /** @type {Map<string, {element: HTMLElement, message: object, print: string}>} */
  #items = new Map();
  #follows = true;

  /** @param {HTMLElement} place it scrolls */
  constructor(place) {
    this.#place = place;
    // Only a person stops the following; that heights turn out other than estimated moves the list as well.
    const leave = () => (this.#follows = false);
    place.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && leave(), { passive: true });
    place.addEventListener("touchmove", leave, { passive: true });
    place.addEventListener("pointerdown", ({ target }) => target === place && leave());
    place.addEventListener("keydown", ({ key }) => ["ArrowUp", "PageUp", "Home"].includes(key) && leave());
    place.addEventListener("scroll", () => (this.#follows ||= this.#isNearEnd), { passive: true });
    new ResizeObserver(() => this.#follow()).observe(place);
  }

  get #isNearEnd() {
    return this.#place.scrollHeight - this.#place.scrollTop - this.#place.clientHeight < NEAR;
  }

  /** Go to the end, if that is wanted. What comes into view there has its real height only in the next picture. */
  #follow(again = 5) {
    if (!this.#follows) return;
    this.#place.scrollTop = this.#place.scrollHeight;
    if (again) requestAnimationFrame(() => this.#follow(again - 1));
  }

  /** Show these messages and no others. */
  show(messages) {
    let next = this.#place.firstElementChild;
    const gone = new Set(this.#items.keys());
    for (const message of messages) {
      gone.delete(message.id);
      const element = this.#elementOf(message);
      if (element === next) next = next.nextElementSibling;
      else this.#place.insertBefore(element, next);
    }
    for (const id of gone) {
      this.#items.get(id).element.remove();
      this.#items.delete(id);
    }
    this.#follow();
  }

  /** Bring a message into view, and the keyboard to it. */
  goTo(id) {
    this.#follows = false;
    const element = this.#items.get(id)?.element;
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
  }

  #elementOf(message) {
    const item = this.#items.get(message.id);
    if (item?.message === message) return item.element;
    const print = JSON.stringify([message.type, message.content, message.tool_calls, message.tool_call_chunks, message.status,
      message.growing, message.inside]);
    if (item?.print === print) {
      item.message = message;
      return item.element;
    }
    const element = item?.element ?? el("article.message", { tabindex: "-1" });
    fill(element, message);
    this.#items.set(message.id, { element, message, print });
    return element;
  }
}

const SPEAKERS = { human: "You", ai: "Model", tool: "Tool", system: "System" };

function fill(element, message) {
  const { type, name, status, growing, inside } = message;
  const speaker = SPEAKERS[type] ?? type;
  const heading = el("h3", {}, speaker, name ? el("span.name", {}, ` ${name}`) : null, inside ? el("span.inside", {}, ` in ${inside}`) : null,
    status === "error" ? el("span.badge", { "data-status": "error" }, "error") : null,
    growing ? el("span.badge", { "data-status": "growing" }, "writing") : null);
  element.dataset.type = type;
  element.dataset.id = message.id;
  element.setAttribute("aria-label", [speaker, name].filter(Boolean).join(" "));
  const text = textOf(message);
  element.replaceChildren(heading, ...(text ? [textBlock(text)] : []),
    ...otherBlocks(message).map((block) => el("details", {}, el("summary", {}, block?.type ?? "content"), textBlock(shown(block)))),
    ...callsOf(message).map(({ name, args }) => el("p.call", {}, el("code.tool", {}, name ?? ""), " ", el("code", {}, args))));
}

function callsOf({ tool_calls, tool_call_chunks, growing }) {
  if (growing) return (tool_call_chunks ?? []).map(({ name, args }) => ({ name, args: args ?? "" }));
  return (tool_calls ?? []).map(({ name, args }) => ({ name, args: JSON.stringify(args) }));
}

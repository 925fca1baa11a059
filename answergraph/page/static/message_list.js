// The messages on the page. Each is an element of its own, made once and changed when the message changes; the browser draws only
// those that can be seen (`content-visibility` in the style sheet), so that two thousand cost as much as twenty.

import { otherBlocks, textOf } from "./conversation.js";
import { button, counted, el, plural, shown, textBlock } from "./dom.js";
import { markdown } from "./markdown.js";
import { brief, isCorrection } from "./timeline.js";
import { tableOf } from "./value_tree.js";

/** How near to its end a list still follows what is written, in pixels. */
const NEAR = 80;
const SPEAKERS = { ai: "Model", tool: "Tool", human: "You", system: "System" };
/** Of a result with more lines, or of more characters, the first lines are shown until somebody asks for the rest. */
const FOLDED = { lines: 3, from: 8, characters: 700 };

export class MessageList {
  #place;
  #scroll;
  #search;
  #none = el("p.hint", {}, "No messages.");
  /** @type {Map<string, {element: HTMLElement, message: object, print: string}>} */
  #items = new Map();
  #follows = true;
  #words = "";

  /** @param {HTMLElement} place @param {HTMLElement} scroll what scrolls it */
  constructor(place, scroll) {
    this.#scroll = scroll;
    const words = el("input", {
      type: "search",
      placeholder: "Find in messages",
      "aria-label": "Find a message",
      oninput: ({ target }) => ((this.#words = target.value.toLowerCase()), this.#filter()),
    });
    this.#place = el("div");
    this.#search = el("div.find", {}, words);
    place.replaceChildren(this.#search, this.#none, this.#place);
    // Only a person stops the following; that heights turn out other than estimated moves the list as well.
    const leave = () => (this.#follows = false);
    scroll.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && leave(), { passive: true });
    scroll.addEventListener("touchmove", leave, { passive: true });
    scroll.addEventListener("pointerdown", ({ target }) => target === scroll && leave());
    scroll.addEventListener("keydown", ({ key }) => ["ArrowUp", "PageUp", "Home"].includes(key) && leave());
    scroll.addEventListener("scroll", () => (this.#follows ||= this.#isNearEnd), { passive: true });
  }

  get #isNearEnd() {
    return this.#scroll.scrollHeight - this.#scroll.scrollTop - this.#scroll.clientHeight < NEAR;
  }

  /** Go to the end, if that is wanted. What comes into view there has its real height only in the next picture. */
  #follow(again = 5) {
    if (!this.#follows || !this.#place.checkVisibility()) return;
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
    if (again) requestAnimationFrame(() => this.#follow(again - 1));
  }

  /** Show these messages and no others. @param {object[]} messages @param {boolean} follows whether their end is to be seen
   * @param {(message: object) => string} placeOf says where a message was written, empty for the thread itself
   */
  show(messages, follows, placeOf) {
    this.#search.hidden = !messages.length;
    this.#none.hidden = Boolean(messages.length);
    let next = this.#place.firstElementChild;
    const gone = new Set(this.#items.keys());
    for (const message of messages) {
      gone.delete(message.id);
      const element = this.#elementOf(message, placeOf(message));
      if (element === next) next = next.nextElementSibling;
      else this.#place.insertBefore(element, next);
    }
    for (const id of gone) {
      this.#items.get(id).element.remove();
      this.#items.delete(id);
    }
    if (follows) this.#follow();
  }

  /** The tab was opened. */
  opened() {
    this.#follows = true;
    this.#follow();
  }

  /** Bring a message into view, and the keyboard to it. */
  goTo(id) {
    this.#follows = false;
    const element = this.#items.get(id)?.element;
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
  }

  #filter() {
    for (const { element } of this.#items.values())
      element.hidden = Boolean(this.#words) && !element.textContent.toLowerCase().includes(this.#words);
  }

  #elementOf(message, place) {
    const item = this.#items.get(message.id);
    if (item?.message === message && item.place === place) return item.element;
    const print = JSON.stringify([message.type, message.content, message.tool_calls, message.tool_call_chunks, message.status, message.growing, place]);
    if (item?.print === print) {
      item.message = message;
      return item.element;
    }
    const element = item?.element ?? el("article.message", { tabindex: "-1" });
    fill(element, message, place);
    this.#items.set(message.id, { element, message, print, place });
    return element;
  }
}

function fill(element, message, place) {
  const { type, name, status, growing, inside } = message;
  const correction = type !== "ai" && isCorrection(message);
  const isForeign = inside && type === "human";
  const speaker = correction
    ? "Correction"
    : isForeign
      ? "Task"
      : type === "tool"
        ? (name ?? "Tool")
        : (SPEAKERS[type] ?? type ?? "?");
  const words = correction
    ? "written by answergraph, not by a person"
    : isForeign
      ? "written by the graph around"
      : type === "tool"
        ? "result"
        : name;
  element.dataset.type = type;
  element.dataset.id = message.id;
  element.dataset.speaker = correction ? "correction" : type === "human" && !isForeign ? "you" : "other";
  element.setAttribute("aria-label", [speaker, words].filter(Boolean).join(", "));
  const heading = el(
    "h2",
    {},
    speaker,
    words && el("span.name", {}, words),
    place && el("span.inside", {}, `in ${place}`),
    growing && el("span.badge", { "data-tone": "running", "data-status": "growing" }, "writing"),
    status === "error" && el("span.badge", { "data-tone": "no" }, "error"),
  );
  const text = textOf(message);
  element.replaceChildren(
    heading,
    ...(text ? [body(text, type, correction, growing)] : []),
    ...otherBlocks(message).map((block) =>
      el("details", {}, el("summary", {}, block?.type ?? "content"), textBlock(shown(block))),
    ),
    ...callsOf(message).map(({ name: called, args }) => call(called, args)),
  );
}

function body(text, type, correction, growing) {
  if (correction) return el("details.body", {}, el("summary", {}, brief(text)), el("div.text", {}, text));
  if (type === "tool") return el("div.body", {}, table(text) ?? cut(text));
  if (growing || type !== "ai") return el("div.body.text", {}, text);
  return el("div.body", {}, markdown(text));
}

function call(name, args) {
  if (args.length < 200) return el("p.call", {}, el("code.tool", {}, name ?? ""), " ", el("code", {}, args));
  return el("details.call", {}, el("summary", {}, el("code.tool", {}, name ?? ""), " ", el("code", {}, brief(args, 100))), textBlock(pretty(args)));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Show the first lines of a long text, and the rest when it is asked for. */
export function cut(text) {
  const lines = text.split("\n");
  if (lines.length <= FOLDED.from && text.length <= FOLDED.characters) return textBlock(text);
  const few = lines.slice(0, FOLDED.lines).join("\n").slice(0, FOLDED.characters);
  const block = el("pre.text", {}, few);
  const find = el("input", { type: "search", placeholder: "Find in this result", "aria-label": "Find in this result", hidden: true });
  const all = button(
    `Show all ${lines.length > 1 ? plural(lines.length, "line") : `${counted(text.length)} characters`}`,
    () => {
      all.remove();
      find.hidden = false;
      block.textContent = text;
    },
    { kind: "quiet" },
  );
  find.addEventListener("input", () => block.replaceChildren(...marked(text, find.value)));
  return el("div", {}, find, block, all);
}

/** A text with each place marked where some words stand. */
function marked(text, words) {
  if (!words) return [text];
  const pieces = [];
  const [lower, wanted] = [text.toLowerCase(), words.toLowerCase()];
  let at = 0;
  for (let found = lower.indexOf(wanted); found >= 0 && pieces.length < 2000; found = lower.indexOf(wanted, at)) {
    pieces.push(text.slice(at, found), el("mark", {}, text.slice(found, found + words.length)));
    at = found + words.length;
  }
  return [...pieces, text.slice(at)];
}

/** A JSON list of alike objects as a table; null for anything else. */
function table(text) {
  if (!/^\s*\[\s*\{/.test(text) || text.length > 50_000) return null;
  try {
    return tableOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function callsOf({ tool_calls, tool_call_chunks, growing }) {
  if (growing) return (tool_call_chunks ?? []).map(({ name, args }) => ({ name, args: args ?? "" }));
  return (tool_calls ?? []).map(({ name, args }) => ({ name, args: JSON.stringify(args) }));
}

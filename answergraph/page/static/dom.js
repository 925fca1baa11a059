// How elements are made. Text goes in as text, never as HTML: what models, tools and servers say is foreign.

const SVG = "http://www.w3.org/2000/svg";

/** The page's signs, each drawn in a box of 16 by 16. */
const ICONS = {
  check: "M3 8.5l3.2 3.2L13 5",
  cross: "M4 4l8 8M12 4l-8 8",
  pause: "M6 3.5v9M10 3.5v9",
  play: "M5 3.5l7 4.5-7 4.5z",
  ring: "M8 3a5 5 0 1 0 .01 0M8 7.9v.2",
  clock: "M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2l2 1.3",
  away: "M9 3h4v4M13 3l-6 6M11 9.5V13H3V5h3.5",
  quote: "M3 10V7.5A2.5 2.5 0 0 1 5.5 5M9 10V7.5A2.5 2.5 0 0 1 11.5 5M3 10h2.5M9 10h2.5",
  fork: "M5 3v10M5 9c5 0 6-2 6-5M11 6l2-2-2-2",
  compare: "M3 3h4v10H3zM9 3h4v10H9z",
  link: "M7 9a3 3 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4L8 4M9 7a3 3 0 0 0-4 0L3 9a2.8 2.8 0 0 0 4 4l1-1",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  whole: "M9 3h4v4M13 3L9 7M7 13H3V9M3 13l4-4",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  warning: "M8 2.5L14 13H2zM8 6.5v3M8 11.4v.1",
  stop: "M4 4h8v8H4z",
  sum: "M11.5 5V3.5h-7L8.6 8l-4.1 4.5h7V11",
  unequal: "M3.5 6h9M3.5 10h9M10.3 3l-4.6 10",
  ambiguous: "M8 13V9L4 4M8 9l4-5",
  nowhere: "M8 2.8a5.2 5.2 0 1 0 .01 0M4.3 11.7l7.4-7.4",
  edit: "M3 13l1-3.5 7-7 2.5 2.5-7 7z",
};

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined && child !== ""));
  return element;
}

/** Make an element.
 * @param {string} tag with classes, `"button.primary"`
 * @param {object} [attributes] `onclick` and the like are listeners; `null` and `false` are left out
 * @param {...(Node|string|number|null|false)} children
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, attributes, children);
}

/** Make an element of a drawing. */
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Make one of the page's signs; what it means stands beside it in words. */
export const icon = (name) =>
  svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

/** Make a button. @param {{kind?: string, icon?: string, label?: string}} [how] `label` names a button without words */
export function button(text, onclick, { kind = "", icon: sign, label } = {}) {
  return el(`button${kind && `.${kind}`}`, { type: "button", "aria-label": label, title: label, onclick }, sign && icon(sign), text);
}

/** Show a value: text as it is, everything else as indented JSON. */
export const shown = (value) => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

/** How much of a long text is shown before somebody asks for all of it, in characters. */
const LONG = 4000;

/** Make a block of preformatted text; a very long one is cut, with a button that shows the rest. */
export function textBlock(text, tag = "pre.text") {
  if (text.length <= LONG * 1.5) return el(tag, {}, text);
  const block = el(tag, {}, `${text.slice(0, LONG)}…`);
  const more = button(`Show all ${text.length.toLocaleString("en")} characters`, () => ((block.textContent = text), more.remove()), { kind: "quiet" });
  return el("div", {}, block, more);
}

/** The path of a field, which a narrow column breaks between its parts. */
export const breakable = (path) => path.split(/(?<=[._\]])/).flatMap((part) => [part, el("wbr")]);

/** One bar of all parts, which reads as their numbers. @param {{tone: string, word: string, count: number, status?: string}[]} parts */
export function shareBar(parts) {
  const pieces = parts.map(({ tone, status }) => el("i", { "data-tone": tone, "data-status": status }));
  for (const [index, { count }] of parts.entries()) pieces[index].style.flex = String(count);
  return el("span.bar", { role: "img", "aria-label": parts.map(({ count, word }) => `${counted(count)} ${word}`).join(", ") }, ...pieces);
}

let ids = 0;
/** An id that no other element has. */
export const newId = (prefix) => `${prefix}-${++ids}`;

/** Thousands parted by a thin space; durations in the unit a person would say. */
export const counted = (number) => number.toLocaleString("en").replaceAll(",", " ");
export function lasted(milliseconds) {
  if (milliseconds === null || milliseconds === undefined || Number.isNaN(milliseconds)) return "";
  if (milliseconds < 1) return "< 1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}
const SAME_DAY = { hour: "2-digit", minute: "2-digit" };
const OTHER_DAY = { day: "numeric", month: "short", ...SAME_DAY };
/** A moment as a person would name it today. @param {string|number} when */
export function moment(when) {
  const then = new Date(when);
  return then.toLocaleString([], then.toDateString() === new Date().toDateString() ? SAME_DAY : OTHER_DAY);
}
export const plural = (count, noun, nouns = `${noun}s`) => `${counted(count)} ${count === 1 ? noun : nouns}`;
/** Each name once, with how often it is there. */
export const tallied = (names) => [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => (length > 1 ? `${name} ×${length}` : name));
/** Names in a sentence; of many only the first. */
export const listed = (names) =>
  names.length > 3 ? `${names[0]} and ${names.length - 1} more` : names.join(", ").replace(/, ([^,]*)$/, " and $1");

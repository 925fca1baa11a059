// How elements are made. Text goes in as text, never as HTML: what models, tools and servers say is foreign.

/** Make an element.
 * @param {string} tag with classes, `"button.primary"`
 * @param {object} [attributes] `onclick` and the like are listeners; `null` and `false` are left out
 * @param {...(Node|string|number|null|false)} children
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/** Show a value: text as it is, everything else as indented JSON. */
export const shown = (value) => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

/** How much of a long text is shown before somebody asks for all of it, in characters. */
const LONG = 4000;

/** Make a block of preformatted text; a very long one is cut, with a button that shows the rest. */
export function textBlock(text, tag = "pre.text") {
  if (text.length <= LONG * 1.5) return el(tag, {}, text);
  const block = el(tag, {}, `${text.slice(0, LONG)}…`);
  const more = el("button.quiet", { type: "button" }, `Show all ${text.length.toLocaleString("en")} characters`);
  more.addEventListener("click", () => (block.textContent = text, more.remove()));
  return el("div", {}, block, more);
}

let ids = 0;
/** An id that no other element has. */
export const newId = (prefix) => `${prefix}-${++ids}`;

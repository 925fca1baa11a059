// A value as something to unfold: short ones on their line, lists of alike objects as tables, the rest behind a summary of their size.

import { el, plural, textBlock } from "./dom.js";

const LONGEST = 160;
/** Up to how many characters, as JSON, an object is open from the start. */
const MAX_OPEN = 1200;
/** How many entries are shown before the rest is asked for. */
const MAX_SHOWN = 100;

const MAX_TABLE = { rows: 50, columns: 8 };

/** Make a table of a list of alike objects; null for anything else. */
export function tableOf(rows) {
  const isFlat = Array.isArray(rows) && rows.length > 0 && rows.every((row) => isNested(row) && !Array.isArray(row));
  const names = isFlat ? [...new Set(rows.flatMap((row) => Object.keys(row)))] : [];
  if (!names.length || names.length > MAX_TABLE.columns || rows.length > MAX_TABLE.rows) return null;
  const cell = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
  return el(
    "div.markdown.wide",
    { tabindex: "0", role: "group", "aria-label": "Table" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...names.map((name) => el("td", {}, cell(row[name])))))),
    ),
  );
}

const isNested = (value) => value !== null && typeof value === "object";

/** Make the entries of an object or a list. */
export function valueTree(value) {
  const entries = Object.entries(value);
  const list = el("dl.entries", {}, ...entries.slice(0, MAX_SHOWN).map(entry));
  if (entries.length > MAX_SHOWN) {
    const rest = el("button.quiet", { type: "button" }, `Show ${entries.length - MAX_SHOWN} more`);
    rest.addEventListener("click", () => rest.replaceWith(...entries.slice(MAX_SHOWN).map(entry)));
    list.append(el("div.entry", {}, el("dt", {}, "…"), el("dd", {}, rest)));
  }
  return list;
}

const entry = ([key, value]) => el("div.entry", {}, el("dt", {}, key), el("dd", {}, branch(value)));

/** Make one value. What is nested is filled in when it is opened. */
export function branch(value) {
  if (!isNested(value)) return textBlock(typeof value === "string" ? value : JSON.stringify(value), "pre.text");
  const text = JSON.stringify(value);
  if (text.length < LONGEST && !text.includes("\\n")) return el("code", {}, text);
  const rows = tableOf(value);
  if (rows) return rows;
  const size = Array.isArray(value) ? plural(value.length, "item") : plural(Object.keys(value).length, "key");
  const isOpen = text.length < MAX_OPEN;
  const tree = el("details.tree", { open: isOpen }, el("summary", {}, size), isOpen && valueTree(value));
  tree.addEventListener("toggle", () => tree.children.length === 1 && tree.append(valueTree(value)));
  return tree;
}

// Markdown as elements. The library reads; nothing it could make of HTML is used: what a text says in HTML is shown as text.

import { lexer } from "./vendor/marked.js";
import { el } from "./dom.js";

/** From how many characters on a text is shown as it is: nobody reads it as Markdown, and reading it would take long. */
const MAX_CHARACTERS = 100_000;
/** How deep lists and quotes may lie in each other. */
const MAX_DEPTH = 12;
const ADDRESS = /^https?:\/\//i;

/** Make a text with its headings, lists, tables, code and links. */
export function markdown(text) {
  if (text.length > MAX_CHARACTERS) return el("div.markdown", {}, el("p.text", {}, text));
  try {
    return el("div.markdown", {}, ...blocks(lexer(text, { gfm: true, breaks: true })));
  } catch {
    // A text the library cannot read is a text all the same.
    return el("div.markdown", {}, el("p.text", {}, text));
  }
}

const blocks = (tokens, depth = 0) =>
  tokens.flatMap((token) => (depth > MAX_DEPTH ? [token.raw] : (BLOCKS[token.type]?.(token, depth) ?? [token.raw])));
const inline = (tokens, depth = 0) =>
  (tokens ?? []).flatMap((token) => (depth > MAX_DEPTH ? [token.raw] : (INLINE[token.type]?.(token, depth + 1) ?? [token.raw])));

const BLOCKS = {
  space: () => [],
  def: () => [],
  checkbox: () => [],
  heading: ({ depth, tokens }) => [el(depth < 3 ? "h3" : "h4", {}, ...inline(tokens))],
  paragraph: ({ tokens }) => [el("p", {}, ...inline(tokens))],
  text: ({ tokens, text }) => (tokens ? inline(tokens) : [unescaped(text)]),
  code: ({ text }) => [el("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, text)],
  blockquote: ({ tokens }, depth) => [el("blockquote", {}, ...blocks(tokens, depth + 1))],
  list: ({ ordered, start, items }, depth) => [
    el(
      ordered ? "ol" : "ul",
      { start: ordered && start !== 1 ? start : null },
      ...items.map(({ task, checked, tokens }) => el("li", {}, task && (checked ? "☑ " : "☐ "), ...blocks(tokens, depth + 1))),
    ),
  ],
  hr: () => [el("hr")],
  table: ({ header, rows }) => [
    el(
      "div.wide",
      { tabindex: "0", role: "group", "aria-label": "Table" },
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...header.map(({ tokens }) => el("th", { scope: "col" }, ...inline(tokens))))),
        el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(({ tokens }) => el("td", {}, ...inline(tokens)))))),
      ),
    ),
  ],
  html: ({ raw }) => [el("p.text", {}, raw)],
};

const INLINE = {
  text: ({ tokens, text }, depth) => (tokens ? inline(tokens, depth) : [unescaped(text)]),
  escape: ({ text }) => [unescaped(text)],
  strong: ({ tokens }, depth) => [el("strong", {}, ...inline(tokens, depth))],
  em: ({ tokens }, depth) => [el("em", {}, ...inline(tokens, depth))],
  del: ({ tokens }, depth) => [el("s", {}, ...inline(tokens, depth))],
  codespan: ({ text }) => [el("code", {}, text)],
  br: () => [el("br")],
  link: ({ href, tokens, raw }, depth) =>
    ADDRESS.test(href) ? [el("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...inline(tokens, depth))] : [raw],
  // A remote picture would tell its server who reads this.
  image: ({ href, text }) => [ADDRESS.test(href) ? el("a", { href, target: "_blank", rel: "noopener noreferrer" }, `picture: ${text || href}`) : `picture: ${text}`],
  html: ({ raw }) => [raw],
};

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const unescaped = (text) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]);

// An answer beside the documents it was taken from: its fields in the order of the schema, lists as tables, and the places of each in
// the texts. Knows no elements.

import { answersIn, attemptValues, fieldKey, recordsOf } from "./answers.js";
import { fieldWords, statusOf, worst } from "./coverage.js";

/** @typedef {{path: string, key: string, value: any, status: string, records: object[], number: number|null, places: Place[]}} Field */
/** @typedef {{document: object, start: number, end: number, mark: string, field: Field, piece: object, isOther: boolean}} Place in characters of JavaScript, of a piece of evidence */

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
/** What else than text the server can read. */
export const PDF = "application/pdf";
const TEXTS = ["text", "text-plain"];
const HOLDERS = ["document", "search_result", "tool_result"];

/** The places of a record: those that support its value, and those where its label has another one. */
const piecesOf = ({ evidence = [], others = [] }) => [...evidence, ...others];

/** What a run took from the caller's own words, with their texts; null if it took nothing from there.
 * @param {import("./run_types.js").Run} run
 */
export function proofsOf({ values, messages }) {
  for (const { answer, outcome } of answersIn(values)) {
    const sources = [...recordsOf(outcome).values()].flatMap((record) => [...piecesOf(record), record.nearest].filter(Boolean));
    if (!sources.some(({ source }) => source.kind === "input") && !("document" in values && Object.keys(outcome.fields ?? {}).length)) continue;
    const last = answer ?? attemptValues(outcome.attempts ?? [], messages).findLast((value) => value !== undefined) ?? null;
    return { answer: last, outcome, documents: documentsOf(messages, new Set(sources.map(({ source }) => source.id))) };
  }
  return null;
}

/** What a review asks about, with the texts. @param {{answer: any, fields: object}} request @param {object[]} messages */
export function proofsOfReview({ answer, fields }, messages) {
  const cited = Object.values(fields).flatMap((record) => piecesOf(record).map(({ source }) => source.id));
  return { answer, outcome: { fields }, documents: documentsOf(messages, new Set(cited)) };
}

/** The caller's last messages, and whatever else is cited. */
function documentsOf(messages, cited) {
  const isCallers = ({ type, id, inside }) => type === "human" && !inside && !String(id).startsWith("answergraph-");
  const last = messages.findLastIndex(isCallers);
  const first = messages.slice(0, last + 1).findLastIndex(({ type }) => type === "ai" || type === "tool") + 1;
  const isLast = (index) => index >= first && index <= last;
  return messages.flatMap((message, index) => {
    const id = message.type === "tool" ? message.tool_call_id : message.id;
    const isOne = isCallers(message) ? isLast(index) || cited.has(id) : message.type === "tool" && cited.has(id);
    return isOne ? [{ id, name: message.type === "tool" ? (message.name ?? "tool") : "document", ...partsOf(message.content) }] : [];
  });
}

/** The text of a content as answergraph reads it, and what else is in it. */
function partsOf(content) {
  if (typeof content === "string") return { text: content, others: [] };
  const parts = (content ?? []).map((block) => {
    if (typeof block === "string") return { text: block, others: [] };
    if (TEXTS.includes(block.type) && typeof block.text === "string") return { text: block.text, others: [] };
    if (HOLDERS.includes(block.type)) return partsOf([block.content ?? [], block.source?.data ?? block.source?.content ?? []].flat());
    return { text: "", others: [block.mime_type ?? block.type] };
  });
  return { text: parts.map(({ text }) => text).join(""), others: parts.flatMap(({ others }) => others) };
}

/** Lay out what was proved.
 * @param {{answer: any, outcome: object, documents: {id: string, name: string, text: string, others?: string[]}[]}} proofs
 * @returns {{rows: object[], fields: Field[], documents: object[]}} a row is a field, or a list with `table`
 */
export function layOut({ answer, outcome, documents }) {
  const records = recordsOf(outcome);
  const isChecked = records.size > 0;
  // The record of an answer without fields, a number or a text, stands below nothing.
  const below = Map.groupBy([...records].filter(([key]) => key), ([key]) => key.split("/").slice(0, -1).join("/"));
  const inside = (key) => (below.get(key) ?? []).flatMap(([inner, record]) => [record, ...inside(inner)]);
  const taken = new Set();
  const field = (path, value) => {
    const key = fieldKey(path);
    const own = [records.get(key), ...inside(key)].filter(Boolean);
    for (const { path: each } of own) taken.add(each);
    const status = own.length ? worst(own.map((each) => each.status)) : statusOf(value, isChecked);
    return { path: own.length === 1 ? own[0].path : path, key, value, status, records: own, number: null, places: [] };
  };
  const rows = answer === null || answer === undefined ? [] : rowsOf(answer, "", field);
  for (const [, { path }] of records) if (!taken.has(path)) rows.push(field(path, undefined));
  const laid = documents.map((each) => textWithPlaces(each, records));
  for (const [index, row] of rows.entries())
    for (const each of fieldsIn(row)) place(each, index + 1, laid);
  return { rows, fields: rows.flatMap(fieldsIn), documents: laid };
}

export const fieldsIn = (row) => (row.table ? row.table.items.flatMap(({ cells }) => cells) : [row]);

function rowsOf(value, path, field) {
  if (isObject(value) && Object.keys(value).length)
    return Object.entries(value).flatMap(([key, inner]) => rowsOf(inner, joined(path, key), field));
  if (!Array.isArray(value) || !value.length) return [field(path, value)];
  const names = [...new Set(value.flatMap((item) => (isObject(item) ? leaves(item, "").map(([name]) => name) : [""])))];
  const items = value.map((item, index) => {
    const inner = new Map(isObject(item) ? leaves(item, "") : [["", item]]);
    const at = `${path}[${index}]`;
    return { index, cells: names.map((name) => field(name ? joined(at, name, true) : at, inner.get(name))) };
  });
  return [{ path, table: { names, items } }];
}

/** The fields below an item, those of a list inside as one. */
function leaves(value, path) {
  if (!isObject(value) || !Object.keys(value).length) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, joined(path, key)));
}

function joined(path, key, isPath = false) {
  if (isPath || /^[^.[\]'"]+$/.test(key)) return path && !key.startsWith("[") ? `${path}.${key}` : path + key;
  return `${path}['${key.replace(/[\\']/g, "\\$&")}']`;
}

/** The documents with the pages of PDFs, which only the server can read; without them the passages stand there. */
export const withTexts = (documents, pages) =>
  Promise.all(
    documents.map(async (document) => {
      const texts = document.others?.includes(PDF) && (await pages?.texts(document.id).catch(() => null));
      return texts ? withPages(document, texts) : document;
    }),
  );

/** A document with its pages, as the server reads them: evidence counts them behind the message's own text. */
const withPages = (document, pages) => ({
  ...document,
  text: document.text + pages.join(""),
  pages: pages.map((text) => ({ text })),
  others: document.others.filter((kind) => kind !== PDF),
});

/** The places of each page: those at the same span together. @param {Place[]} places
 * @returns {{span: number[], places: Place[]}[][]} a span counts the characters of its page as Python does
 */
export function spansOf({ text, pages }, places) {
  let from = text.length - pages.reduce((length, page) => length + page.text.length, 0);
  return pages.map((page) => {
    const [start, end] = [from, (from += page.text.length)];
    const count = (place) => [...text.slice(start, Math.min(place, end))].length;
    const own = Map.groupBy(places.filter((place) => place.start >= start && place.start < end), (place) => `${place.start}-${place.end}`);
    return [...own.values()].map((some) => ({ span: [count(some[0].start), count(some[0].end)], places: some }));
  });
}

/** A document whose text is known to hold what was found in it; else its passages alone, as its text. */
function textWithPlaces(document, records) {
  const cited = [...records.values()].flatMap(piecesOf).filter(({ source }) => source.id === document.id);
  const offset = offsets(document.text);
  const fits = ({ unit, marks, place: [start] }) => {
    const points = [...unit];
    return marks.every(([from, to]) => document.text.slice(offset(start + from), offset(start + to)) === points.slice(from, to).join(""));
  };
  const notes = [...new Set(document.others ?? [])].map((kind) => `Beside the text there is ${kind}: what is on it cannot be shown here.`);
  if (cited.every(fits)) return { ...document, notes, offset, at: ({ place: [start] }) => start };
  const units = [...new Map(cited.map((each) => [each.place.join(), each])).values()].toSorted((a, b) => a.place[0] - b.place[0]);
  const starts = new Map();
  let text = "";
  for (const { place: at, unit } of units) {
    starts.set(at.join(), [...text].length);
    text += `${unit}\n`;
  }
  const why = document.text ? "The stored text differs from the one that was checked." : "The text of this document is not stored with the run.";
  return { ...document, text, pages: null, isCut: true, notes: [...notes, `${why} These are the passages that were checked.`], offset: offsets(text), at: ({ place: at }) => starts.get(at.join()) };
}

/** Python counts an emoji as one character, JavaScript as two. */
function offsets(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (count) => count;
  const ends = [0];
  for (const point of text) ends.push(ends.at(-1) + point.length);
  return (count) => ends[Math.min(count, ends.length - 1)];
}

function place(field, number, documents) {
  for (const record of field.records)
    for (const piece of piecesOf(record)) {
      const document = documents.find(({ id }) => id === piece.source.id);
      if (document) for (const [from, to] of piece.marks) {
        const start = document.at(piece);
        field.places.push({ document, field, start: document.offset(start + from), end: document.offset(start + to), mark: "", piece, isOther: Boolean(record.others?.includes(piece)) });
      }
    }
  if (!field.places.length) return;
  field.number = number;
  const isOpen = fieldWords(field.status).tone === "you" && field.places.length > 1;
  for (const [index, each] of field.places.entries()) each.mark = `${number}${isOpen ? String.fromCharCode(97 + (index % 26)) : ""}`;
}

/** A document's lines, each in pieces: a text with the places that cover it, and those that end there.
 * @returns {{number: number, pieces: {text: string, places: Place[], ends: Place[]}[]}[]}
 */
export function linesOf({ text }, places) {
  const cuts = [...new Set([0, text.length, ...places.flatMap(({ start, end }) => [start, end])])].toSorted((a, b) => a - b);
  const ordered = places.toSorted((a, b) => a.start - b.start);
  const lines = [{ number: 1, pieces: [] }];
  let open = [];
  let next = 0;
  for (const [index, start] of cuts.slice(0, -1).entries()) {
    const end = cuts[index + 1];
    open = open.filter((each) => each.end > start);
    while (next < ordered.length && ordered[next].start <= start) open.push(ordered[next++]);
    for (const [line, piece] of text.slice(start, end).split("\n").entries()) {
      if (line) lines.push({ number: lines.length + 1, pieces: [] });
      if (piece) lines.at(-1).pieces.push({ text: piece, places: open, ends: [] });
    }
    const last = lines.at(-1).pieces.at(-1);
    if (last) last.ends = open.filter((each) => each.end === end);
  }
  return lines;
}

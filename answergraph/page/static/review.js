// What a review asks: per doubtful field its readings, with what stands behind each and what follows from it, and what may be decided.
// Knows no elements.

import { fieldKey } from "./answers.js";
import { shown } from "./dom.js";
import { layOut } from "./record.js";

/** @typedef {{value: any, text: string, readers: number, of: number, passages: object[], sums: object[]}} Reading */
/** @typedef {{id: string, path: string, status: string, problem: string|null, schema: object, readings: Reading[], passages: object[], nearest: object|null,
 *   choices: Record<string, string|null>, decide: (kind: "take"|"type"|"leave_out"|"reject", value?: any) => object}} Question */

export const isReview = (interrupts) => interrupts.length > 0 && interrupts.every(({ value }) => value?.type === "review_answer");

const print = (value) => JSON.stringify(value) ?? "null";
/** What of a text can be compared with a value: letters and digits. */
const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "").replace(/(\p{N})0+$/u, "$1");

/** Where a typed value stands: what is given by a person need not stand anywhere. @param {object[]} documents */
export function lookUp(value, documents) {
  const [wanted, at] = [value.trim().toLowerCase(), (document) => document.text.toLowerCase().indexOf(wanted)];
  const document = wanted && documents.find((each) => at(each) >= 0);
  return document ? { document, start: at(document) } : null;
}

/** @param {{id: string, value: object}} interrupt @returns {Question[]} in the order of the record */
export function questionsOf({ id, value: request }) {
  const { fields } = layOut({ answer: request.answer, outcome: { fields: request.fields }, documents: [] });
  const values = new Map(fields.map((field) => [field.key, field.value]));
  const asked = Object.keys(request.fields);
  const order = new Map(fields.map(({ key }, index) => [key, index]));
  const place = (path) => order.get(fieldKey(path)) ?? fields.length;
  return asked.toSorted((one, other) => place(one) - place(other)).map((path) => questionOf(id, path, request, values.get(fieldKey(path))));
}

function questionOf(id, path, request, current) {
  const { status, problem, evidence = [], nearest = null, readings = [] } = request.fields[path];
  const choices = request.choices?.[path] ?? {};
  const schema = request.schema?.[path] ?? {};
  const told = readings.length ? readings.map(({ value }) => value) : current === undefined ? [] : [current];
  const cards = [...Map.groupBy(told, print)].map(([key, { length }]) => {
    const text = shown(JSON.parse(key));
    const passages = evidence.filter((piece) => bare(wordsOf(piece)) === bare(text));
    const sums = (request.sums?.[path] ?? []).filter((sum) => print(sum.value) === key);
    return { value: JSON.parse(key), text, readers: length, of: told.length, passages, sums };
  });
  const used = new Set(cards.flatMap(({ passages }) => passages));
  const decide = (kind, value) => {
    if (kind === "reject") return { type: "reject", ...(value && { message: value }) };
    if (kind === "leave_out") return { type: "edit", value: schema.default };
    return kind === "take" && print(value) === print(current) && !choices.approve ? { type: "approve" } : { type: "edit", value };
  };
  return { id, path, status, problem, schema, readings: cards, passages: evidence.filter((piece) => !used.has(piece)), nearest, choices, decide };
}

const wordsOf = ({ unit, marks }) => marks.map(([from, to]) => [...unit].slice(from, to).join("")).join(" ");

/** A unit in parts that are marked or not. */
export function partsOf({ unit, marks = [] }) {
  const points = [...unit];
  const parts = [];
  let at = 0;
  for (const [from, to] of marks) {
    parts.push([points.slice(at, from).join(""), false], [points.slice(from, to).join(""), true]);
    at = to;
  }
  return [...parts, [points.slice(at).join(""), false]].filter(([text]) => text);
}

export const sumText = ({ formula, computed, field, stands, is_equal: isEqual }) =>
  `${formula} = ${computed}, ${isEqual ? `as ${field} says` : `but ${field} is ${stands}`}`;

/** What the decisions become, per interrupt in their order. */
export const decisionsOf = (interrupts, questions, decided) =>
  interrupts.map(({ id, value: { version } }) => ({
    ...(version && { version }),
    decisions: Object.fromEntries(questions.filter((question) => question.id === id).map((question) => [question.path, decided.get(question).decision])),
  }));

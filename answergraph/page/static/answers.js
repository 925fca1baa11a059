// Which answers a state holds, each with its outcome and what supports it; the fields of each attempt; and where in a text a piece of
// evidence stands. Knows no elements.

import { textOf } from "./conversation.js";

/** Return the answers of a state.
 *
 * An agent writes `structured_response` and `outcome`, or `<key>` and `<key>_outcome`; the triage writes a list of reports, each with
 * the sources it cites. LangChain's agent writes `structured_response` alone, which is an answer without a record of how it came.
 */
export function answersIn(values) {
  const found = [];
  for (const [key, value] of Object.entries(values)) {
    if (key === "outcome" && isOutcome(value)) found.push(record("structured_response", values, value));
    else if (key.endsWith("_outcome") && isOutcome(value)) found.push(record(key.slice(0, -"_outcome".length), values, value));
    else if (Array.isArray(value)) found.push(...value.filter(isReport).map((report, index) => fromReport(report, key, index)));
  }
  const { structured_response: answer } = values;
  if (!("outcome" in values) && answer !== null && answer !== undefined) found.push(record("structured_response", values, BARE));
  return found;
}

/** In place of the outcome that a graph of others does not write. */
export const BARE = { status: "answered", attempts: [] };

/** What an answer says in a word, if it does. */
export const verdictOf = (record) =>
  [record?.outcome.verdict, record?.answer?.verdict, record?.answer?.label].find((each) => typeof each === "string");

/** The outcome among what a node has written, if there is one. */
export const outcomeIn = (wrote) => Object.entries(wrote ?? {}).find(([key, value]) => /(^|_)outcome$/.test(key) && isOutcome(value))?.[1];

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isOutcome = (value) => isObject(value) && typeof value.status === "string" && "attempts" in value;
const isReport = (value) =>
  isObject(value) && typeof value.status === "string" && "answer" in value && isObject(value.sources);

const record = (key, values, outcome) => ({ title: key, answer: values[key] ?? null, outcome, sources: {} });

function fromReport({ answer, sources, case: name, test, ...outcome }, key, index) {
  return { title: test ?? name ?? `${key}[${index}]`, case: name ?? null, answer, outcome, sources };
}

/** The report among what a node has written, if there is one. */
export const reportIn = (wrote) =>
  Object.values(wrote ?? {})
    .flat()
    .find(isReport);

/** From how many items on a list is one row instead of one for each item. */
const MAX_ITEMS = 4;
const MAX_DEPTH = 4;

/** The fields of a value by path: `{"quotes[0]": "…", "place.line": 3}`; a value without fields is called by its own name. */
export function fieldsOf(value, name = "answer") {
  if (!isObject(value)) return new Map(value === null || value === undefined ? [] : flat(value, name, 0));
  return new Map(Object.entries(value).flatMap(([key, inner]) => flat(inner, key, 1)));
}

function flat(value, path, depth) {
  const isShort = Array.isArray(value) && value.length > 0 && value.length <= MAX_ITEMS;
  if (depth < MAX_DEPTH && isShort) return value.flatMap((item, index) => flat(item, `${path}[${index}]`, depth + 1));
  if (depth < MAX_DEPTH && isObject(value) && Object.keys(value).length)
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, `${path}.${key}`, depth + 1));
  return [[path, value]];
}

const STEP = /\.?([^.[\]'"]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/gy;

/** What two names of one field have in common. A record is named as in Python, `by_year['q1'].unit_price`, a value as in JSON, which may
 * have an alias: `byYear.q1.unitPrice`. */
export const fieldKey = (path) =>
  [...path.matchAll(STEP)].map(([, name, place, ...key]) => place ?? (name ?? key.join("")).toLowerCase().replace(/[_-]/g, "")).join("/");

/** The records of an outcome or a report by the key of their field, each with its path. */
export const recordsOf = ({ fields }) =>
  new Map(Object.entries(fields ?? {}).map(([path, record]) => [fieldKey(path), { path, ...record }]));

/** How many fields of an outcome have one of these statuses. */
export const countOf = ({ fields }, ...statuses) =>
  Object.values(fields ?? {}).filter(({ status }) => statuses.includes(status)).length;

/** The first marked place of a piece of evidence: in its source, or in the unit if the source is not there. */
export function placeOf(evidence, source) {
  const [start, end] = evidence.marks[0] ?? [0, 0];
  const from = source ? evidence.place[0] : 0;
  const shown = source ?? (evidence.unit ? { tool: evidence.source.name, text: evidence.unit } : null);
  return { source: shown, start: from + start, end: from + end };
}

/** What each attempt answered, as far as the messages hold it; undefined where they do not.
 * @param {object[]} attempts of the outcome @param {object[]} messages of the thread
 */
export function attemptValues(attempts, messages) {
  const begin = messages.findLastIndex(({ type, id }) => type === "human" && !String(id).startsWith("answergraph-"));
  const replies = messages.slice(begin + 1).filter(({ type, inside }) => type === "ai" && !inside);
  let at = 0;
  return attempts.map(({ schema, message_id: id }) => {
    if (id)
      return answerIn(messages.find((message) => message.id === id), schema);
    while (at < replies.length) {
      const value = answerIn(replies[at++], schema);
      if (value !== undefined) return value;
    }
    return undefined;
  });
}

function answerIn(message, schema) {
  if (!message) return undefined;
  const call = message.tool_calls?.find(({ name }) => name === schema);
  if (call) return Object.keys(call.args).join() === "value" ? call.args.value : call.args;
  const broken = message.invalid_tool_calls?.find(({ name }) => name === schema);
  if (broken) return broken.args;
  if (message.tool_calls?.length) return undefined;
  try {
    return JSON.parse(textOf(message));
  } catch {
    return undefined;
  }
}

/** Cut a text into before, the span, and after. A span counts characters as Python does, where an emoji is one. */
export function cutAt(text, start, end) {
  const [from, to] = [start, end].map((count) => utf16Offset(text, count));
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

function utf16Offset(text, count) {
  let offset = 0;
  for (let passed = 0; passed < count && offset < text.length; passed++) offset += text.codePointAt(offset) > 0xffff ? 2 : 1;
  return offset;
}

// The cases of a run: what a graph does in the same way for several things side by side, such as the reports of a triage or the tasks of
// a fan-out. Knows no elements.

import { answersIn, fieldKey, fieldsOf, outcomeIn, recordsOf, reportIn, verdictOf } from "./answers.js";
import { textOf } from "./conversation.js";
import { statusWords } from "./outcome_words.js";
import { messagesIn, spacesOf, withoutIds } from "./steps.js";
import { brief, changes, kindOf } from "./timeline.js";

/** Up to how many answers stand above the tabs; more are cases. */
export const MAX_ANSWERS = 3;

/** @typedef {object} Case
 * @property {string} id
 * @property {object|null} step the visit that it is, if its steps are known
 * @property {string} title what it is about
 * @property {string} status of its answer, or of its visit
 * @property {string} verdict in a word
 * @property {string} why
 * @property {object|null} record its answer
 * @property {number} steps how many it took
 * @property {number|null} took in milliseconds
 * @property {{kind: string, began: number, ended: number}[]} spans when it was at work, and at what
 */

/** @param {import("./run_types.js").Run} run @returns {Case[]} */
export function casesOf({ steps, values, growing }) {
  const bySpace = new Map();
  const cases = [];
  const busy = new Set(steps.map(({ space }) => space));
  for (const visits of Map.groupBy(steps, ({ space, number, node }) => JSON.stringify([space, number, node])).values()) {
    if (caseAround(visits[0].space, bySpace) || !isFanOut(visits, busy)) continue;
    for (const [index, step] of visits.entries()) {
      const begun = { step, place: index + 1, inner: [], growing: null };
      cases.push(begun);
      if (step.childSpace) bySpace.set(step.childSpace, begun);
    }
  }
  for (const step of steps) caseAround(step.space, bySpace)?.inner.push(step);
  for (const event of growing) Object.assign(caseAround(event.space, bySpace) ?? {}, { growing: event });
  const records = answersIn(values);
  const calls = new Map(steps.flatMap(({ wrote }) => messagesIn(wrote).flatMap((message) => message.tool_calls ?? [])).map((call) => [call.id, call.args]));
  const told = cases.map((each) => visitCase(each, records, calls));
  const known = new Set(told.map(({ record }) => record));
  const others = records.filter((each) => !known.has(each) && (each.case || records.length > MAX_ANSWERS));
  return [...told, ...others.map(recordCase)];
}

/** The case that a space lies in. @param {string} space @param {Map<string, object>} bySpace */
export function caseAround(space, bySpace) {
  return spacesOf(space).map((each) => bySpace.get(each)).findLast(Boolean);
}

/** Where a message was written: in which case, by which of its nodes; empty for the thread itself. */
export function placeIn({ inside, space }, bySpace) {
  const found = caseAround(space, bySpace);
  const names = inside ? inside.split(":") : [];
  return [...(found ? [found.title] : []), ...names.slice(found ? withoutIds(found.step.childSpace).split(":").length : 0)].join(" › ");
}

/** Calls of tools side by side are no cases, unless each is a run of a graph. */
function isFanOut(visits, busy) {
  const isRun = visits.some(({ childSpace }) => busy.has(childSpace));
  const isTool = visits.some(({ wrote }) => messagesIn(wrote).some(({ type }) => type === "tool"));
  if (visits.length === 1) return isRun && Boolean(reportIn(visits[0].wrote));
  return isRun || (!isTool && visits.some(({ wrote }) => wrote));
}

const STATUSES = { running: "running", waits: "waiting", failed: "failed", stopped: "stopped", done: "ended" };

function visitCase({ step, place, inner, growing }, records, calls) {
  const report = reportIn(step.wrote);
  const record = report ? (records.find((each) => each.case === report.case) ?? null) : null;
  const outcome = record?.outcome ?? inner.map(({ wrote }) => outcomeIn(wrote)).findLast(Boolean);
  const status = step.state === "done" ? (outcome?.status ?? "ended") : STATUSES[step.state];
  return {
    id: step.id,
    step,
    title: record?.title ?? asked(inner) ?? callIn(step.wrote, calls) ?? nameIn(step.wrote) ?? `${step.node} ${place}`,
    status,
    verdict: verdictOf(record) ?? statusWords(status).word,
    why: step.error ? brief(step.error) : record || outcome ? whyOf(record?.answer, outcome) : whyNow(step, growing),
    record,
    steps: Math.max(1, inner.length),
    took: isTimed(step) ? step.ended - step.began : null,
    spans: spansOf(step, inner),
  };
}

const isTimed = ({ began, ended }) => began !== null && ended !== null;

/** The steps inside a case that have no steps inside themselves; itself, where none are known. */
function spansOf(step, inner) {
  const around = new Set(inner.map(({ space }) => space));
  const timed = inner.filter((each) => isTimed(each) && !around.has(each.childSpace));
  return (timed.length ? timed : [step].filter(isTimed)).map((each) => ({ kind: kindOf(each), began: each.began, ended: each.ended }));
}

const recordCase = (record) => ({
  id: `answer|${record.case ?? record.title}`,
  step: null,
  title: record.title,
  status: record.outcome.status,
  verdict: verdictOf(record) ?? statusWords(record.outcome.status).word,
  why: whyOf(record.answer, record.outcome),
  record,
  steps: 0,
  took: null,
  spans: [],
});

/** What a case was asked first. */
function asked(inner) {
  const text = inner.flatMap(({ wrote }) => messagesIn(wrote)).find(({ type, content }) => type === "human" && typeof content === "string")?.content;
  return text ? brief(text, 80) : undefined;
}

/** The call that a tool has carried out. */
function callIn(wrote, calls) {
  const result = messagesIn(wrote).find(({ type }) => type === "tool");
  return result && brief([result.name ?? "tool", ...Object.values(calls.get(result.tool_call_id) ?? {}).map((value) => brief(value, 40))].join(" · "), 80);
}

/** The first text in the one thing that a visit has written. */
function nameIn(wrote) {
  const written = Object.entries(wrote ?? {}).flatMap(([key, value]) => (key === "messages" ? [] : [value].flat()));
  const texts = typeof written[0] === "object" ? Object.values(written[0] ?? {}) : written;
  const name = written.length === 1 && texts.find((value) => typeof value === "string" && value);
  return name ? brief(name, 80) : undefined;
}

/** The first value that a result of a tool supports, or what the outcome says. */
function whyOf(answer, outcome) {
  const { reason } = outcome;
  const records = recordsOf(outcome);
  const supported = [...fieldsOf(answer)].find(([name]) => records.get(fieldKey(name))?.status === "supported");
  const quote = supported?.[1];
  return quote === undefined ? brief(reason ?? "") : `“${brief(quote)}”`;
}

function whyNow({ state, wrote, interrupts }, growing) {
  if (state === "running") return growing?.reason ? `Attempt ${growing.attempt} was sent back: ${brief(growing.reason)}` : "";
  if (interrupts.length) return "It waits for your decision.";
  const said = messagesIn(wrote).findLast(({ type }) => type === "ai" || type === "tool");
  if (said) return brief(textOf(said));
  const [[key, value] = [], ...more] = Object.entries(wrote ?? {}).filter(([name]) => name !== "messages");
  return key === undefined || more.length ? changes(wrote) : `${key}: ${brief([value].flat().length === 1 ? [value].flat()[0] : value)}`;
}

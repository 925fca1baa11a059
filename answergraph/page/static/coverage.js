// What stands behind the fields of an answer, counted and said: which hold, which are in doubt, which stand nowhere. Knows no elements.

import { counted, listed, plural } from "./dom.js";

/** Of each status of a field: what a reader has to do, and its sign. The worst come first. */
const STATUSES = {
  not_found: ["no", "nowhere"],
  unsupported: ["no", "cross"],
  disputed: ["you", "unequal"],
  ambiguous: ["you", "ambiguous"],
  unchecked: ["idle", "ring"],
  judged: ["ok", "quote"],
  derived: ["ok", "sum"],
  supported: ["ok", "check"],
  given: ["ok", "edit"],
  none: ["idle", "minus"],
};
const ORDER = Object.keys(STATUSES);

/** What a field without a record has for a status. */
export const statusOf = (value, isChecked) => (value === null || value === undefined || !isChecked ? "none" : "unchecked");

export function fieldWords(status) {
  const [tone, icon] = STATUSES[status] ?? ["idle", "ring"];
  return { tone, icon, word: status === "none" ? "no value" : status.replaceAll("_", " ") };
}

export const worst = (statuses) => ORDER.find((each) => statuses.includes(each)) ?? statuses[0];

/** Whether somebody should look at it. */
export const isDoubtful = ({ status }) => ["no", "you"].includes(fieldWords(status).tone);

/** The fields by their status, in the order in which they are counted: what holds first. @param {{status: string}[]} fields */
export const byStatus = (fields) =>
  ORDER.toReversed()
    .map((status) => [status, fields.filter((field) => field.status === status)])
    .filter(([, some]) => some.length);

const is = (count, one, many, noun = "") => `${noun ? plural(count, noun) : counted(count)} ${count === 1 ? one : many}`;

/** The sentence on all fields; what there is none of is left out. @param {{path: string, status: string}[]} fields */
export function coverageOf(fields) {
  const named = (...statuses) => fields.filter(({ status }) => statuses.includes(status));
  const count = (...statuses) => named(...statuses).length;
  const filled = fields.length - count("none");
  if (filled === count("unchecked")) return "No field was checked.";
  const nowhere = named("not_found").map(({ path }) => path);
  const hold = count("supported", "derived", "judged", "given");
  const how = [
    [count("supported"), "stands in the document", "stand in the document"],
    [count("derived"), "is computed from it", "are computed from it"],
    [count("judged"), "was judged", "were judged"],
    [count("given"), "was given by a person", "were given by a person"],
  ];
  const rest = [
    [count("disputed", "ambiguous"), "is in doubt", "are in doubt"],
    [count("unsupported"), "stands in it as something else", "stand in it as something else"],
    [count("unchecked"), "was not checked", "were not checked"],
    [count("none"), "has no value", "have no value"],
  ];
  const said = (parts) =>
    parts
      .filter(([number]) => number)
      .map((part) => is(...part))
      .join(", ");
  const others = said(rest);
  return [
    nowhere.length && `Nowhere: ${nowhere.length > 3 ? `${nowhere.slice(0, 3).join(", ")} and ${nowhere.length - 3} more` : listed(nowhere)}.`,
    `Of ${plural(filled, "field")} ${is(hold, "holds", "hold")}${hold ? `: ${said(how)}` : ""}.`,
    others && `${others}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What the headline has to add; null if nothing is wrong. @param {{status: string}[]} fields */
export function worstOf(fields) {
  const nowhere = fields.filter(({ status }) => status === "not_found").length;
  if (nowhere) return { tone: "no", text: `${is(nowhere, "stands", "stand", "field")} nowhere in its sources` };
  const doubtful = fields.filter(isDoubtful).length;
  return doubtful ? { tone: "you", text: `${is(doubtful, "is", "are", "field")} in doubt` } : null;
}

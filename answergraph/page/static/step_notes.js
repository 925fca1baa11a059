// What an agent has noted of a step: how its model was asked where that was unusual, and what of an answer was repaired. Knows no
// elements.

import { lasted, listed, plural, tallied } from "./dom.js";

/** The rows below a model call. @param {object[]} messages that the step has written
 * @param {{middleware: string, from: string[], to: string[]}[]} [narrowed] by the outcome, which is there at the end of a run
 */
export function notesOfCall(messages, narrowed = []) {
  return messages.flatMap(({ response_metadata: metadata }) => told(metadata?.answergraph ?? {}, narrowed));
}

function told(note, narrowed) {
  const { strategy, offered, given_up: givenUp, failed_calls: failed, waited_seconds: waited, unused_replies: unused, tools_off: isOff, last_call: isLast } = note;
  const again = [
    failed && `after ${listed(tallied(failed))}`,
    waited && `waited ${lasted(waited * 1000)}`,
    unused && `${plural(unused, "reply", "replies")} not used`,
  ].filter(Boolean);
  const budget = [isLast && "the last model call", isOff && "tools are off, the answer is asked for"].filter(Boolean);
  const by = offered && narrowedBy(offered, narrowed);
  return [
    offered && { name: "narrowed", what: `offers ${listed(offered)} only${by && ` (${by})`}` },
    givenUp && { name: "next strategy", what: `${listed(givenUp)} refused, asks by ${strategy}` },
    again.length && { name: "asked again", what: again.join(", ") },
    budget.length && { name: "budget", what: budget.join("; ") },
  ].filter(Boolean);
}

/** Which middleware left these schemas, in the order of their changes; "or" where the outcome does not tell which of them it was. */
function narrowedBy(offered, narrowed) {
  const last = narrowed.filter(({ to }) => to.length === offered.length && to.every((name) => offered.includes(name)));
  if (!last.length) return "";
  const names = [...new Set(last.map(({ middleware }) => middleware))].join(" or ");
  const before = narrowedBy(last[0].from, narrowed.filter((each) => !last.includes(each)));
  return before ? `${before}, then ${names}` : names;
}

/** The rows below a reading of an answer. @param {{repairs?: string[]}} [attempt] */
export const notesOfAnswer = (attempt) => (attempt?.repairs ?? []).map((what) => ({ name: "repaired", what }));

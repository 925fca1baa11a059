// What an agent has noted of a step: how its model was asked where that was unusual, and what of an answer was repaired. Knows no
// elements.

import { listed, plural } from "./dom.js";

/** The rows below a model call. @param {object[]} messages that the step has written */
export function notesOfCall(messages) {
  return messages.flatMap(({ response_metadata: metadata }) => told(metadata?.answergraph ?? {}));
}

function told({ strategy, offered, given_up: givenUp, failed_calls: failed, unused_replies: unused, tools_off: isOff, last_call: isLast }) {
  const again = [
    failed && `after ${listed(failed)}`,
    unused && `${plural(unused, "reply", "replies")} not used`,
  ].filter(Boolean);
  const budget = [isLast && "the last model call", isOff && "tools are off, the answer is asked for"].filter(Boolean);
  return [
    offered && { name: "narrowed", what: `offers ${listed(offered)} only` },
    givenUp && { name: "next strategy", what: `${listed(givenUp)} refused, asks by ${strategy}` },
    again.length && { name: "asked again", what: again.join(", ") },
    budget.length && { name: "budget", what: budget.join("; ") },
  ].filter(Boolean);
}

/** The rows below a reading of an answer. @param {{repairs?: string[]}} [attempt] */
export const notesOfAnswer = (attempt) => (attempt?.repairs ?? []).map((what) => ({ name: "repaired", what }));

// What goes on in the same way for long is one row of the timeline. Knows no elements.

import { counted } from "./dom.js";

/** From how many rows of one pattern on the middle is folded, and how long a pattern may be. */
const REPEATS = { least: 12, longest: 4 };
const printOf = ({ name, kind, tone, then, hasMore }) => JSON.stringify([name, kind, tone, then, hasMore]);

/** Fold the middle of what goes on in the same way for long. @param {object[]} rows @param {Set<string>} opened folds that were opened */
export function folded(rows, opened) {
  const prints = rows.map(printOf);
  const result = [];
  for (let at = 0; at < rows.length;) {
    const { length, period } = repetition(prints, at);
    const hidden = rows.slice(at + 2 * period, at + length - period);
    const id = `fold-${rows[at].id}`;
    if (length < REPEATS.least || opened.has(id))
      result.push(...rows.slice(at, at + Math.max(1, length < REPEATS.least ? 1 : length)));
    else
      result.push(...rows.slice(at, at + 2 * period), foldRow(id, hidden, period), ...rows.slice(at + length - period, at + length));
    at += length < REPEATS.least ? 1 : length;
  }
  return result;
}

function repetition(prints, at) {
  let best = { length: 1, period: 1 };
  for (let period = 1; period <= REPEATS.longest; period++) {
    let end = at + period;
    while (end < prints.length && prints[end] === prints[end - period]) end++;
    const length = Math.floor((end - at) / period) * period;
    if (length > best.length && length >= 3 * period) best = { length, period };
  }
  return best;
}

function foldRow(id, hidden, period) {
  const sum = (key) => hidden.reduce((total, row) => total + (row[key] ?? 0), 0);
  return {
    id,
    step: hidden[0].step,
    kind: "fold",
    name: `${counted(hidden.length)} more steps`,
    number: null,
    depth: 0,
    hasMore: true,
    hidden,
    what: `of the same kind: ${hidden
      .slice(0, period)
      .map(({ name }) => name)
      .join(", then ")}`,
    tone: null,
    then: "",
    tokens: sum("tokens"),
    cost: sum("cost"),
    took: sum("took"),
  };
}

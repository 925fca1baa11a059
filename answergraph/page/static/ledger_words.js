// What a ledger says, in words: how its rows ended, grouped by status and reason, and how fast they come. Knows no elements.

import { counted, lasted, plural } from "./dom.js";
import { statusWords } from "./outcome_words.js";

/** How many reasons of a status are shown before somebody asks for all. */
export const MOST = 8;
/** Over which time the pace is taken, in milliseconds. */
const WINDOW = 300_000;

export const NAMES = ["status", "field", "rule"];
export const isSame = (one, other) => NAMES.every((name) => (one?.[name] ?? "") === (other?.[name] ?? ""));
export const sum = (groups) => groups.reduce((total, { count }) => total + count, 0);
export const percent = (part, whole) => {
  const share = (100 * part) / whole;
  return `${share > 0 && share < 1 ? share.toFixed(2) : share.toFixed(share > 99 && share < 100 ? 1 : 0)} %`;
};
const isAnswer = ({ status }) => status === "answered" || status === "abstained";

/** @returns {{status: string, count: number, groups: object[]}[]} the most frequent status first, answers before all */
export function statusesOf(groups) {
  const by = [...Map.groupBy(groups, ({ status }) => status)].map(([status, some]) => ({ status, count: sum(some), groups: some }));
  return by.toSorted((one, other) => Number(isAnswer(other)) - Number(isAnswer(one)) || other.count - one.count);
}

/** Why the rows of a group ended so, in few words. */
export function reasonOf({ field, rule }) {
  const said = { schema: "not as the schema says", input: "its input cannot be made", json: "cannot be stored as JSON" }[rule] ?? rule;
  return [field, said].filter(Boolean).join(": ");
}

/** @param {object} ledger what the ledger says of itself */
export function headOfLedger({ groups, at_work: atWork, left_behind: leftBehind, again, stopped, paused, asked_again: asked }) {
  const all = sum(groups);
  const worst = groups.filter((group) => !isAnswer(group));
  const most = worst[0];
  const failed = sum(worst);
  const isOver = !atWork;
  const isStopped = stopped && isOver;
  const running = paused ? ["limit", "pause", "Pausing"] : ["running", "play", "Running"];
  const state = isStopped ? ["limit", "pause", paused ? "Paused" : "Stopped"] : atWork ? running : ["idle", "ring", "Nobody is at work"];
  const wished = asked.length ? `${plural(sum(groups.filter((group) => asked.some((each) => isSame(each, group)))), "row")} will be asked again at the next start.` : "";
  return {
    tone: state[0],
    icon: state[1],
    word: state[2],
    rest: `: ${plural(all, "row")} ${all === 1 ? "has" : "have"} ended`,
    wished,
    why: [
      paused && atWork ? `${plural(atWork, "row")} under way ${atWork === 1 ? "ends" : "end"} first; no more are begun.` : "",
      isStopped ? stopped.reason.replace(/([^.!?])$/, "$1.") : "",
      all ? `${percent(all - failed, all)} have an answer.` : "No row has ended yet.",
      most ? `${counted(failed)} ended without one, most of them ${most.status.replaceAll("_", " ")}${reasonOf(most) ? ` (${reasonOf(most)})` : ""}.` : "",
      leftBehind ? `${plural(leftBehind, "row")} ${leftBehind === 1 ? "was" : "were"} under way when a process ended; the next pass takes them over.` : "",
      again ? `${plural(again, "row")} ${again === 1 ? "is" : "are"} wanted again.` : "",
      wished,
    ],
  };
}

/** All rows by how they ended, with those at work and those that are known to be left. */
export const partsOf = ({ groups, at_work: atWork, stopped, again }) =>
  [
    ...statusesOf(groups).map(({ status, count }) => ({ status, count, ...statusWords(status) })),
    { tone: "running", icon: "play", word: "at work", count: atWork },
    { tone: "idle", icon: "ring", word: "left", count: Math.max(stopped?.left ?? 0, again) },
  ].filter(({ count }) => count);

/** Meters as pairs of name, figure and remark; what is not known says so. */
export function metersOf({ usage, stopped, at_work: atWork, again }, pace) {
  const { cost, total_tokens: tokens = 0, model_calls: calls = 0 } = usage;
  const priced = cost > 0;
  return [
    ["Cost", priced ? cost.toFixed(cost < 1 ? 4 : 2) : "not known", priced ? "in the currency of the prices" : "no price is known"],
    ["Used", plural(tokens, "token"), plural(calls, "model call")],
    ["Pace", pace ? `${pace.rate < 10 ? pace.rate.toFixed(1) : Math.round(pace.rate)} rows a second` : "not known", pace ? `in the last ${lasted(pace.over)}, as seen here` : "no row has ended since this page is open"],
    ["Left", leftOf(stopped, again), "a ledger knows only rows that were asked"],
    ["At work", counted(atWork), plural(atWork, "row")],
  ];
}

/** Rows that are wanted again are among those that a pass left. */
const leftOf = (stopped, again) => (stopped ? counted(Math.max(stopped.left, again)) : again ? counted(again) : "not known");

/** How fast rows end, from what this page has seen. */
export class Pace {
  #seen = [];

  /** @param {number} ended @param {number} at @returns {{rate: number, over: number}|null} */
  take(ended, at) {
    this.#seen = [...this.#seen.filter((each) => at - each.at <= WINDOW), { ended, at }];
    const [first] = this.#seen;
    const over = at - first.at;
    return over > 0 && ended > first.ended ? { rate: ((ended - first.ended) * 1000) / over, over } : null;
  }
}

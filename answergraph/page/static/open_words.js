// What the page says of what is being opened, of what could not be read, and of a run whose server is silent: there is no status that the
// server has not said, and none is newer than its last word. Knows no elements.

import * as outcome from "./outcome_words.js";
import { BUSY } from "./run_status.js";
import { silentSince } from "./silence.js";

const timeOf = (when) => new Date(when).toLocaleTimeString();

const HEADS = {
  opening: () => ({ tone: "idle", icon: "ring", word: "Opening", rest: "", why: [] }),
  unread: () => ({ tone: "idle", icon: "ring", word: "Could not be read", rest: "", why: ["The server has not said how it stands."] }),
  unknown: ({ heardAt }) => ({
    tone: "idle",
    icon: "ring",
    word: "Unknown to the server",
    rest: "",
    why: [`The server has no such run any more. Below is what was heard${heardAt ? ` until ${timeOf(heardAt)}` : ""}.`],
  }),
};
const SENTENCES = { opening: "Opening.", unread: "It could not be read.", unknown: "The server does not know this run." };

/** Since when nothing is heard of what is shown, if the page waits for it; null if it does not. @param {import("./run_types.js").Run} run */
export function unheardSince({ status, connection }) {
  if (connection.state === "quiet" || connection.state === "lost") return connection.since;
  return status === "opening" || BUSY.includes(status) ? silentSince() : null;
}

/** What the head says. @param {import("./run_types.js").Run} run @returns {{tone: string, icon: string, word: string, rest: string, why: string[]}} */
export function headOf(run) {
  const head = (HEADS[run.status] ?? outcome.headOf)(run);
  const since = unheardSince(run);
  const { state, newsAt, heardAt } = run.connection;
  if (since === null) return newsAt && isOld(run) ? { ...head, why: [...head.why, `The server was heard at ${timeOf(heardAt)}; since ${timeOf(newsAt)} it sent no news.`] } : head;
  const silence = `Nothing was heard of the server since ${timeOf(since)}.`;
  if (run.status === "opening") return { ...head, why: [silence] };
  const asked = state === "lost" ? "Whether the run goes on is not known before the server answers." : "The server is being asked whether the run goes on.";
  return { ...head, tone: "idle", icon: "ring", word: `${head.word} when last heard`, why: [silence, asked] };
}

/** What is said of a run to those who do not see the page. */
export function statusLine(run) {
  const since = unheardSince(run);
  return since === null ? (SENTENCES[run.status] ?? outcome.statusLine(run)) : `Nothing was heard of the server since ${timeOf(since)}.`;
}

/** Whether a run that goes on sends no news, as while a model thinks. */
export const isOld = ({ status, connection: { state, newsAt, heardAt } }) => status === "running" && state === "open" && heardAt - newsAt > 10_000;

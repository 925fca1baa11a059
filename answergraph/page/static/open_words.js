// What the page says of what is being opened, and of what could not be read: there is no status before the server has said one. Knows
// no elements.

import * as outcome from "./outcome_words.js";

const HEADS = {
  opening: () => ({ tone: "idle", icon: "ring", word: "Opening", rest: "", why: [] }),
  unread: () => ({ tone: "idle", icon: "ring", word: "Could not be read", rest: "", why: ["The server has not said how it stands. Choose it again to ask again."] }),
};
const SENTENCES = { opening: "Opening.", unread: "It could not be read." };

/** What the head says. @param {import("./run_types.js").Run} run @returns {{tone: string, icon: string, word: string, rest: string, why: string[]}} */
export const headOf = (run) => (HEADS[run.status] ?? outcome.headOf)(run);

/** What is said of a run to those who do not see the page. */
export const statusLine = (run) => SENTENCES[run.status] ?? outcome.statusLine(run);

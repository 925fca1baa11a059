// What the page says of the connection: in a few words in the bar, and above the message box what is lost, and what goes on.

import { ping } from "./api.js";
import { button, el } from "./dom.js";
import { isOld, unheardSince } from "./open_words.js";
import { AWAY, silentSince, watch } from "./silence.js";

const timeOf = (when) => new Date(when).toLocaleTimeString();

const TELLERS = {
  unsure: () => ["The server has not said whether your message arrived.", "It is being asked; nothing is sent twice."],
  lost: ({ tries = 0, retryAt, since }) => [
    Date.now() - since < AWAY ? "Connecting again." : "The server does not answer.",
    `What came meanwhile is fetched then. Tried ${tries} ${tries === 1 ? "time" : "times"}, next at ${timeOf(retryAt)}.`,
  ],
  back: ({ missed = 0 }) => ["Connected again.", `Fetched ${missed} missed ${missed === 1 ? "step" : "steps"}.`],
  restarted: () => ["The server was started again.", "It has resumed the run."],
};

/** @param {HTMLElement} place @param {import("./run_types.js").Run} run @param {() => void} retry */
export function showNotice(place, run, retry) {
  const { connection, unsent } = run;
  const told = unsent
    ? unsent.request.command
      ? ["Your decision was not sent.", `${unsent.message} It is still in the form.`]
      : ["Your message was not sent.", `${unsent.message} It is still in the box.`]
    : TELLERS[connection.state]?.(connection);
  const print = JSON.stringify(told ?? null);
  if (place.dataset.print === print) return;
  place.dataset.print = print;
  place.hidden = !told;
  if (told)
    place.replaceChildren(el("p", {}, el("b", {}, told[0]), " ", told[1]), connection.state === "lost" ? button("Try now", retry, { kind: "small" }) : "");
}

/** Say in the bar whether the server is heard, and show the run anew when it falls silent or is heard again.
 * @param {HTMLElement} place @param {import("./run_store.js").RunStore} store @param {(run: import("./run_types.js").Run) => void} show
 */
export function watchConnection(place, store, show) {
  let before = null;
  watch(ping, (since) => {
    if ((since === null) !== (before === null)) show(store.run);
    before = since;
    showConnection(place, store.run);
  });
  store.subscribe((run) => showConnection(place, run));
}

function showConnection(place, run) {
  const since = unheardSince(run) ?? silentSince();
  const [state, text] = wordsOf(run, since);
  document.body.dataset.heard = state;
  if (place.textContent !== text) place.textContent = text;
  place.dataset.state = state;
}

function wordsOf(run, since) {
  if (since === null) return ["open", isOld(run) ? "Connected, no news" : "Connected"];
  if (Date.now() - since >= AWAY) return ["lost", `No connection since ${timeOf(since)}`];
  if (run.connection.state === "lost") return ["lost", "Connecting again"];
  return ["quiet", `Nothing heard for ${Math.round((Date.now() - since) / 1000)} s`];
}

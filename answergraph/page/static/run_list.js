// The runs of a thread: which of them is shown, or compared with.

import { el } from "./dom.js";

const WORDS = { success: "ended", pending: "queued", timeout: "failed", error: "failed" };
const TIME = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };

/** What a run is called in a list. @param {object[]} runs of its thread, newest first */
export function runName(runs, index) {
  const { created_at: created, status } = runs[index];
  return `Run ${runs.length - index} of ${runs.length} · ${new Date(created).toLocaleString([], TIME)} · ${WORDS[status] ?? status}`;
}

export class RunList {
  #place;
  #choose;
  #words;
  #print = "";

  /** @param {HTMLElement} place @param {(run: string|null) => void} choose a run, or the newest
   * @param {{label: string, hint: string}} words the hint stands beside an earlier run
   */
  constructor(place, choose, words) {
    this.#place = place;
    this.#choose = choose;
    this.#words = words;
  }

  /** @param {import("./run_types.js").Run} run */
  show({ runs, id, checkpoint }) {
    const print = JSON.stringify([runs.map(({ run_id: each, status }) => [each, status]), id, checkpoint]);
    if (print === this.#print) return;
    this.#print = print;
    this.#place.hidden = runs.length < 2 || checkpoint !== null;
    const options = runs.map(({ run_id: each }, index) =>
      el("option", { value: index ? each : "", selected: each === id }, runName(runs, index)),
    );
    const pick = el("select", { "aria-label": this.#words.label, onchange: () => this.#choose(pick.value || null) }, ...options);
    const isOld = runs.findIndex(({ run_id: each }) => each === id) > 0;
    const hadFocus = this.#place.contains(document.activeElement);
    this.#place.replaceChildren(pick, isOld ? el("span.hint", {}, this.#words.hint) : "");
    if (hadFocus) pick.focus();
  }
}

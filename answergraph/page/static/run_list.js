// The runs of a thread: which of them is shown.

import { el } from "./dom.js";

const WORDS = { success: "ended", pending: "queued", timeout: "failed", error: "failed" };
const TIME = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };

export class RunList {
  #place;
  #choose;
  #print = "";

  /** @param {HTMLElement} place @param {(run: string|null) => void} choose a run, or the newest */
  constructor(place, choose) {
    this.#place = place;
    this.#choose = choose;
  }

  /** @param {import("./run_types.js").Run} run */
  show({ runs, id, checkpoint }) {
    const print = JSON.stringify([runs.map(({ run_id: each, status }) => [each, status]), id, checkpoint]);
    if (print === this.#print) return;
    this.#print = print;
    this.#place.hidden = runs.length < 2 || checkpoint !== null;
    const options = runs.map(({ run_id: each, status, created_at: created }, index) =>
      el(
        "option",
        { value: index ? each : "", selected: each === id },
        `Run ${runs.length - index} of ${runs.length} · ${new Date(created).toLocaleString([], TIME)} · ${WORDS[status] ?? status}`,
      ),
    );
    const pick = el(
      "select",
      { "aria-label": "The run of this thread", onchange: () => this.#choose(pick.value || null) },
      ...options,
    );
    const isOld = runs.findIndex(({ run_id: each }) => each === id) > 0;
    this.#place.replaceChildren(pick, isOld ? el("span.hint", {}, "An earlier run. A message continues from the newest one.") : "");
  }
}

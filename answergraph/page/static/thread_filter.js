// Which of the threads are listed: by how they ended, by graph, by time and by words. The server cannot filter by an outcome, so the
// newest are asked for, and the list says how many that are.

import { el } from "./dom.js";

/** How many threads are looked through once somebody filters. */
export const LOOKED_THROUGH = 200;

const HOUR = 3_600_000;
const TIMES = [["", "any time"], [HOUR, "1 hour"], [24 * HOUR, "24 hours"], [7 * 24 * HOUR, "7 days"]];

export class ThreadFilter {
  #words;
  #status = el("select", { "aria-label": "Outcome" });
  #graph = el("select", { "aria-label": "Graph of the thread" });
  #time = el("select", { "aria-label": "Begun within" }, ...TIMES.map(([value, text]) => el("option", { value }, text)));
  #told = el("p.hint", { "aria-live": "polite" });

  /** @param {HTMLInputElement} words @param {() => void} changed */
  constructor(words, changed) {
    this.#words = words;
    words.addEventListener("input", changed);
    for (const each of [this.#status, this.#graph, this.#time]) each.addEventListener("change", changed);
    words.after(el("div.thread-filters", {}, this.#status, this.#time, this.#graph), this.#told);
  }

  get isActive() {
    return [this.#words, this.#status, this.#graph, this.#time].some(({ value }) => value);
  }

  /** Offer what occurs, with its count. @param {{status: string, graph: string}[]} threads */
  offer(threads) {
    offerEach(this.#status, "all outcomes", threads.map(({ status }) => status));
    offerEach(this.#graph, "all graphs", threads.map(({ graph }) => graph));
  }

  /** @param {{status: string, graph: string, createdAt: number, text: string}} thread */
  fits({ status, graph, createdAt, text }) {
    return (
      (!this.#status.value || this.#status.value === status) &&
      (!this.#graph.value || this.#graph.value === graph) &&
      (!this.#time.value || Date.now() - createdAt <= Number(this.#time.value)) &&
      text.toLowerCase().includes(this.#words.value.toLowerCase())
    );
  }

  /** Say what the list covers. @param {number} shown @param {number} of @param {boolean} isAll whether the server has no more */
  tell(shown, of, isAll) {
    const text = this.isActive ? `${shown} of ${isAll ? of : `the last ${of}`}` : "";
    if (this.#told.textContent !== text) this.#told.textContent = text;
  }
}

function offerEach(select, all, values) {
  const counts = [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => [value, length]).toSorted();
  const chosen = select.value;
  if (chosen && !counts.some(([value]) => value === chosen)) counts.push([chosen, 0]);
  const options = counts.map(([value, count]) => el("option", { value, selected: value === chosen }, `${value} ${count}`));
  select.replaceChildren(el("option", { value: "" }, all), ...options);
}

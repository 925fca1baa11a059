// The tabs of a run. On a wide window the graph stands beside them and has none.

import { counted } from "./dom.js";

const TABS = ["record", "timeline", "cases", "messages", "state", "graph"];
const at = (id) => document.getElementById(id);

export class Tabs {
  #changed;
  #wanted;
  #hasRecord = false;

  /** @param {(tab: string) => void} changed a person has chosen a tab */
  constructor(changed) {
    this.#changed = changed;
    for (const tab of TABS) at(`tab-${tab}`).addEventListener("click", () => changed(tab));
    at("tab-timeline").parentElement.addEventListener("keydown", (event) => this.#key(event));
    this.open("timeline");
  }

  /** @param {string} [wanted] if nobody has said it, the record where there is one */
  open(wanted) {
    this.#wanted = wanted;
    const usual = this.#hasRecord ? "record" : "timeline";
    const tab = TABS.includes(wanted) && (wanted !== "record" || this.#hasRecord) ? wanted : usual;
    document.body.dataset.tab = tab;
    for (const each of TABS) {
      at(`tab-${each}`).setAttribute("aria-selected", String(each === tab));
      at(`tab-${each}`).tabIndex = each === tab ? 0 : -1;
      if (each !== "graph") at(each).hidden = each !== tab;
    }
  }

  /** A record has a tab only where there is one. @param {boolean} hasRecord */
  offer(hasRecord) {
    if (hasRecord === this.#hasRecord) return;
    this.#hasRecord = hasRecord;
    at("tab-record").hidden = !hasRecord;
    this.open(this.#wanted);
  }

  /** Say how much each tab holds. Cases have a tab only where there are some.
   * @param {Record<string, number>} counts @param {any} olderSteps whether there are more steps than are known
   */
  count(counts, olderSteps) {
    for (const [tab, number] of Object.entries(counts))
      at(`tab-${tab}`).querySelector("small").textContent = number ? `${counted(number)}${tab === "timeline" && olderSteps ? "+" : ""}` : "";
    at("tab-cases").hidden = !counts.cases && document.body.dataset.tab !== "cases";
  }

  #key({ key, target }) {
    const shown = TABS.filter((tab) => at(`tab-${tab}`).checkVisibility());
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const next = shown.at((shown.findIndex((tab) => `tab-${tab}` === target.id) + step) % shown.length);
    at(`tab-${next}`).focus();
    this.#changed(next);
  }
}

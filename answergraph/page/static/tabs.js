// The tabs of a run. On a wide window the graph stands beside them and has none.

import { counted } from "./dom.js";

const TABS = ["review", "record", "timeline", "cases", "messages", "state", "graph"];
const at = (id) => document.getElementById(id);

export class Tabs {
  #changed;
  #wanted;
  /** Which tabs there are only sometimes, and whether they are there. */
  #offered = { review: false, record: false };

  /** @param {(tab: string) => void} changed a person has chosen a tab */
  constructor(changed) {
    this.#changed = changed;
    for (const tab of TABS) at(`tab-${tab}`).addEventListener("click", () => changed(tab));
    at("tab-timeline").parentElement.addEventListener("keydown", (event) => this.#key(event));
    this.open("timeline");
  }

  /** @param {string} [wanted] if nobody has said it, what is to be decided, else the record */
  open(wanted) {
    this.#wanted = wanted;
    const isThere = (tab) => this.#offered[tab] ?? TABS.includes(tab);
    const tab = isThere(wanted) ? wanted : ["review", "record", "timeline"].find(isThere);
    document.body.dataset.tab = tab;
    for (const each of TABS) {
      at(`tab-${each}`).setAttribute("aria-selected", String(each === tab));
      at(`tab-${each}`).tabIndex = each === tab ? 0 : -1;
      if (each !== "graph" && each !== "review") at(each).hidden = each !== tab;
    }
  }

  /** A review and a record have a tab only where there is one. @param {{review: boolean, record: boolean}} offered */
  offer(offered) {
    const [now, before] = [offered, this.#offered];
    if (now.review === before.review && now.record === before.record) return;
    this.#offered = now;
    for (const tab of ["review", "record"]) at(`tab-${tab}`).hidden = !now[tab];
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

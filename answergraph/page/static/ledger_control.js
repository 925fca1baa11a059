// What a person asks of a map through its ledger: to pause, and to ask for rows again. A page that only reads says so.

import { button, el, plural } from "./dom.js";

const READS = "This page only reads. Started with --control, it can pause the map and ask for rows again.";

export class LedgerControl {
  #act;
  #group = null;
  #pause = button("Pause", () => this.#pause.ariaDisabled === "true" || this.#send("/pause", {}, this.#hint), { icon: "pause" });
  #again = button("", () => this.#send("/again", { ...this.#group, wanted: !this.#isWanted }, this.#note));
  #hint = el("span.hint");
  #note = el("span.hint");
  #isWanted = false;
  /** For the head. */
  whole = el("div.row", {}, this.#pause, this.#hint);
  /** For the rows of a group. */
  part = el("div.row", {}, this.#again, this.#note);

  /** @param {(path: string, wish: object) => Promise<void>} act asks the ledger, and shows what it says then */
  constructor(act) {
    this.#act = act;
  }

  /** @param {object} ledger @param {object|undefined} group the chosen one, with its count @param {boolean} isWanted again */
  show(ledger, group, isWanted) {
    this.#group = group;
    this.#isWanted = isWanted;
    this.#pause.hidden = !ledger.control;
    // Disabled or hidden, it would lose the focus of whoever has just pressed it.
    this.#pause.ariaDisabled = String(ledger.paused || !ledger.at_work);
    this.#hint.textContent = ledger.control ? "" : READS;
    this.part.hidden = !ledger.control || !group;
    if (!group) return;
    const rows = group.count === 1 ? "this row" : `these ${plural(group.count, "row")}`;
    this.#again.textContent = isWanted ? "Leave as they are" : `Ask ${rows} again`;
    this.#note.textContent = isWanted ? "Asked again at the next start." : "";
  }

  async #send(path, wish, note) {
    try {
      await this.#act(path, wish);
    } catch (error) {
      note.textContent = `That was not done: ${error.message}`;
    }
  }
}

// What a person has chosen: the address holds it, and nothing else does. What the server said of it is in `run_store.js`.

import * as address from "./address.js";
import { ServerError } from "./api.js";

/** The part of the address that names what is open; the rest says how it is looked at. */
const PLACE = ["assistant", "thread", "run", "checkpoint"];
/** How long until what no server has answered is tried again, in milliseconds. */
const AGAIN = 2000;
const printOf = (chosen) => JSON.stringify(PLACE.map((name) => chosen[name] ?? null));

export class Selection {
  #open;
  #failed;
  #place = null;
  /** What the address said when it was last followed. */
  #before = {};
  #opening = Promise.resolve(true);

  /** @param {{place: (wanted: object, before: object) => Promise<void>, tab: (tab?: string, before?: string) => void,
   *   compare: (which: string|null) => Promise<void>}} open `place` opens graph, thread and run
   * @param {(error: Error) => void} failed
   */
  constructor(open, failed) {
    this.#open = open;
    this.#failed = failed;
  }

  /** A person has chosen something. @param {Record<string, string|null>} change */
  choose(change) {
    address.write(change, true);
    return this.follow();
  }

  /** Open what the address says. What was chosen before and still loads is left: its answers come too late. */
  async follow() {
    const [wanted, before] = [address.read(), this.#before];
    this.#before = wanted;
    this.#open.tab(wanted.tab, before.tab);
    const place = printOf(wanted);
    if (place !== this.#place) {
      this.#place = place;
      this.#opening = this.#guarded(place, this.#open.place(wanted, before));
    }
    if (wanted.compare !== before.compare && (await this.isReady())) await this.#guarded(place, this.#open.compare(wanted.compare ?? null));
    await this.#opening;
  }

  /** Wait until what is chosen is open. @returns {Promise<boolean>} whether it is: something else may have been chosen meanwhile */
  async isReady() {
    const opening = this.#opening;
    return (await opening) && opening === this.#opening;
  }

  /** The page has moved on by itself, as to the thread that a message has begun: Back leads to what a person chose. */
  adopt(change) {
    address.write(change);
    this.#before = address.read();
    this.#place = printOf(this.#before);
  }

  async #guarded(place, opening) {
    try {
      await opening;
      return true;
    } catch (error) {
      if (place !== this.#place) return false;
      // Chosen again, it is tried again; where the server has not answered, also without that.
      this.#place = null;
      this.#failed(error);
      if (!(error instanceof ServerError)) setTimeout(() => this.#place === null && this.follow(), AGAIN);
      return false;
    }
  }
}

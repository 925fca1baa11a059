// Tells the views what has changed: at most once for each picture of the browser. Views that draw a long run take their time, and what
// comes meanwhile waits for them; they get at most a quarter of the time, so that opening a run does not wait for pictures on the way.

/** How long nothing is told after a change, as a multiple of the time that the views took for it. */
const REST = 3;

export class Listeners {
  #all = new Set();
  #current;
  #due = null;
  /** How long the views took for the newest change, in milliseconds. */
  #took = 0;

  /** @param {() => object} current gives what is told */
  constructor(current) {
    this.#current = current;
  }

  /** @param {(told: object) => void} listener @returns {() => void} ends it */
  add(listener) {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** Something has changed. */
  tellSoon() {
    this.#due ??= setTimeout(() => requestAnimationFrame(() => this.#due && this.tell()), REST * this.#took);
  }

  /** Something has changed that nobody shall wait for. */
  tell() {
    clearTimeout(this.#due);
    this.#due = null;
    const begun = performance.now();
    const told = this.#current();
    for (const listener of this.#all) listener(told);
    this.#took = performance.now() - begun;
  }
}

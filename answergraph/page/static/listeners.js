// Tells the views what has changed: at most once for each picture of the browser. Views that draw a long run take their time, and what
// comes meanwhile waits for them; they get at most a quarter of the time, so that opening a run does not wait for pictures on the way.

/** How long nothing is told after the views were told, as a multiple of the time that they took. */
const REST = 3;

export class Listeners {
  #all = new Set();
  #current;
  /** The picture before which they are told, or asked again. */
  #due = null;
  #restsUntil = 0;

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
    this.#due ??= requestAnimationFrame(this.#tellRested);
  }

  /** Something has changed that nobody shall wait for. */
  tell() {
    cancelAnimationFrame(this.#due);
    this.#due = null;
    const begun = performance.now();
    const told = this.#current();
    for (const listener of this.#all) listener(told);
    const ended = performance.now();
    this.#restsUntil = ended + REST * (ended - begun);
  }

  #tellRested = () => {
    if (performance.now() >= this.#restsUntil) this.tell();
    else this.#due = requestAnimationFrame(this.#tellRested);
  };
}

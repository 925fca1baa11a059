// Asks which nodes are at work while a stream is quiet: without whole states it does not say that a node begins; the newest checkpoint does.

import * as api from "./api.js";

/** How long nothing is heard of a run before the server is asked, in milliseconds; then again, twice. */
const QUIET = [300, 1500, 5000];

export class QuietQuestion {
  #isOpen;
  #tell;
  #timer = null;
  /** Counts what was heard: an answer that comes after something newer is not told. */
  #heard = 0;

  /** @param {() => string|null} isOpen the thread whose run goes on, if nobody knows which node is at work
   * @param {(tasks: object[]) => void} tell
   */
  constructor(isOpen, tell) {
    this.#isOpen = isOpen;
    this.#tell = tell;
  }

  /** Something was heard of the run: ask when nothing more comes. */
  wait(asked = 0) {
    clearTimeout(this.#timer);
    const heard = ++this.#heard;
    if (asked === QUIET.length) return;
    this.#timer = setTimeout(async () => {
      const thread = this.#isOpen();
      if (!thread || document.hidden) return;
      const { page: [newest] } = await api.checkpoints(thread, { limit: 1 }).catch(() => ({ page: [] }));
      if (heard !== this.#heard || thread !== this.#isOpen()) return;
      const working = (newest?.tasks ?? []).filter(({ name, result, error }) => name !== "__start__" && !result && !error);
      this.#tell(working);
      if (!working.length) this.wait(asked + 1);
    }, QUIET[asked]);
  }

  end() {
    clearTimeout(this.#timer);
    this.#heard += 1;
  }
}

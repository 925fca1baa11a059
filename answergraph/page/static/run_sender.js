// Sends a run once, also where the connection breaks before the server says whether it has taken it.

import * as api from "./api.js";

/** How long until the server is asked again whether a run has arrived, in milliseconds; the last one stays. It has not if the server
 * says so twice: the request may still be on its way the first time.
 */
const PAUSES = [500, 2000, 4000, 8000];
const ABSENT = 2;

export class RunSender {
  /** The request whose fate is not known. */
  #unsure = null;

  /** @param {string} thread @param {string|null} checkpoint to go on from, the newest by default @param {object} request
   * @param {() => void} tellUnsure called when the server has not said whether it took the run, and is being asked
   */
  async send(thread, checkpoint, request, tellUnsure) {
    const from = checkpoint && { checkpoint: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint } };
    const body = { ...from, ...request };
    const print = JSON.stringify([thread, body]);
    const before = this.#unsure?.print === print && (await this.#taken(thread, this.#unsure.id));
    if (before) return before;
    const id = crypto.randomUUID();
    this.#unsure = { print, id };
    try {
      const run = await api.createRun(thread, { ...body, metadata: { request_id: id } });
      return (await this.#taken(thread, id).catch(() => null)) ?? run;
    } catch (error) {
      // What a proxy says of a server that does not answer is no word of the server.
      if (error.status < 500) throw error;
      tellUnsure();
      const taken = await this.#arrived(thread, id);
      if (taken) return taken;
      throw error;
    }
  }

  async #taken(thread, id) {
    const taken = (await api.runs(thread)).filter(({ metadata }) => metadata?.request_id === id);
    const first = taken.pop();
    // A browser sends a request again by itself where a connection ended without an answer.
    await Promise.all(taken.map(({ run_id }) => api.cancelRun(thread, run_id, "rollback")));
    return first;
  }

  async #arrived(thread, id) {
    for (let tries = 0, absent = 0; absent < ABSENT; tries++) {
      await new Promise((resume) => setTimeout(resume, PAUSES[Math.min(tries, PAUSES.length - 1)]));
      try {
        const taken = await this.#taken(thread, id);
        if (taken) return taken;
        absent += 1;
      } catch (error) {
        if (error.status < 500) return undefined;
      }
    }
    return undefined;
  }
}

// Sends a run once, also where the connection breaks before the server says whether it has taken it.

import * as api from "./api.js";

export class RunSender {
  /** The request whose fate is not known. */
  #unsure = null;

  /** @param {string} thread @param {string|null} checkpoint to go on from, the newest by default @param {object} request */
  async send(thread, checkpoint, request) {
    const from = checkpoint && { checkpoint: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint } };
    const body = { ...from, ...request };
    const print = JSON.stringify([thread, body]);
    if (this.#unsure?.print === print) {
      const taken = (await api.runs(thread)).find(({ metadata }) => metadata?.request_id === this.#unsure.id);
      if (taken) return taken;
    }
    this.#unsure = { print, id: crypto.randomUUID() };
    return api.createRun(thread, { ...body, metadata: { request_id: this.#unsure.id } });
  }
}

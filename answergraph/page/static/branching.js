// To go on from an older state: as it was, or changed.

import * as api from "./api.js";
import { checkpointBefore } from "./past_run.js";

export class Branching {
  #store;
  #choose;
  #start;

  /** @param {import("./run_store.js").RunStore} store @param {(change: object) => Promise<void>} choose opens what a person has chosen
   * @param {(request: object) => Promise<boolean>} start
   */
  constructor(store, choose, start) {
    this.#store = store;
    this.#choose = choose;
    this.#start = start;
  }

  /** The step of the outermost graph that a step is, or is inside of. */
  outermost(step) {
    const [space] = step.space.split("|");
    return space ? this.#store.run.steps.find((each) => !each.space && each.childSpace === space) : step;
  }

  /** Open the state before a step. */
  async fork(step) {
    const checkpoint = await checkpointBefore(step, this.#store.run);
    if (!checkpoint) throw new Error(`The state before step ${step.number} is not known.`);
    await this.#choose({ checkpoint, run: null, step: null });
  }

  /** Write a changed state as a checkpoint of its own, and go on from there if something is left to do. */
  async save(values, checkpoint, asNode) {
    const { thread } = this.#store.run;
    await api.updateState(thread, values, { checkpoint, asNode });
    const { next } = await api.state(thread);
    await this.#choose({ checkpoint: null, run: null, step: null });
    if (next?.length) await this.#start({ input: null });
  }
}

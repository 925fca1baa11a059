// The checkpoints of a run, which tell of its steps where no stream does. Knows no elements.

import * as api from "./api.js";
import { RunView } from "./run_view.js";

/** How many checkpoints are asked for at once, at first and later. The server reads a whole state for each. */
const FIRST_PAGE = 20;
const PAGE = 100;
/** How much the server reads, in bytes, before somebody has to ask for more. */
const MOST_READ = 16_000_000;

export class PastRun {
  #thread;
  #run;
  #isNewest;
  /** @type {Map<string, {all: object[], isWhole: boolean}>} what was read, newest first, by the namespace of its graph */
  #spaces = new Map();
  /** The subgraphs that somebody has asked for. */
  #asked = new Set();

  /** @param {string} thread @param {string|null} run null for all that the thread holds @param {boolean} isNewest */
  constructor(thread, run, isNewest) {
    this.#thread = thread;
    this.#run = run;
    this.#isNewest = isNewest;
  }

  /** Whether all checkpoints of a graph of the run were read; by default, of its outermost one. */
  isWhole = (space = "") => this.#spaces.get(space)?.isWhole ?? false;

  /** Read page by page. Gives what was read of the run, newest first, by namespace: its own checkpoints, and the one that it went on
   * from.
   * @param {string} [space] of a subgraph @param {number} [count] of pages, all by default
   */
  async *pages(space = "", count = Infinity) {
    let read = 0;
    while (count-- > 0 && !this.isWhole(space) && (count === Infinity || read < MOST_READ)) {
      read += await this.#more(space);
      yield new Map([...this.#spaces].map(([each, { all }]) => [each, this.#ofRun(all, each)]));
    }
  }

  /** Read the checkpoints of a subgraph, unless they are on their way.
   * @param {string} space @param {boolean} [isSure] whether the server says that it is one: a tool may run a graph, and mostly does not
   */
  async *inside(space, isSure = true) {
    if (this.#asked.has(space)) return;
    this.#asked.add(space);
    try {
      for await (const read of this.pages(space)) if (isSure || read.get(space).length) yield read;
    } finally {
      if (isSure && !this.isWhole(space)) this.#asked.delete(space);
    }
  }

  async #more(space) {
    const { all } = this.#spaces.get(space) ?? { all: [] };
    const limit = all.length === 0 ? FIRST_PAGE : all.length < PAGE ? PAGE - all.length : PAGE;
    const { page, bytes } = await api.checkpoints(this.#thread, { limit, before: all.at(-1)?.checkpoint_id, space });
    const read = [...all, ...page];
    const isWhole = page.length < limit || (!space && this.#isBeyond(read));
    if (isWhole && !space) read.push(...(await this.#before(read)));
    this.#spaces.set(space, { all: read, isWhole });
    return bytes;
  }

  /** Whether no more of the run can come: the runs of a thread follow each other. */
  #isBeyond(all) {
    const last = all.at(-1).run_id;
    return this.#run !== null && last && last !== this.#run && (this.#isNewest || all.some(this.#isOwn));
  }

  /** The checkpoint that the run went on from, if it was not read on the way: a branch may begin far before. */
  async #before(all) {
    const before = wentOnFrom(all.filter(this.#isOwn));
    if (!before || all.some(({ checkpoint_id: id }) => id === before)) return [];
    return [{ ...(await api.state(this.#thread, before)), checkpoint_id: before }];
  }

  #isOwn = ({ run_id: by }) => by === this.#run;

  #ofRun(all, space) {
    const own = all.filter(this.#isOwn);
    if (own.length) return [...own, ...all.filter(({ checkpoint_id: id }) => id === wentOnFrom(own))];
    // A server need not say whose they are.
    if (space || this.#run === null || all.every(({ run_id: by }) => !by)) return all;
    // The newest run may have come to no checkpoint of its own: it stands where it began.
    return this.#isNewest ? all.slice(0, 1) : [];
  }
}

/** A run without an input, as after a decision, carries out the steps of the checkpoint before its first. */
function wentOnFrom(own) {
  const first = own.at(-1);
  return first?.source === "loop" ? first.parent_checkpoint?.checkpoint_id : undefined;
}

/** The newest checkpoint of a run that others came after; null if it has none of its own. */
export async function lastCheckpoint(thread, run) {
  for await (const read of new PastRun(thread, run, false).pages()) if (read.get("").length) return read.get("")[0].checkpoint_id;
  return null;
}

/** The checkpoint before a step of a run's outermost graph: that of its superstep, or by the visits of its node, which stand in the same
 * order in both. Where edges join, a server may name no task of the superstep.
 */
export async function checkpointBefore(step, { thread, id: run, steps, runs }) {
  if (step.checkpoint) return step.checkpoint;
  let before = [];
  for await (const read of new PastRun(thread, run, run === runs[0]?.run_id).pages()) before = read.get("").toReversed();
  const supersteps = before.filter(({ tasks }) => !tasks?.some(({ name }) => name === "__start__"));
  const own = supersteps[step.number - 1];
  const isOpen = own && own !== supersteps.at(-1) && !own.tasks?.length;
  if (isOpen || own?.tasks?.some(({ name }) => name === step.node)) return own.checkpoint_id;
  const visit = steps.filter(({ space, node, isAgain }) => !space && !isAgain && node === step.node).findIndex(({ id }) => id === step.id);
  const visits = before.flatMap(({ checkpoint_id: id, tasks }) => (tasks ?? []).filter(({ name }) => name === step.node).map(() => id));
  return visits[visit] ?? null;
}

/** How many visits the whole replay of a run tells of. */
async function replayedCount(thread, run) {
  const replay = new RunView();
  for await (const event of api.joinRun(thread, run, { tokens: false })) if (event.event !== "end") replay.take({ ...event, at: null });
  return replay.isWhole ? replay.steps.all.length : null;
}

/** Compare the steps that a live stream told of with the whole replay of it, and where that is not enough with the stored checkpoints,
 * for each of which the server reads a whole state. A stream does not say which of several visits side by side has written what, and a
 * server may lose an event where those it has stored end and the live ones begin; a whole replay loses none.
 * @param {import("./steps.js").Steps} steps @param {{thread: string, id: string, runs: object[]}} run @param {boolean} isReplayed
 * @returns {Promise<boolean>} whether no visit is missing
 */
export async function correctSteps(steps, { thread, id, runs }, isReplayed) {
  if (!steps.isUnsure && (isReplayed || (await replayedCount(thread, id)) === steps.all.length)) return true;
  let checkpoints = [];
  for await (const read of new PastRun(thread, id, id === runs[0]?.run_id).pages()) checkpoints = read.get("");
  return steps.correct(checkpoints);
}

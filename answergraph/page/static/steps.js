// The visits of nodes, put together from what a stream tells: that something is written inside a node, and what a node has written at
// its end. Knows no elements. A stream without whole states does not say when a node begins that neither streams nor has a subgraph;
// `began` is then the end of the step before.

/** Split a namespace: `case:1f…|explore:a0…` is the task `a0…` of the node `explore`, in the space `case:1f…`. */
export function splitSpace(full) {
  const bar = full.lastIndexOf("|");
  const own = full.slice(bar + 1);
  const colon = own.lastIndexOf(":");
  return { space: bar < 0 ? "" : full.slice(0, bar), node: colon < 0 ? own : own.slice(0, colon), task: colon < 0 ? null : own.slice(colon + 1) };
}

/** The same without ids: `case:explore`. */
export const withoutIds = (space) => space.split("|").filter((part) => !isCount(part)).map((part) => part.replace(/:[^:]*$/, "")).join(":");

/** A node that runs graphs itself gives the first of these runs its own namespace, and each further one a number behind it. */
const isCount = (part) => /^\d+$/.test(part);

/** The subgraphs around a step, the outermost first: `case:1f…|explore:a0…` lies in `case:1f…`. @param {string} id of the step */
export const spacesAround = (id) => spacesOf(id.split("|").slice(0, -1).join("|"));

/** A subgraph and those around it, the outermost first; none of the thread itself. @param {string} space */
export const spacesOf = (space) => space.split("|").map((_, index, all) => all.slice(0, index + 1).join("|")).filter(Boolean);

/** The messages among what a node has written. */
export const messagesIn = (wrote) => [wrote?.messages ?? []].flat().filter((message) => message && typeof message === "object");

export class Steps {
  /** @type {import("./run_types.js").Step[]} in the order they began */
  all = [];
  /** What the newest checkpoint says to be at work. It may be older than the stream, so that it lasts until the stream tells more. */
  supposed = [];
  #byTask = new Map();
  #visits = new Map();
  /** The steps of each graph in the order they began; which may be at work, and which nothing is known to follow: looked at for each new step. */
  #bySpace = new Map();
  #byNumber = new Map();
  #live = new Set();
  #open = new Map();
  #begunAt = null;
  /** What the drawn graph tells: a stream does not say what runs side by side, and a server may not name a node where edges join.
   * @type {import("./taken_path.js").DrawnEdges}
   */
  drawn = { leads: () => true, joinBetween: () => null };

  clear() {
    this.all = [];
    this.supposed = [];
    this.#byTask.clear();
    this.#visits.clear();
    for (const index of [this.#bySpace, this.#byNumber, this.#live, this.#open]) index.clear();
    this.#begunAt = null;
  }

  /** The run has begun, or was taken up again: what was at work then is not any more. */
  start(at) {
    this.#begunAt = at;
    this.supposed = [];
    const kept = this.all.filter(({ state }) => state !== "running");
    this.all = [];
    for (const index of [this.#bySpace, this.#byNumber, this.#live, this.#open]) index.clear();
    for (const step of kept) this.#keep(step);
    this.#byTask = new Map([...this.#byTask].filter(([, { state }]) => state !== "running"));
  }

  /** @param {{name: string}[]} tasks of the newest checkpoint */
  suppose(tasks, at) {
    const number = (this.all.findLast(({ space }) => !space)?.number ?? 0) + 1;
    this.supposed = tasks.map(({ name }, index) => ({ ...blank({ node: name, number, began: at }), id: this.#idOf("", name, 1 + index) }));
  }

  /** A node is at work. @param {string} full its namespace, with its own name and task at the end */
  begins(full, at, superstep = null) {
    const known = this.#byTask.get(full);
    if (known) return Object.assign(known, { seenAt: ++this.#clock });
    const { space, node, task } = splitSpace(full);
    const around = space ? this.begins(space, at) : null;
    if (around && isCount(node)) return this.#beginsAgain(around, node, full, at);
    return this.#add({ space, node, at, superstep, childSpace: task && full });
  }

  #beginsAgain(first, count, full, at) {
    const step = { ...first, ...blank({ ...first, began: at }), id: `${first.id}.${count}`, childSpace: full, isAgain: true, seenAt: ++this.#clock };
    this.#keep(step);
    this.#byTask.set(full, step);
    return step;
  }

  #keep(step) {
    this.all.push(step);
    this.#live.add(step);
    for (const [map, key] of [[this.#bySpace, step.space], [this.#open, step.space], [this.#byNumber, `${step.space} ${step.number}`]])
      if (map.has(key)) map.get(key).push(step);
      else map.set(key, [step]);
  }

  #siblings = (space) => this.#bySpace.get(space) ?? [];
  #numbered = (space, number) => this.#byNumber.get(`${space} ${number}`) ?? [];

  #clock = 0;

  /** A node has written. @returns {object} the step */
  ends(space, node, wrote, at) {
    if (space) this.begins(space, at);
    for (const each of this.#live) if (each.state !== "running") this.#live.delete(each);
    const running = [...this.#live].filter((step) => step.space === space && step.node === node);
    const own = running.filter(({ isAgain }) => !isAgain);
    // Of several at once, the one whose subgraph wrote the same, or that was heard of last: it has probably just come to an end.
    const same = own.length > 1 && own.find(({ childSpace }) => isSameWrite(this.#siblings(childSpace).at(-1)?.wrote, wrote));
    const step = same || own.toSorted((one, other) => other.seenAt - one.seenAt)[0] || this.#add({ space, node, at });
    for (const each of running) if (each.isAgain && each.childSpace.startsWith(step.childSpace)) Object.assign(each, { state: "done", ended: at });
    return Object.assign(step, { state: "done", ended: at }, written(wrote));
  }

  /** Whether one node ran several graphs side by side: a stream does not say which of them a write belongs to. */
  get isUnsure() {
    const names = this.all.filter(({ childSpace, isAgain }) => childSpace && !isAgain).map(({ space, node, number }) => JSON.stringify([space, node, number]));
    return new Set(names).size < names.length;
  }

  /** Take from stored checkpoints, newest first, what each visit of the outermost graph has written. @returns {boolean} whether no visit
   * is missing
   */
  correct(checkpoints) {
    const done = checkpoints.flatMap(({ tasks }, index) => (tasks ?? []).filter(({ name, result }) => name !== "__start__" && (index || result)));
    for (const { id, name, result } of done) {
      const step = this.#byTask.get(`${name}:${id}`);
      if (step && result) Object.assign(step, written(result));
    }
    const visits = (node) => this.all.filter((step) => !step.space && !step.isAgain && step.node === node).length;
    return [...Map.groupBy(done, ({ name }) => name)].every(([node, all]) => visits(node) >= all.length);
  }

  /** Nothing is at work any more. @param {object[]} tasks of the state at the end, which wait or have failed */
  settle(tasks, isStopped) {
    this.supposed = [];
    for (const { id, name, error, interrupts, result } of tasks) {
      if (isStopped ? result : !error && !interrupts?.length) continue;
      const step = this.begins(`${name}:${id}`, null);
      if (!isStopped) Object.assign(step, { error: error ?? null, interrupts: interrupts ?? [], state: error ? "failed" : "waits" });
    }
    const isBroken = isStopped || tasks.some(({ error }) => error);
    for (const step of this.all.filter(({ state }) => state === "running")) {
      const around = this.#byTask.get(step.space)?.state;
      step.state = ["failed", "waits"].includes(around) ? around : isBroken ? "stopped" : "done";
    }
    const ended = this.all.filter(({ state }) => state === "done").map(({ childSpace }) => childSpace);
    if (this.all.findLast(({ space }) => !space)?.state === "done" && !isStopped) ended.push("");
    for (const space of ended) this.#finish(space);
  }

  /** Take the steps of stored checkpoints in place of all there are. @param {Map<string, object[]>} read newest first, by namespace */
  restore(read) {
    this.clear();
    for (const [space, checkpoints] of read) {
      for (const [index, checkpoint] of checkpoints.toReversed().entries()) {
        const after = checkpoints.at(-index - 2);
        for (const task of tasksOf(checkpoint) ?? this.#untold(space, after, index === checkpoints.length - 2))
          if (task.name !== "__start__") this.#restoreTask(task, checkpoint, after, { space, read });
      }
      if (checkpoints[0] && !checkpoints[0].next?.length) this.#finish(space);
    }
  }

  /** A server may name no task of a superstep, as where edges join: what came before and after may tell which node it was. */
  #untold(space, after, isLast) {
    if (after?.source !== "loop") return [];
    const siblings = this.#siblings(space);
    const before = this.#numbered(space, siblings.at(-1)?.number).map(({ node }) => node);
    const next = tasksOf(after)?.map(({ name }) => name) ?? (isLast ? ["__end__"] : null);
    return [{ name: this.drawn.joinBetween(withoutIds(space), before, next) ?? "?", isUntold: true }];
  }

  #restoreTask(task, { checkpoint_id: checkpoint, created_at: created }, after, { space, read }) {
    const childSpace = task.id ? `${space && `${space}|`}${task.name}:${task.id}` : null;
    const step = this.#add({ space, node: task.name, at: null, superstep: checkpoint, childSpace });
    const [began, ended] = [created, after?.created_at].map((text) => Date.parse(text) || null);
    const hasInside = Boolean(task.checkpoint ?? task.state) && !read.has(childSpace);
    Object.assign(step, { began, ended, checkpoint, ...standing(task, after), hasInside, isUntold: Boolean(task.isUntold) },
      written(task.result ?? null));
  }

  /** The graph has come to its end. */
  #finish(space) {
    const own = this.#siblings(space);
    const isLast = ({ inside, node, number }) => number === own.at(-1).number || this.drawn.leads(inside, node, "__end__");
    for (const step of own) if (!step.next.length && isLast(step)) step.next.push("__end__");
  }

  #idOf = (space, node, beyond = 0) => `${space}|${node}#${(this.#visits.get(`${space}|${node}`) ?? 0) + beyond}`;

  #add({ space, node, at, superstep = null, childSpace = null }) {
    this.supposed = [];
    const siblings = this.#siblings(space);
    const last = siblings.at(-1);
    const isBeside = last && (superstep === null ? last.state === "running" || this.#isLedBeside(siblings, node) : last.superstep === superstep);
    const number = last ? last.number + (isBeside ? 0 : 1) : 1;
    const before = this.#numbered(space, number - 1);
    const led = before.filter((step) => this.drawn.leads(step.inside, step.node, node));
    // A branch that came to a join before the others has waited there.
    this.#open.set(space, (this.#open.get(space) ?? []).filter(({ next }) => !next.length));
    const waited = this.#open.get(space).filter((step) => step.number < number - 1 && this.#leadsOnly(step, node));
    for (const step of [...waited, ...(led.length ? led : before)]) if (!step.next.includes(node)) step.next.push(node);
    this.#visits.set(`${space}|${node}`, (this.#visits.get(`${space}|${node}`) ?? 0) + 1);
    const began = siblings.findLast(({ number: other }) => other < number)?.ended ?? (space ? at : this.#begunAt);
    const step = { ...blank({ node, number, began, space }), id: this.#idOf(space, node), childSpace, superstep, seenAt: ++this.#clock };
    this.#keep(step);
    if (childSpace) this.#byTask.set(childSpace, step);
    return step;
  }

  #leadsOnly = ({ inside, node }, to) => this.drawn.leads(inside, node, to) && !this.drawn.leads(inside, node, "__end__");

  /** Whether no edge leads from the last visit to a node, but one from the visits before. */
  #isLedBeside(siblings, node) {
    const { inside, space, node: last, number } = siblings.at(-1);
    const before = number === 1 ? ["__start__"] : this.#numbered(space, number - 1).map((step) => step.node);
    return !this.drawn.leads(inside, last, node) && before.some((each) => this.drawn.leads(inside, each, node));
  }
}

/** Whether a node has written what its subgraph wrote last; a tool that ran a graph, its last words. */
function isSameWrite(last, wrote) {
  const [own, inner] = [wrote, last].map((each) => messagesIn(each).at(-1)?.content);
  return JSON.stringify(last) === JSON.stringify(wrote) || (Boolean(own) && own === inner);
}

const written = (wrote) => ({ wrote, messageIds: messagesIn(wrote).map(({ id }) => id).filter(Boolean) });

/** What ran at a checkpoint; undefined where the server names nothing. */
const tasksOf = ({ tasks }) => (tasks?.length ? tasks : undefined);

/** How a stored task stands in its run: where the run went on, whatever kept it from going on is over. */
function standing({ error, interrupts, result }, after) {
  if (after) return { state: "done" };
  // The server cancels the node of a run that is stopped.
  const failure = /^CancelledError\b/.test(error ?? "") ? null : (error ?? null);
  const state = failure ? "failed" : interrupts?.length ? "waits" : result ? "done" : "stopped";
  return { state, error: failure, interrupts: interrupts ?? [] };
}

const blank = ({ node, number, began, space = "" }) => ({ number, node, space, inside: withoutIds(space), childSpace: null, state: "running", began,
  ended: null, wrote: null, messageIds: [], next: [], error: null, interrupts: [], checkpoint: null, superstep: null, hasInside: false, isUntold: false });

// What is known of a run, from its stream alone: which nodes run, the messages, the growing answers, the state, what it waits for.
// Knows no elements.

import { Conversation } from "./conversation.js";

/** Split the name of an event: `tasks|triage_case:1f…|explore:a0…` happens inside `triage_case:explore`. */
export function eventPlace(name) {
  const [mode, ...spaces] = name.split("|");
  const inside = spaces.map((space) => space.replace(/:[^:]*$/, "")).join(":");
  return { mode, inside, space: spaces.join("|") };
}

export class RunView {
  conversation = new Conversation();
  /** @type {Map<string, import("./run_store.js").Step>} by the task's id */
  steps = new Map();
  /** @type {Map<string, object>} the newest answer event of each agent and key */
  answers = new Map();
  /** @type {object[]} `{id, value}` */
  interrupts = [];
  /** The thread's state, as far as it is known. */
  values = {};
  runId = null;
  error = null;
  #states = new Map();

  /** Show a state that was stored: a thread's newest, or that of a checkpoint. */
  open(state) {
    this.begin();
    this.conversation.clear();
    this.#take(state.values ?? {}, "");
    this.interrupts = (state.tasks ?? []).flatMap(({ interrupts }) => interrupts ?? []);
    this.error = state.tasks?.find(({ error }) => error)?.error ?? null;
  }

  /** Forget the run before; the messages stay. */
  begin() {
    this.steps.clear();
    this.answers.clear();
    this.#states.clear();
    this.interrupts = [];
    this.runId = this.error = null;
  }

  /** Take one event. A whole state is kept as text until somebody looks, for the next one may take its place first. */
  take({ event, data }) {
    const { mode, inside, space } = eventPlace(event);
    if (mode === "values") this.#states.set(space, { data, inside });
    else this.#takers[mode]?.(JSON.parse(data), inside, space);
  }

  /** Read the states that have come since the last look. */
  look() {
    for (const [space, { data, inside }] of this.#states) this.#take(JSON.parse(data), inside, space);
    this.#states.clear();
  }

  /** The run has ended; nothing runs any more. */
  end() {
    this.look();
    this.conversation.settle();
    for (const step of this.steps.values()) if (step.state === "running") step.state = "stopped";
  }

  #takers = {
    metadata: ({ run_id }) => (this.runId = run_id ?? this.runId),
    messages: ([piece], inside) => this.conversation.add(piece, inside),
    custom: (event, _, space) => {
      if (event?.type === "answergraph.answer") this.answers.set(`${space}|${event.agent}|${event.key}`, { ...event, space });
    },
    updates: (update, inside) => this.#takeUpdate(update, inside),
    tasks: (task, inside, space) => this.#takeStep(task, inside, space),
    error: (error) => (this.error = error),
  };

  #takeUpdate(update, inside) {
    if (update.__interrupt__) this.#wait(update.__interrupt__);
    // An outcome is shown as soon as its node has written it.
    if (!inside)
      for (const written of Object.values(update))
        if (written && typeof written === "object") this.values = { ...this.values, ...withoutMessages(written) };
  }

  #takeStep(task, inside, space) {
    if (!("result" in task || "error" in task)) {
      const childSpace = [space, `${task.name}:${task.id}`].filter(Boolean).join("|");
      const before = [...this.steps.values()].findLast((step) => step.space === space && step.state !== "running");
      if (before && !before.next.includes(task.name)) before.next.push(task.name);
      return void this.steps.set(task.id, { id: task.id, number: null, node: task.name, space, inside, childSpace, state: "running",
        began: Date.now(), ended: null, wrote: null, messageIds: [], next: [], error: null, interrupts: [], checkpoint: null });
    }
    const step = this.steps.get(task.id);
    if (!step) return;
    const messages = [task.result?.messages ?? []].flat().map(({ id }) => id).filter(Boolean);
    const interrupts = task.interrupts ?? [];
    Object.assign(step, { ended: Date.now(), wrote: task.result ?? null, error: task.error ?? null, interrupts, messageIds: messages,
      state: task.error ? "failed" : interrupts.length ? "waits" : "done" });
  }

  #take(values, inside) {
    if (!inside) this.values = values;
    if (values.__interrupt__) this.#wait(values.__interrupt__);
    if (Array.isArray(values.messages)) this.conversation.replace(values.messages, inside);
    if (!inside && !values.messages) this.conversation.replace([], "");
  }

  #wait(interrupts) {
    const known = new Set(this.interrupts.map(({ id }) => id));
    this.interrupts = [...this.interrupts, ...interrupts.filter(({ id }) => !id || !known.has(id))];
  }
}

const withoutMessages = ({ messages, ...rest }) => rest;

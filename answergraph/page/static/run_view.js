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
  /** @type {Map<string, {running: number, done: number, failed: boolean, waits: boolean}>} by the node's path */
  lights = new Map();
  /** @type {Map<string, object>} the newest answer event of each agent and key */
  answers = new Map();
  /** @type {object[]} `{id, value}` */
  interrupts = [];
  /** The thread's state, as far as it is known. */
  values = {};
  runId = null;
  error = null;
  #tasks = new Map();
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
    this.lights.clear();
    this.answers.clear();
    this.#tasks.clear();
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
    for (const light of this.lights.values()) light.running = 0;
  }

  #takers = {
    metadata: ({ run_id }) => (this.runId = run_id ?? this.runId),
    messages: ([piece], inside) => this.conversation.add(piece, inside),
    custom: (event, _, space) => {
      if (event?.type === "answergraph.answer") this.answers.set(`${space}|${event.agent}|${event.key}`, event);
    },
    updates: (update, inside) => this.#takeUpdate(update, inside),
    tasks: (task, inside) => this.#takeTask(task, inside),
    error: (error) => (this.error = error),
  };

  #takeUpdate(update, inside) {
    if (update.__interrupt__) this.#wait(update.__interrupt__);
    // An outcome is shown as soon as its node has written it.
    if (!inside)
      for (const written of Object.values(update))
        if (written && typeof written === "object") this.values = { ...this.values, ...withoutMessages(written) };
  }

  #takeTask(task, inside) {
    const path = inside ? `${inside}:${task.name}` : task.name;
    const light = this.lights.get(path) ?? { running: 0, done: 0, failed: false, waits: false };
    const ends = "result" in task || "error" in task;
    if (ends && this.#tasks.delete(task.id)) light.running -= 1;
    if (!ends && !this.#tasks.has(task.id)) {
      this.#tasks.set(task.id, path);
      light.running += 1;
      light.waits = false;
    }
    if (ends) {
      light.waits = Boolean(task.interrupts?.length);
      light.failed = Boolean(task.error);
      light.done += light.waits || light.failed ? 0 : 1;
    }
    this.lights.set(path, light);
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

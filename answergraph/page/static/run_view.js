// What is known of a run, from its stream: the steps, the messages, the growing answers, the state, what it waits for. Knows no
// elements.

import { Conversation } from "./conversation.js";
import { splitSpace, Steps } from "./steps.js";

export class RunView {
  conversation = new Conversation();
  steps = new Steps();
  /** @type {Map<string, object>} the newest answer event of each agent and key */
  answers = new Map();
  /** @type {object[]} `{id, value}` */
  interrupts = [];
  /** The thread's state; while a run goes on, as far as it can be told from what the nodes write. */
  values = {};
  error = null;
  /** How often the server has begun with this run; from the second time on it took it up again. */
  attempts = 0;
  /** Whether the stream was heard from its first event on. */
  isWhole = false;
  /** Whether it told of steps: another client may have asked for whole states alone. */
  hasSteps = false;
  /** Whether the state that the run left is known: then no event changes it. */
  isPast = false;

  /** Show a state that was stored: a thread's newest, or that of a checkpoint. */
  open(state) {
    this.begin();
    this.conversation.clear();
    this.#takeState(state);
  }

  /** Forget the run before; the messages stay. */
  begin() {
    this.steps.clear();
    this.answers.clear();
    this.interrupts = [];
    this.error = null;
    this.attempts = 0;
    this.isWhole = false;
    this.hasSteps = false;
    this.isPast = false;
  }

  /** Take one event; `updates|case:1f…|explore:a0…` happens in the space `case:1f…|explore:a0…`. @param {{event: string, data: string, at: number|null}} event */
  take({ event, data, at }) {
    const [mode, ...spaces] = event.split("|");
    this.#takers[mode]?.(JSON.parse(data), at, spaces.join("|"));
  }

  /** The run is over, and this is the state it left. */
  end(state, isStopped) {
    if (state) this.#takeState(state);
    // To stop a run, the server breaks off its node: that is no failure of the node.
    if (isStopped) this.error = null;
    this.steps.settle(state?.tasks ?? [], isStopped);
    this.conversation.settle();
  }

  #takers = {
    metadata: (_, at) => {
      this.isWhole ||= this.attempts === 0 && this.steps.all.length === 0;
      this.attempts += 1;
      this.steps.start(at);
      this.conversation.settle();
    },
    messages: ([piece, metadata], at, space) => {
      const full = metadata?.langgraph_checkpoint_ns;
      // Where messages come whole they may come after the node has ended; a piece never does.
      if (full && piece.type?.endsWith("Chunk") && !this.#isWritten(piece.id)) this.steps.begins(full, at, metadata.langgraph_step ?? null);
      this.conversation.add(piece, full ? splitSpace(full).space : space);
    },
    custom: (event, _, space) => {
      if (event?.type === "answergraph.answer") this.answers.set(`${space}|${event.agent}|${event.key}`, { ...event, space });
    },
    updates: (update, at, space) => {
      this.hasSteps = true;
      for (const [node, written] of Object.entries(update)) {
        if (node === "__interrupt__") this.#wait(written);
        else if (!node.startsWith("__")) this.#takeUpdate(node, merged(written), at, space);
      }
    },
    error: (error) => (this.error = error),
  };

  #isWritten(id) {
    return this.steps.all.slice(-20).some(({ messageIds }) => messageIds.includes(id));
  }

  #takeUpdate(node, written, at, space) {
    this.steps.ends(space, node, written, at);
    if (!written) return;
    const { messages, ...rest } = written;
    if (messages) this.conversation.write([messages].flat(), space);
    if (space || this.isPast) return;
    // The state's reducers are not known here: lists grow, everything else is replaced. The state at the end sets it right.
    const joined = Object.entries(rest).map(([key, value]) => [key, grown(this.values[key], value)]);
    this.values = { ...this.values, ...Object.fromEntries(joined) };
  }

  #takeState({ values, tasks, interrupts }) {
    this.values = values ?? {};
    this.conversation.replace(Array.isArray(this.values.messages) ? this.values.messages : []);
    this.interrupts = tasks?.some((task) => task.interrupts?.length) ? tasks.flatMap((task) => task.interrupts ?? []) : (interrupts ?? []);
    this.error ??= tasks?.find(({ error }) => error)?.error ?? null;
  }

  #wait(interrupts) {
    const known = new Set(this.interrupts.map(({ id }) => id));
    this.interrupts = [...this.interrupts, ...interrupts.filter(({ id }) => !id || !known.has(id))];
  }
}

/** A node may write several updates at once. */
const merged = (written) => (Array.isArray(written) ? Object.assign({}, ...written) : written && typeof written === "object" ? written : null);

function grown(before, value) {
  if (!Array.isArray(before) || !Array.isArray(value)) return value;
  const known = new Set(before.map((item) => JSON.stringify(item)));
  return [...before, ...value.filter((item) => !known.has(JSON.stringify(item)))];
}

// What is known of one thread and its newest run. The views subscribe and read `store.run`; none of them speaks to the server about a
// run. What the server says decides: the end of a byte stream ends nothing.

import * as api from "./api.js";
import { Listeners } from "./listeners.js";
import { correctSteps, PastRun } from "./past_run.js";
import { QuietQuestion } from "./quiet_question.js";
import { RunConnection } from "./run_connection.js";
import { RunSender } from "./run_sender.js";
import { BUSY, endedAs, standsAs } from "./run_status.js";
import { RunView } from "./run_view.js";
import { atLast, readThread } from "./thread_reader.js";

/** @typedef {import("./run_types.js").Run} Run */

/** How many pages of checkpoints are read before somebody has to ask for more, where no stream tells of the steps. */
const PAGES = 11;
/** How long the page says that it is connected again, in milliseconds. */
const SHOWN_BACK = 5000;
const NOTHING = { thread: null, checkpoint: null, id: null, status: "none", connection: { state: "idle" }, createdAt: null, begunAt: null,
  endedAt: null, unsent: null, runs: [], leftAt: null, olderSteps: null, heardAt: null, isReadingSteps: false };

export class RunStore {
  #view = new RunView();
  #listeners = new Listeners(() => (this.run = this.#snapshot()));
  /** Counts what was opened: an answer that comes too late is not shown. */
  #turn = 0;
  #known = { ...NOTHING, assistant: null };
  #connection = null;
  /** @type {PastRun|null} where the steps come from, if no stream has told them from the first on */
  #past = null;
  #sender = new RunSender();
  #quiet = new QuietQuestion(
    () => (this.#known.status === "running" && !this.#view.steps.all.some(({ state }) => state === "running") ? this.#known.thread : null),
    (tasks) => (this.#view.steps.suppose(tasks, Date.now()), tasks.length && this.#change()),
  );
  /** Tells the other tabs which run has begun. */
  #tabs = new BroadcastChannel("answergraph-runs");

  /** @type {Run} another object after every change */
  run = this.#snapshot();

  constructor() {
    this.#tabs.addEventListener("message", ({ data }) => data.thread === this.#known.thread && !this.isBusy && this.#lookAgain());
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => document.hidden || (this.retry(), this.#lookAgain()));
  }

  /** Be told of changes. @param {(run: Run) => void} listener @returns {() => void} ends it */
  subscribe = (listener) => this.#listeners.add(listener);

  get isBusy() {
    return BUSY.includes(this.#known.status);
  }

  /** Say which edges the graph of the run has. @param {import("./taken_path.js").DrawnEdges} drawn */
  set drawn(drawn) { this.#view.steps.drawn = drawn; }

  /** The newest result of a tool call. */
  toolResult = (callId) => this.#view.conversation.toolResult(callId);

  /** Leave what is open, for a thread that is made when it is first needed. A run that goes on there goes on. */
  newThread() {
    this.#open(NOTHING, {});
  }

  /** Open a thread with one of its runs, and join it if it goes on. What was open before is left at once: it says nothing of this one.
   * @param {string} thread @param {string} [wanted] the newest by default
   */
  async openThread(thread, wanted) {
    this.#expect({ thread, id: wanted ?? null });
    await this.#load(thread, wanted);
  }

  /** Open an older state of a thread; a run that is started then begins a branch there. @param {string} thread @param {string} checkpoint */
  async openCheckpoint(thread, checkpoint) {
    this.#expect({ thread, checkpoint });
    const turn = this.#turn;
    const [state, runs] = await this.#told(Promise.all([api.state(thread, checkpoint), this.#known.runs.length ? this.#known.runs : api.runs(thread)]));
    if (turn === this.#turn) this.#open({ ...NOTHING, thread, assistant: this.#known.assistant, checkpoint, runs }, state);
  }

  #expect({ thread, ...place }) {
    const { runs, assistant } = this.#known;
    this.#open({ ...NOTHING, assistant, thread, ...place, status: "opening", runs: thread === this.#known.thread ? runs : [] }, {});
  }

  async #load(thread, wanted) {
    const turn = this.#turn;
    const { record, runs, leftAt, state } = await this.#told(readThread(thread, wanted));
    if (turn !== this.#turn) return;
    const known = { ...NOTHING, thread, id: record?.run_id ?? null, runs, leftAt, assistant: record?.assistant_id ?? this.#known.assistant };
    this.#open({ ...known, status: record ? "opening" : standsAs(state, leftAt) }, state);
    if (record) this.#follow(record, state);
    else if (this.#known.status !== "none") await this.loadOlderSteps();
  }

  /** What the server says of what is being opened; if it says nothing, nothing is known of it. */
  async #told(answer) {
    const turn = this.#turn;
    try {
      return await answer;
    } catch (error) {
      if (turn === this.#turn && this.#known.status === "opening") this.#change({ status: "unread" });
      throw error;
    }
  }

  /** Start a run in the open thread, or in a new one.
   * @param {{assistant_id: string, input?: any, command?: {resume: any}, context?: object}} request
   * @returns {Promise<boolean>} whether the server took it; if not, `run.unsent` says why, and nothing else has changed
   */
  async start(request) {
    if (this.isBusy) return false;
    const { status: before, checkpoint } = this.#known;
    const turn = ++this.#turn;
    const isCurrent = () => turn === this.#turn;
    this.#change({ assistant: request.assistant_id, status: "sending", unsent: null, isReadingSteps: false });
    try {
      const thread = this.#known.thread ?? (await api.createThread()).thread_id;
      if (isCurrent()) this.#change({ thread }, true);
      const record = await this.#sender.send(thread, checkpoint, request, () => isCurrent() && this.#change({ connection: { state: "unsure" } }));
      if (!isCurrent()) return true;
      this.#connection?.close();
      const newest = this.#known.leftAt && (await api.state(thread).catch(() => null));
      if (!isCurrent()) return true;
      if (newest) this.#view.open(newest);
      this.#view.begin();
      this.#view.conversation.write([record.kwargs?.input?.messages ?? request.input?.messages ?? []].flat());
      this.#past = null;
      this.#change({ checkpoint: null, leftAt: null, olderSteps: null, runs: [record, ...this.#known.runs] });
      this.#follow(record);
      this.#tabs.postMessage({ thread });
      return true;
    } catch (error) {
      const message = error instanceof api.ServerError ? error.message : "The server does not answer.";
      if (isCurrent()) this.#change({ status: before, connection: { state: "idle" }, unsent: { request, message } });
      return false;
    }
  }

  /** Ask the server to stop the run; it is stopped when the server says so. */
  async stop() {
    if (!this.#connection) return;
    this.#change({ status: "stopping" });
    await this.#connection.stop().catch((error) => error.status < 500 && this.#change({ status: "running", unsent: { request: {}, message: error.message } }));
  }

  /** Try to connect again now, instead of at `connection.retryAt`. */
  retry = () => this.#connection?.retry();

  /** Read the steps of the run from its checkpoints, as many as are read without being asked for more. */
  async loadOlderSteps() {
    const { thread, id, runs, olderSteps } = this.#known;
    if (olderSteps === "loading") return;
    const past = (this.#past ??= new PastRun(thread, id, !id || id === runs[0]?.run_id));
    this.#change({ olderSteps: "loading" });
    const tell = (olderSteps) => past === this.#past && this.#change({ olderSteps: past.isWhole() ? null : olderSteps });
    await this.#restore(past.pages("", PAGES)).catch((error) => (tell("failed"), Promise.reject(error)));
    tell("left");
  }

  /** Read the steps inside a subgraph from its checkpoints. @param {string} space @param {boolean} [isSure] whether it is one */
  async loadInside(space, isSure) {
    if (this.#past) await this.#restore(this.#past.inside(space, isSure));
  }

  async #restore(pages) {
    const past = this.#past;
    for await (const read of pages) {
      if (past !== this.#past) return;
      this.#view.steps.restore(read);
      this.#change();
    }
  }

  /** Stop listening; the run goes on. */
  #leave() {
    this.#connection?.close();
    this.#connection = null;
    this.#quiet.end();
    this.#turn += 1;
  }

  #open(known, state) {
    this.#leave();
    this.#past = null;
    this.#view.open(state);
    this.#change(known);
  }

  /** Look whether another run has begun in the open thread. */
  async #lookAgain() {
    const { thread, id, checkpoint, leftAt } = this.#known;
    if (!thread || checkpoint || leftAt || this.isBusy) return;
    const turn = this.#turn;
    const [newest] = await api.runs(thread, 1).catch(() => []);
    if (!newest || newest.run_id === id || turn !== this.#turn) return;
    this.#leave();
    await this.#load(thread).catch(() => {});
  }

  /** Listen to a run to its end. @param {object} record the server's word on it @param {object} [state] at its end, if that is known */
  async #follow(record, state) {
    const { thread } = this.#known;
    const turn = this.#turn;
    const isCurrent = () => turn === this.#turn;
    const createdAt = Date.parse(record.created_at) || Date.now();
    const isOld = !["pending", "running"].includes(record.status);
    const status = isOld ? endedAs(record, state, this.#known, this.#view) : { pending: "queued" }[record.status] ?? "running";
    // What an old run left is known already: its stream tells the way there.
    this.#view.isPast = isOld;
    this.#change({ id: record.run_id, createdAt, begunAt: null, endedAt: null, status, isReadingSteps: isOld });
    this.#connection = new RunConnection(thread, record.run_id, {
      // An event that does not say when it was made was made just now, or nobody knows when.
      take: (event) => isCurrent() && this.#take({ ...event, at: event.at ?? (isOld ? null : Date.now()) }),
      tell: (connection, said) => isCurrent() && this.#hear(connection, said),
      tokens: !isOld,
    });
    const ended = await this.#connection.follow();
    if (ended === undefined || !isCurrent()) return;
    await this.#end(ended, isOld ? state : undefined, isCurrent);
  }

  async #end(record, known, isCurrent) {
    const { thread, status, runs } = this.#known;
    const state = known ?? (await atLast(() => api.state(thread)).catch(() => null));
    if (!isCurrent()) return;
    this.#view.end(state, !record || record.status === "interrupted" || status === "stopping");
    const endedAt = known ? (this.#view.steps.all.at(-1)?.ended ?? (Date.parse(record.updated_at) || null)) : Date.now();
    this.#connection = null;
    const isUnknown = !record && { heardAt: this.#known.connection.since ?? Date.now() };
    this.#change({ ...isUnknown, status: record ? endedAs(record, state, this.#known, this.#view) : "unknown", endedAt, isReadingSteps: true, connection: { state: "idle" }, runs: runs.map((each) => (each.run_id === record?.run_id ? record : each)) });
    const isWhole = this.#view.isWhole && this.#view.hasSteps && (await correctSteps(this.#view.steps, this.#known, Boolean(known)).catch(() => true));
    if (!isCurrent()) return;
    if (!isWhole) await this.loadOlderSteps().catch(() => {});
    if (isCurrent()) this.#change({ isReadingSteps: false }, true);
  }

  #take(event) {
    this.#quiet.wait();
    const wasBegun = this.#view.attempts;
    this.#view.take(event);
    if (event.event === "end") return;
    const { connection, status, begunAt } = this.#known;
    const isAgain = this.#view.attempts > Math.max(wasBegun, 1);
    const missed = connection.state === "back" && event.event.startsWith("updates") ? connection.missed + 1 : connection.missed;
    const heard = isAgain && connection.state !== "idle" ? { ...connection, state: "restarted" } : { ...connection, missed };
    if (isAgain) this.#expireBack();
    this.#change({ connection: heard, begunAt: begunAt ?? event.at, ...(status === "queued" ? { status: "running" } : {}) });
  }

  #hear(connection, record) {
    const { status } = this.#known;
    const said = { pending: "queued", running: "running" }[record?.status];
    if (connection.state === "back") this.#expireBack();
    if (record) this.#quiet.wait();
    this.#change({ connection: { missed: 0, ...connection }, ...(said && status !== "stopping" ? { status: said } : {}) });
  }

  #expireBack() {
    const turn = this.#turn;
    setTimeout(() => turn === this.#turn && ["back", "restarted"].includes(this.#known.connection.state) && this.#change({ connection: { state: "open" } }), SHOWN_BACK);
  }

  #change(known = {}, isNew = known.status !== undefined && known.status !== this.#known.status) {
    Object.assign(this.#known, known);
    if (isNew) this.#listeners.tell();
    else this.#listeners.tellSoon();
  }

  #snapshot() {
    const { conversation, steps, values, answers, interrupts, error } = this.#view;
    return {
      ...this.#known,
      steps: [...steps.all, ...steps.supposed],
      messages: conversation.messages,
      values,
      growing: [...answers.values()],
      outcome: values.outcome ?? null,
      interrupts,
      error: error && (typeof error === "string" ? { message: error } : error),
    };
  }
}

// What is known of one thread and its newest run. The views subscribe and read `store.run`; none of them speaks to the server about a
// run. What the server says decides: the end of a byte stream ends nothing.

import * as api from "./api.js";
import { RunView } from "./run_view.js";

/** How a run stands, by the server's word.
 *
 * none      nothing has run here, or a checkpoint is open
 * sending   the request is on its way
 * queued    the server has taken the run and has not begun it
 * running   it works
 * stopping  Stop was pressed; the server has not said yet that the run has stopped
 * waiting   it waits for a person: see `interrupts`
 * deferred  it waits for calls that are carried out elsewhere: see `outcome.pending`
 * ended     it came to its end: see `outcome`, which graphs without an answer do not have
 * failed    it raised: see `error`
 * stopped   somebody stopped it
 * @typedef {"none"|"sending"|"queued"|"running"|"stopping"|"waiting"|"deferred"|"ended"|"failed"|"stopped"} Status
 */

/** What the page hears of the server, which is another thing than the run's status.
 *
 * idle  nothing is listened to · open  a stream is read · lost  no answer; `tries` so far, `retryAt` is the next one
 * back  the stream is read again; `missed` steps came meanwhile · restarted  the same, from a server that was started again
 * @typedef {{state: "idle"|"open"|"lost"|"back"|"restarted", tries: number, since: number|null, retryAt: number|null,
 *   missed: number}} Connection
 */

/** One visit of a node. Times are milliseconds since 1970, or null where nobody knows them.
 * @typedef {object} Step
 * @property {string} id of its own, as long as the thread stays open
 * @property {number|null} number of the superstep in its own graph; visits at once share it
 * @property {string} node
 * @property {string} space of the graph the node is in: "" for the outermost, else "case:1f…|explore:a0…"
 * @property {string} inside the same without ids: "case:explore"
 * @property {string|null} childSpace the `space` of the steps of the subgraph that this node is, if it is one
 * @property {"running"|"done"|"failed"|"waits"|"stopped"} state
 * @property {number|null} began
 * @property {number|null} ended
 * @property {object|null} wrote the update of the state, as the node wrote it
 * @property {string[]} messageIds of the messages in it
 * @property {string[]} next the nodes that came next, "__end__" for the end; empty while it is not known
 * @property {string|null} error
 * @property {{id: string, value: any}[]} interrupts
 * @property {string|null} checkpoint before this step: a run from there goes on with this step
 */

/** @typedef {object} Run
 * @property {string|null} thread
 * @property {string|null} id of the run; null if none is known
 * @property {string|null} assistant
 * @property {string|null} checkpoint the one that is open, if it is not the newest
 * @property {Status} status
 * @property {Connection} connection
 * @property {number|null} createdAt when the server took the run
 * @property {number|null} begunAt when it began
 * @property {number|null} endedAt
 * @property {Step[]} steps in the order they began, those of subgraphs among them
 * @property {object[]} messages as `conversation.js` makes them, in order
 * @property {object} values the thread's state
 * @property {{space: string, agent: string, key: string, attempt: number, status: string, value: any}[]} growing answers on their way
 * @property {object|null} outcome the newest of the graph's own `outcome`
 * @property {{id: string, value: any}[]} interrupts
 * @property {{error?: string, message: string}|null} error
 * @property {{request: object, message: string}|null} unsent what could not be sent; the view keeps what was typed
 */

const NO_CONNECTION = { state: "idle", tries: 0, since: null, retryAt: null, missed: 0 };

export class RunStore {
  #view = new RunView();
  #listeners = new Set();
  #due = false;
  /** Which thread was asked for last: an answer that comes too late is not shown. */
  #asked = 0;
  #known = { thread: null, assistant: null, checkpoint: null, status: "none", connection: NO_CONNECTION, createdAt: null, begunAt: null,
    endedAt: null, unsent: null };

  /** @returns {Run} the same object until something changes */
  run = this.#snapshot();

  /** Be told of every change, at most once for each picture of the browser. @param {(run: Run) => void} listener
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isBusy() {
    return ["sending", "queued", "running", "stopping"].includes(this.run.status);
  }

  /** The newest result of a tool call. */
  toolResult(callId) {
    return this.#view.conversation.toolResult(callId);
  }

  /** Leave what is open, for a thread that is made when it is first needed. */
  newThread() {
    this.#asked++;
    this.#view.open({});
    this.#change({ thread: null, checkpoint: null, status: "none", createdAt: null, begunAt: null, endedAt: null, unsent: null });
  }

  /** Open a thread, and join the run that goes on there. @param {string} thread */
  async openThread(thread) {
    const turn = ++this.#asked;
    const state = await api.state(thread);
    if (turn !== this.#asked) return;
    this.#view.open(state);
    this.#change({ thread, checkpoint: null, status: this.#stands(), createdAt: null, begunAt: null, endedAt: null, unsent: null });
  }

  /** Open an older state of the open thread; a run that is started then begins a branch there. @param {string} checkpoint */
  async openCheckpoint(checkpoint) {
    const turn = ++this.#asked;
    const state = await api.state(this.run.thread, checkpoint);
    if (turn !== this.#asked) return;
    this.#view.open(state);
    this.#change({ checkpoint, status: "none" });
  }

  /** Start a run in the open thread, or in a new one. Ends when the run does.
   * @param {{assistant_id: string, input?: any, command?: {resume: any}, context?: object}} request
   * @returns {Promise<boolean>} whether the server took it; if not, `run.unsent` says why and nothing is lost
   */
  async start(request) {
    if (this.isBusy) return false;
    this.#view.begin();
    this.#change({ assistant: request.assistant_id, status: "sending", unsent: null, createdAt: Date.now(), begunAt: null, endedAt: null });
    try {
      const thread = this.#known.thread ?? (await api.createThread()).thread_id;
      this.#change({ thread });
      const { checkpoint } = this.#known;
      const from = checkpoint && { checkpoint: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint } };
      for await (const event of api.run(thread, { ...from, ...request })) this.#take(event);
    } catch (error) {
      this.#view.error = error;
    }
    this.#view.end();
    this.#change({ checkpoint: null, status: this.#stands(), endedAt: Date.now() });
    return true;
  }

  /** Ask the server to stop the run. */
  async stop() {
    const { thread, id } = this.run;
    if (!id) return;
    this.#change({ status: "stopping" });
    await api.cancelRun(thread, id);
  }

  /** Try to connect again now, instead of at `connection.retryAt`. */
  retry() {}

  #take(event) {
    this.#view.take(event);
    if (event.event === "metadata") return this.#change({ status: "queued" });
    if (this.#known.status === "queued") Object.assign(this.#known, { status: "running", begunAt: Date.now() });
    this.#change();
  }

  #stands() {
    if (this.#view.error) return "failed";
    if (this.#view.interrupts.length) return "waiting";
    if (this.#view.values.outcome?.status === "deferred") return "deferred";
    return Object.keys(this.#view.values).length ? "ended" : "none";
  }

  #change(known = {}) {
    Object.assign(this.#known, known);
    if (known.status) this.#tell();
    else this.#tellSoon();
  }

  #tellSoon() {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => this.#due && this.#tell());
  }

  #tell() {
    this.#due = false;
    this.run = this.#snapshot();
    for (const listener of this.#listeners) listener(this.run);
  }

  #snapshot() {
    const view = this.#view;
    view.look();
    return {
      ...this.#known,
      id: view.runId,
      steps: [...view.steps.values()],
      messages: view.conversation.messages,
      values: view.values,
      growing: [...view.answers.values()],
      outcome: view.values.outcome ?? null,
      interrupts: view.interrupts,
      error: view.error && (typeof view.error === "string" ? { message: view.error } : view.error),
    };
  }
}

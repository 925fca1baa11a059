// Listens to one run until the server says that it is over. Streams break; the run goes on.

import * as api from "./api.js";
import { SILENT } from "./silence.js";

const OVER = ["success", "error", "timeout", "interrupted"];
/** How long until the next try, in milliseconds; the last one stays. A part of it is left to chance: not all pages shall come at once. */
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000];
const CHANCE = 0.2;
/** The word on a run may come a moment after the end of its stream: how often it is asked for before that counts as a cut. */
const MAX_ASKED_AT_END = 5;
/** How often a server that finds nothing to stop is asked again, and after how long, in milliseconds. */
const MAX_NOT_STOPPED = 2;
const STOP_AGAIN = 1000;
/** From so many steps on, messages come whole: each piece of one brings a kilobyte of the server's own words. */
const MANY_STEPS = 25;

const pause = (milliseconds, signal) => new Promise((resume) => {
  const timer = setTimeout(resume, milliseconds);
  signal.addEventListener("abort", () => (clearTimeout(timer), resume()), { once: true });
});

/** The moment an event was made, if its id tells: milliseconds, a hyphen, a count. */
const timeOf = (id) => (/^\d{13}-\d+$/.test(id ?? "") ? Number(id.slice(0, 13)) : null);
const place = (id) => id.match(/(\d+)(?:-(\d+))?$/)?.slice(1).map(Number) ?? [0];
const isAfter = (id, other) => {
  const [[first, count = 0], [otherFirst, otherCount = 0]] = [place(id), place(other)];
  return first > otherFirst || (first === otherFirst && count > otherCount);
};

/** Nothing was heard for a while. */
class Quiet extends Error {}

export class RunConnection {
  #thread;
  #run;
  #take;
  #tell;
  #closed = new AbortController();
  #wake = new AbortController();
  #last = null;
  /** What came with the newest id: several events of one millisecond have the same. */
  #atLast = new Set();
  #tries = 0;
  #lostAt = null;
  /** The two clocks: the last byte of this run's stream or word on it, and its last event. A model that thinks sends no event. */
  #heardAt = Date.now();
  #newsAt = Date.now();
  #steps = 0;
  #wantsStop = false;
  /** The request to stop the run, as long as it is not answered. */
  #cancelling = null;
  /** Whether pieces of messages are listened to. */
  #tokens;

  /** @param {string} thread @param {string} run
   * @param {{take: (event: {event: string, data: string, at: number|null}) => void, tell: (connection: object, record: object|null) => void,
   *   tokens?: boolean}} listener `record` is the server's word on the run
   */
  constructor(thread, run, { take, tell, tokens = true }) {
    this.#thread = thread;
    this.#run = run;
    this.#take = take;
    this.#tell = tell;
    this.#tokens = tokens;
  }

  /** Listen to the end. Gives what the server says of the run: null if it knows no such run, undefined if nobody listens any more. */
  async follow() {
    while (!this.#closed.signal.aborted) {
      try {
        const record = await this.#ask();
        await this.#read();
        if (OVER.includes(record.status)) return record;
        if (await this.#isOver()) continue;
        if (this.#tokens && this.#steps >= MANY_STEPS) this.#tokens = false;
        else await this.#lost();
      } catch (error) {
        if (this.#closed.signal.aborted) return undefined;
        if (error.status === 404 && (await this.#isUnknown())) return null;
        if (!(error instanceof Quiet)) await this.#lost();
      }
    }
    return undefined;
  }

  /** Try again now. */
  retry() {
    this.#wake.abort();
  }

  /** Have the server stop the run, now or as soon as it answers again. Raises what the server says against it. */
  async stop() {
    this.#wantsStop = true;
    await (this.#cancelling ??= this.#cancel().finally(() => (this.#cancelling = null)));
  }

  close() {
    this.#closed.abort();
    this.#wake.abort();
  }

  async #ask() {
    const record = await api.run(this.#thread, this.#run);
    this.#heardAt = Date.now();
    // A server that was gone may know of no request to stop. The steps are read meanwhile; whoever pressed Stop is told what comes of it.
    if (this.#wantsStop && this.#lostAt && !OVER.includes(record.status)) this.stop().catch(() => {});
    this.#tell(this.#lostAt ? { state: "back", tries: this.#tries, since: this.#lostAt } : this.#open(), record);
    return record;
  }

  /** Ask until the run is stopped or over. A server finds nothing to stop in a run that it is stopping already, as two tabs may ask. */
  async #cancel() {
    for (let refused = 0; !this.#closed.signal.aborted; await pause(STOP_AGAIN, this.#closed.signal)) {
      try {
        return await api.cancelRun(this.#thread, this.#run);
      } catch (error) {
        const record = await api.run(this.#thread, this.#run).catch(() => null);
        if (OVER.includes(record?.status)) return;
        if (error.status < 500 && (error.status !== 404 || ++refused > MAX_NOT_STOPPED)) {
          this.#wantsStop = false;
          throw error;
        }
      }
    }
  }

  /** Whether the server knows no such run; that it finds none of its stream does not say so. */
  #isUnknown = () => api.run(this.#thread, this.#run).then(() => false, ({ status }) => status === 404);

  async #isOver() {
    for (let asked = 0; asked < MAX_ASKED_AT_END; asked++) {
      if (OVER.includes((await api.run(this.#thread, this.#run)).status)) return true;
      if (this.#tokens && this.#steps >= MANY_STEPS) return false;
      await pause(100, this.#closed.signal);
    }
    return false;
  }

  async #read() {
    const stream = new AbortController();
    const end = (why) => stream.abort(why);
    this.#closed.signal.addEventListener("abort", end, { once: true });
    // A server sends a sign of life every few seconds. The stream of one that is silent is left, and the run asked for.
    const watch = setInterval(() => {
      if (Date.now() - this.#heardAt < SILENT) return;
      clearInterval(watch);
      this.#tell({ state: "quiet", since: this.#heardAt }, null);
      end(new Quiet());
    }, 1000);
    try {
      const how = { after: this.#after(), tokens: this.#tokens, signal: stream.signal, tell: () => this.#hear() };
      for await (const event of api.joinRun(this.#thread, this.#run, how)) {
        if (this.#isKnown(event)) continue;
        this.#newsAt = Date.now();
        this.#take({ ...event, at: timeOf(event.id) });
        if (event.event.startsWith("updates") && ++this.#steps === MANY_STEPS && this.#tokens) return;
      }
    } finally {
      clearInterval(watch);
      this.#closed.signal.removeEventListener("abort", end);
      end();
    }
  }

  #hear() {
    this.#heardAt = Date.now();
    this.#tries = 0;
    this.#lostAt = null;
    if (this.#heardAt - this.#newsAt > SILENT) this.#tell(this.#open(), null);
  }

  #open = () => ({ state: "open", heardAt: this.#heardAt, newsAt: this.#newsAt });

  /** The id to go on after: a millisecond earlier, as more may have been made in the last one. */
  #after() {
    const at = timeOf(this.#last);
    return at ? `${at - 1}-0` : (this.#last ?? api.FROM_THE_START);
  }

  /** Whether an event has come before. A server that replays may give the same one again. */
  #isKnown({ event, id, data }) {
    if (!id) return false;
    const print = `${event} ${data}`;
    if (this.#last && !isAfter(id, this.#last)) {
      if (id !== this.#last || this.#atLast.has(print)) return true;
      this.#atLast.add(print);
      return false;
    }
    this.#last = id;
    this.#atLast = new Set([print]);
    return false;
  }

  async #lost() {
    this.#lostAt ??= this.#heardAt;
    const wait = PAUSES[Math.min(this.#tries++, PAUSES.length - 1)] * (1 + CHANCE * Math.random());
    this.#tell({ state: "lost", tries: this.#tries, since: this.#lostAt, retryAt: Date.now() + wait }, null);
    this.#wake = new AbortController();
    await pause(wait, this.#wake.signal);
  }
}

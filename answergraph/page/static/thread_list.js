// The server's threads, newest first: what each began with, and how it ended.

import * as api from "./api.js";
import { button, el, icon, moment } from "./dom.js";
import { statusWords } from "./outcome_words.js";
import { LOOKED_THROUGH, ThreadFilter } from "./thread_filter.js";
import { brief } from "./timeline.js";

const THREADS = 20;

/** The first words of a thread; `content` may be blocks. */
function firstWords({ extracted, values, metadata }) {
  const content = extracted?.first_message ?? values?.messages?.[0]?.content;
  const text = Array.isArray(content) ? content.map((block) => block?.text ?? "").join(" ") : content;
  return typeof text === "string" && text.trim() ? brief(text, 140) : (metadata?.graph_id ?? "thread");
}

/** An outcome says more than that the thread is idle; a thread without interrupts waits for nobody, its run was stopped. */
function statusOf({ status, extracted, values, interrupts }) {
  if (status === "idle") return extracted?.outcome_status ?? values?.outcome?.status ?? "idle";
  return status === "interrupted" && interrupts && !Object.values(interrupts).flat().length ? "stopped" : status;
}

const wordOf = (status) =>
  ({ idle: "ended", error: "failed", interrupted: "waits for you", busy: "running" })[status] ?? status.replaceAll("_", " ");

const factsOf = (thread) => ({
  status: wordOf(statusOf(thread)),
  graph: thread.metadata?.graph_id ?? "",
  createdAt: Date.parse(thread.created_at) || 0,
  text: `${firstWords(thread)} ${wordOf(statusOf(thread))}`,
});

export class ThreadList {
  #place;
  #actions;
  #shown = THREADS;
  #current = null;
  /** Whether the server has no more than is listed. */
  #isAll = false;
  #filter;
  /** What is known of the listed threads, by their id. */
  #facts = new Map();
  #print = "";
  /** Counts the questions: an answer to an older one is not shown. */
  #asked = 0;

  /** @param {HTMLElement} place @param {HTMLInputElement} find @param {{open: Function, failed: Function}} actions */
  constructor(place, find, actions) {
    this.#place = place;
    this.#actions = actions;
    this.#filter = new ThreadFilter(find, this.#guarded(() => this.#applied()));
  }

  /** Say which thread is open. @param {string|null} thread */
  mark(thread) {
    if (thread === this.#current) return;
    this.#current = thread;
    for (const each of this.#place.querySelectorAll(".thread")) each.setAttribute("aria-current", String(each.dataset.id === thread));
  }

  /** Ask the server anew. */
  async load() {
    const asked = ++this.#asked;
    const limit = this.#filter.isActive ? Math.max(this.#shown, LOOKED_THROUGH) : this.#shown;
    const found = await api.threads(limit);
    const print = JSON.stringify(found);
    if (asked !== this.#asked || print === this.#print) return;
    this.#print = print;
    this.#facts = new Map(found.map((thread) => [thread.thread_id, factsOf(thread)]));
    this.#isAll = found.length < limit;
    this.#filter.offer([...this.#facts.values()]);
    const items = found.map((thread) => this.#item(thread));
    if (!this.#isAll) {
      const more = () => ((this.#shown = limit + THREADS), this.load());
      items.push(el("li", {}, button("Older threads", this.#guarded(more), { kind: "quiet" })));
    }
    this.#place.replaceChildren(...(items.length ? items : [el("li.hint", {}, "None yet.")]));
    this.#hide();
  }

  /** Something else is looked for: what was not asked for yet may hold it. */
  async #applied() {
    this.#hide();
    if (this.#filter.isActive && !this.#isAll && this.#facts.size < LOOKED_THROUGH) await this.load();
  }

  #item(thread) {
    const { thread_id: id, created_at: created, metadata } = thread;
    const status = statusOf(thread);
    const { tone, icon: sign } = statusWords(status);
    const open = el(
      "button.thread",
      {
        type: "button",
        "data-id": id,
        "data-tone": tone,
        "aria-current": String(id === this.#current),
        title: metadata?.graph_id,
        onclick: this.#guarded(() => this.#actions.open(id, metadata)),
      },
      icon(sign),
      el("span.first", {}, firstWords(thread)),
      el(
        "span.meta",
        {},
        el("span", { "data-status": status }, wordOf(status)),
        // A thread without messages has the graph's name for its first words.
        firstWords(thread) !== metadata?.graph_id && el("small", {}, metadata?.graph_id),
        el("time", {}, created ? moment(created) : ""),
      ),
    );
    return el("li", {}, open);
  }

  #hide() {
    const rows = [...this.#place.querySelectorAll("[data-id]")];
    for (const row of rows) row.parentElement.hidden = !this.#filter.fits(this.#facts.get(row.dataset.id));
    this.#filter.tell(rows.filter((row) => !row.parentElement.hidden).length, rows.length, this.#isAll);
  }

  #guarded(action) {
    return async () => {
      try {
        await action();
      } catch (error) {
        this.#actions.failed(error);
      }
    };
  }
}

// The server's threads, newest first: what each began with, and how it ended.

import * as api from "./api.js";
import { button, el, icon, moment } from "./dom.js";
import { statusWords } from "./outcome_words.js";
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

export class ThreadList {
  #place;
  #actions;
  #shown = THREADS;
  #current = null;
  #words = "";
  #print = "";
  /** Counts the questions: an answer to an older one is not shown. */
  #asked = 0;

  /** @param {HTMLElement} place @param {HTMLInputElement} find @param {{open: Function, failed: Function}} actions */
  constructor(place, find, actions) {
    this.#place = place;
    this.#actions = actions;
    find.addEventListener("input", () => ((this.#words = find.value.toLowerCase()), this.#filter()));
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
    const found = await api.threads(this.#shown);
    const print = JSON.stringify(found);
    if (asked !== this.#asked || print === this.#print) return;
    this.#print = print;
    const items = found.map((thread) => this.#item(thread));
    if (found.length === this.#shown)
      items.push(
        el(
          "li",
          {},
          button(
            "Older threads",
            this.#guarded(() => ((this.#shown += THREADS), this.load())),
            { kind: "quiet" },
          ),
        ),
      );
    this.#place.replaceChildren(...(items.length ? items : [el("li.hint", {}, "None yet.")]));
    this.#filter();
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
        el("span", { "data-status": status }, { idle: "ended", error: "failed", interrupted: "waits for you", busy: "running" }[status] ?? status.replaceAll("_", " ")),
        el("time", {}, created ? moment(created) : ""),
      ),
    );
    return el("li", {}, open);
  }

  #filter() {
    for (const item of this.#place.children)
      item.hidden = Boolean(this.#words) && !item.textContent.toLowerCase().includes(this.#words);
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

// The server's threads, newest first, and the checkpoints of the one that is open.

import * as api from "./api.js";
import { el } from "./dom.js";

const THREADS = 20;
/** Each checkpoint comes with the whole state. */
const CHECKPOINTS = 10;

const time = (text) => (text ? new Date(text).toLocaleString() : "");

export class ThreadList {
  #place;
  #checkpoints;
  #actions;
  #shown = THREADS;
  #current = null;

  /** @param {HTMLElement} place @param {HTMLElement} checkpoints
   * @param {{open: Function, openCheckpoint: Function, failed: Function}} actions
   */
  constructor(place, checkpoints, actions) {
    this.#place = place;
    this.#checkpoints = checkpoints;
    this.#actions = actions;
  }

  /** Ask the server anew. */
  async load(current = this.#current) {
    if (current !== this.#current) this.#checkpoints.replaceChildren();
    this.#current = current;
    const found = await api.threads(this.#shown);
    const items = found.map((thread) => this.#item(thread));
    if (found.length === this.#shown) items.push(el("li", {}, this.#button("Older threads", () => ((this.#shown += THREADS), this.load()), "quiet")));
    this.#place.replaceChildren(...(items.length ? items : [el("li.hint", {}, "None yet.")]));
  }

  #item({ thread_id: id, status, created_at: created, metadata }) {
    const current = id === this.#current;
    const open = this.#button(
      [el("span", {}, metadata?.graph_id ?? "thread"), " ", el("span.badge", { "data-status": status }, status), el("small", {}, time(created))],
      () => this.#actions.open(id, metadata), "thread");
    open.dataset.id = id;
    if (current) open.setAttribute("aria-current", "true");
    return el("li", {}, open);
  }

  /** Show the checkpoints of the open thread. */
  async loadCheckpoints(before = null) {
    if (!this.#current) return;
    const states = await api.history(this.#current, CHECKPOINTS, before);
    const items = states.map((state) => this.#checkpoint(state));
    if (states.length === CHECKPOINTS) items.push(this.#older(states.at(-1)));
    if (before === null) this.#checkpoints.replaceChildren();
    this.#checkpoints.append(...items);
  }

  #checkpoint({ checkpoint, metadata, next, created_at: created }) {
    const id = checkpoint?.checkpoint_id;
    const leads = next?.length ? `before ${next.join(", ")}` : "the end";
    const open = this.#button([`Step ${metadata?.step ?? "?"}, ${leads}`, el("small", {}, time(created))],
      (event) => {
        for (const button of this.#checkpoints.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
        event.currentTarget.setAttribute("aria-current", "true");
        return this.#actions.openCheckpoint(id, metadata?.step);
      }, "thread");
    return el("li", {}, open);
  }

  #older({ checkpoint }) {
    const item = el("li", {}, this.#button("Older checkpoints", async () => {
      await this.loadCheckpoints(checkpoint.checkpoint_id);
      item.remove();
    }, "quiet"));
    return item;
  }

  #button(children, action, kind) {
    const onclick = async (event) => {
      try {
        await action(event);
      } catch (error) {
        this.#actions.failed(error);
      }
    };
    return el(`button.${kind}`, { type: "button", onclick }, ...[children].flat());
  }
}

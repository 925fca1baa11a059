// The checkpoints of the open thread: an older state to look at, and to go on from.

import * as api from "./api.js";
import { button, el } from "./dom.js";

const CHECKPOINTS = 10;

export class CheckpointList {
  #place;
  #open;
  #thread = null;

  /** @param {HTMLElement} place @param {(checkpoint: string, before: string) => Promise<void>} open */
  constructor(place, open) {
    this.#place = place;
    this.#open = open;
  }

  /** Ask the server anew. @param {string|null} thread */
  async load(thread) {
    this.#thread = thread;
    this.#place.replaceChildren();
    if (thread) await this.#more();
  }

  async #more(before) {
    const thread = this.#thread;
    const { page: found } = await api.checkpoints(thread, { limit: CHECKPOINTS, before });
    if (thread !== this.#thread) return;
    this.#place.append(...found.map((checkpoint) => this.#item(checkpoint)));
    if (found.length < CHECKPOINTS) return;
    const older = el("li", {}, button("Older checkpoints", async () => (await this.#more(found.at(-1).checkpoint_id), older.remove()), { kind: "quiet" }));
    this.#place.append(older);
  }

  #item({ checkpoint_id: id, next, created_at: created }) {
    const before = next?.length ? `before ${next.join(", ")}` : "the end";
    const open = el(
      "button.thread",
      {
        type: "button",
        onclick: () => {
          for (const each of this.#place.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
          open.setAttribute("aria-current", "true");
          return this.#open(id, before);
        },
      },
      el("span"),
      el("span.first", {}, before),
      el("span.meta", {}, created ? new Date(created).toLocaleTimeString() : ""),
    );
    return el("li", {}, open);
  }
}

// The step that is chosen: by its row, by the drawing, or by the address.

import * as address from "./address.js";
import { edgeKey } from "./graph_layout.js";
import { spacesAround } from "./steps.js";

const pathOf = ({ inside, node }) => [inside, node].filter(Boolean).join(":");

export class StepChoice {
  #store;
  #views;

  /** @param {import("./run_store.js").RunStore} store @param {() => {timeline: object, drawing: object, details: object}} views */
  constructor(store, views) {
    this.#store = store;
    this.#views = views;
  }

  /** A person has chosen a row. As long as older steps are missing, it has no lasting name for the address. */
  row(row) {
    const { id, olderSteps } = this.#store.run;
    if (!olderSteps) address.write({ run: id, step: row.step.id });
    this.#show(row);
  }

  /** A node or an edge was chosen in the drawing: the timeline shows its visits. */
  inGraph({ inside, node, target }) {
    const { timeline, drawing } = this.#views();
    const path = pathOf({ inside, node });
    drawing.select(path, target && edgeKey(inside, node, target));
    if (this.#store.run.steps.some((step) => pathOf(step) === path)) timeline.only(path);
  }

  /** Show the step that the address names, once it is there: the steps of a past run come after the run itself. */
  async fromAddress({ steps, olderSteps }) {
    const { timeline } = this.#views();
    const { step: id } = address.read();
    if (!id || id === timeline.selected) return;
    if (olderSteps === "left") await this.#store.loadOlderSteps();
    else if (olderSteps) return;
    else if (steps.some((step) => step.id === id)) this.#show(timeline.reveal(id));
    else for (const space of spacesAround(id)) await this.#store.loadInside(space);
  }

  #show(row) {
    if (!row) return;
    const { details, drawing } = this.#views();
    const { step } = row;
    details.step(row);
    drawing.select(pathOf(step), step.next[0] && edgeKey(step.inside, step.node, step.next[0]));
  }
}

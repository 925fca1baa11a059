// The state of a thread: its keys and values, the private ones folded; and a form to change it and go on from there.

import { button, el, newId, plural, shown } from "./dom.js";
import { parsed } from "./schema_fields.js";
import { valueTree } from "./value_tree.js";

/** Keys that a library keeps for itself: they begin with an underscore, or hold what the reader has above. */
export const isPrivate = (key, state) => key.startsWith("_") || key === "judging" || ("outcome" in state && ["ledger", "jump_to"].includes(key));

export class StateView {
  #place;
  #save;
  #print = "";
  #isEdited = false;

  /** @param {HTMLElement} place @param {(values: object, checkpoint: string|null, asNode: string) => Promise<void>} save */
  constructor(place, save) {
    this.#place = place;
    this.#save = save;
  }

  /** @param {import("./run_types.js").Run} run @param {boolean} isBusy @param {string[]} nodes that may stand as the writer of a change */
  show(run, isBusy, nodes) {
    if (this.#isEdited || this.#place.hidden) return;
    const print = JSON.stringify([run.thread, run.checkpoint, run.values, isBusy]);
    if (print === this.#print) return;
    this.#print = print;
    const entries = Object.entries(run.values);
    const [own, hidden] = [entries.filter(([key]) => !isPrivate(key, run.values)), entries.filter(([key]) => isPrivate(key, run.values))];
    this.#place.replaceChildren(
      ...[
        run.thread &&
          el("div.row", {}, button("Edit the state and fork", () => this.edit(run.values, run.checkpoint, nodes), { kind: "small", icon: "edit" })),
        entries.length ? valueTree(Object.fromEntries(own)) : el("p.hint", {}, "The state is empty."),
        hidden.length > 0 && el("details", {}, el("summary", {}, plural(hidden.length, "private key")), valueTree(Object.fromEntries(hidden))),
      ].filter(Boolean),
    );
    const edit = this.#place.querySelector("button");
    if (edit) edit.disabled = isBusy;
  }

  /** Make a form of a state; what is changed there becomes a checkpoint of its own, and a run goes on from it. */
  edit(values, checkpoint, nodes) {
    this.#isEdited = true;
    const last = (key) => key === "messages";
    const fields = Object.entries(values)
      .toSorted(([one], [other]) => last(one) - last(other))
      .map(([key, value]) => {
        const control = el("textarea.json", { id: newId("state"), rows: Math.min(8, shown(value).split("\n").length), spellcheck: "false" });
        control.value = JSON.stringify(value, null, 2);
        // A field that is still called invalid would keep the form from being sent.
        control.addEventListener("input", () => control.setCustomValidity(""));
        return { key, control, before: control.value };
      });
    const writer = el("select", { id: newId("writer") }, el("option", { value: "" }, "the node that wrote last"), ...nodes.map((node) => el("option", {}, node)));
    const error = el("p.problem", { role: "alert", hidden: true });
    const leave = () => ((this.#isEdited = false), (this.#print = ""));
    const form = el(
      "form",
      {
        "aria-label": "Edit the state",
        onsubmit: async (event) => {
          event.preventDefault();
          const changed = read(fields);
          if (!changed) return;
          try {
            await this.#save(changed, checkpoint, writer.value);
            leave();
          } catch (problem) {
            error.hidden = false;
            error.textContent = problem.message;
          }
        },
      },
      el("p.hint", {}, "Your changes are written as a new checkpoint; earlier steps are kept. The graph's reducers apply: a list may grow instead of being replaced."),
      ...fields.map(({ key, control }) => el("div.field", {}, el("label", { for: control.id }, key), control)),
      el("div.field", {}, el("label", { for: writer.id }, "As if written by"), writer),
      error,
      el(
        "div.row",
        {},
        el("button.primary", { type: "submit" }, "Save and run on"),
        button("Cancel", () => (leave(), this.#place.replaceChildren(el("p.hint", {}, "Nothing was changed.")))),
      ),
    );
    this.#place.replaceChildren(form);
    fields[0]?.control.focus();
  }

  /** Leave a form that belongs to another thread. */
  reset() {
    this.#isEdited = false;
    this.#print = "";
  }
}

/** What was changed, or null if a field holds no JSON. */
function read(fields) {
  const changed = {};
  for (const { key, control, before } of fields) {
    if (control.value === before) continue;
    changed[key] = parsed(control);
    if (!control.reportValidity()) return null;
  }
  return changed;
}

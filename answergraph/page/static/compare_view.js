// Two runs side by side: what each used and answered, and the step where they part.

import { answersIn, fieldsOf } from "./answers.js";
import * as api from "./api.js";
import { button, el, icon, shown } from "./dom.js";
import { headOf, usageOf } from "./outcome_words.js";
import { RunStore } from "./run_store.js";
import { Timeline } from "./timeline.js";

const THREADS = 50;

export class CompareView {
  #place;
  #choose;
  #other = null;
  #leave = null;
  #run = null;
  #reasons = new Map();

  /** @param {HTMLElement} place @param {(thread: string|null) => void} choose another run was chosen, or none */
  constructor(place, choose) {
    this.#place = place;
    this.#choose = choose;
  }

  /** Ask which run to compare with. */
  async ask(thread) {
    const found = (await api.threads(THREADS)).filter(({ thread_id: id }) => id !== thread);
    const options = found.map(({ thread_id: id, extracted, metadata, created_at: created }) =>
      el(
        "option",
        { value: id },
        `${String(extracted?.first_message ?? metadata?.graph_id ?? id).slice(0, 60)} · ${extracted?.outcome_status ?? ""} ${new Date(created).toLocaleString()}`,
      ),
    );
    const pick = el(
      "select",
      { "aria-label": "The run to compare with", onchange: () => pick.value && this.#choose(pick.value) },
      el("option", { value: "" }, "Choose a run"),
      ...options,
    );
    this.#place.hidden = false;
    this.#place.replaceChildren(el("div.bar", {}, el("h2", {}, "Compare with"), pick, this.#close()));
    pick.focus();
  }

  /** Show the run of another thread beside the open one. @param {string|null} thread */
  async open(thread) {
    this.#leave?.();
    this.#leave = null;
    this.#other = null;
    this.#place.hidden = !thread;
    if (!thread) return this.#place.replaceChildren();
    const store = new RunStore();
    const listen = store.subscribe((run) => ((this.#other = run), this.#draw()));
    this.#leave = () => (listen(), store.newThread());
    await store.openThread(thread);
  }

  show(run, reasons) {
    this.#run = run;
    this.#reasons = reasons;
    if (this.#other) this.#draw();
  }

  #close = () => button("", () => this.#choose(null), { kind: "bare", icon: "cross", label: "End the comparison" });

  #draw() {
    if (!this.#run || !this.#other || this.#place.hidden) return;
    const [one, other] = [this.#run, this.#other].map((run) => facts(run));
    const names = [...new Set([...one.keys(), ...other.keys()])];
    const rows = names.map((name) => {
      const differs = one.get(name) !== other.get(name);
      return el(
        "tr",
        { "data-differs": differs },
        el("th", { scope: "row" }, name),
        ...[one, other].map((side) => el("td", {}, el("div.text", {}, side.get(name) ?? "not given"))),
        el("td", {}, differs ? "differs" : "the same"),
      );
    });
    this.#place.replaceChildren(
      el("div.bar", {}, el("h2", {}, icon("compare"), " Two runs side by side"), this.#close()),
      el("p", {}, this.#parting()),
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...["", "This run", "The other run", ""].map((title) => (title ? el("th", { scope: "col" }, title) : el("td"))),
          ),
        ),
        el("tbody", {}, ...rows),
      ),
    );
  }

  #parting() {
    const [one, other] = [this.#run, this.#other].map((run) => new Timeline(run, this.#reasons).rows());
    const print = (row) => row && `${row.name}, ${row.what}${row.then && ` ${row.then}`}`;
    const at = one.findIndex((row, index) => !other[index] || row.name !== other[index].name || row.then !== other[index].then);
    const first = at < 0 && other.length > one.length ? one.length : at;
    if (first < 0) return `They take the same path through ${one.length} steps.`;
    return `They diverge at step ${first + 1}: ${print(one[first]) ?? "the end"}; the other: ${print(other[first]) ?? "the end"}.`;
  }
}

/** What is compared, as texts by name. */
function facts(run) {
  const { word, rest, why } = headOf(run);
  const { facts: used } = usageOf(run);
  const model = run.messages.findLast(({ response_metadata: metadata }) => metadata?.model_name)?.response_metadata.model_name;
  const found = {
    outcome: `${word}${rest}`,
    "why it ended so": why.filter(Boolean).join(" "),
    model,
    strategy: run.outcome?.strategy,
    schema: run.outcome?.schema,
    attempts: run.outcome && String(run.outcome.attempts?.length ?? 0),
  };
  const entries = Object.entries(found).concat(used.map(([figure, name]) => [name || "time", figure]));
  for (const { title, answer } of answersIn(run.values))
    for (const [path, value] of fieldsOf(answer))
      entries.push([title === "structured_response" ? path : `${title}: ${path}`, shown(value)]);
  return new Map(entries.filter(([, value]) => value));
}

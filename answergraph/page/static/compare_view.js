// Two runs side by side: what each used and answered, and the step where they part.

import { answersIn, fieldsOf } from "./answers.js";
import * as api from "./api.js";
import { breakable, button, el, icon, shown } from "./dom.js";
import { headOf } from "./open_words.js";
import { usageOf } from "./outcome_words.js";
import { RunList, runName } from "./run_list.js";
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
  #pick = el("div.runs", { hidden: true });
  #runs = new RunList(this.#pick, (run) => this.#chooseOf(this.#other.thread, run), { label: "The other run", hint: "" });

  /** @param {HTMLElement} place @param {(run: string|null) => void} choose another run was chosen, as `open` takes it, or none */
  constructor(place, choose) {
    this.#place = place;
    this.#choose = choose;
  }

  /** Ask which run to compare with. @param {import("./run_types.js").Run} run */
  async ask({ thread, id: shownRun, runs }) {
    const found = (await api.threads(THREADS)).filter(({ thread_id: id }) => id !== thread);
    const others = found.map(({ thread_id: id, extracted, metadata, created_at: created }) =>
      el(
        "option",
        { value: id },
        `${String(extracted?.first_message ?? metadata?.graph_id ?? id).slice(0, 60)} · ${extracted?.outcome_status ?? ""} ${new Date(created).toLocaleString()}`,
      ),
    );
    const own = runs.flatMap(({ run_id: id }, index) => (id === shownRun ? [] : [el("option", { value: `${thread}.${id}` }, runName(runs, index))]));
    const chosen = () => (pick.value.includes(".") ? this.#choose(pick.value) : pick.value && this.#chooseOf(pick.value, null));
    const pick = el(
      "select",
      { "aria-label": "The run to compare with", onchange: chosen },
      el("option", { value: "" }, "Choose a run"),
      own.length > 0 && el("optgroup", { label: "This thread" }, ...own),
      el("optgroup", { label: "Other threads" }, ...others),
    );
    this.#place.hidden = false;
    this.#place.replaceChildren(el("div.bar", {}, el("h2", {}, "Compare with"), pick, this.#close()));
    pick.focus();
  }

  /** Choose a run of a thread by its name, so that a link keeps to it; null is the newest. */
  async #chooseOf(thread, run) {
    const name = run ?? (await api.runs(thread, 1).catch(() => []))[0]?.run_id;
    this.#choose(name ? `${thread}.${name}` : thread);
  }

  /** Show another run beside the open one. @param {string|null} which `thread.run`, or a thread for its newest run */
  async open(which) {
    this.#leave?.();
    this.#leave = null;
    this.#other = null;
    this.#place.hidden = !which;
    if (!which) return this.#place.replaceChildren();
    const [thread, run] = which.split(".");
    const store = new RunStore();
    const listen = store.subscribe((other) => {
      this.#other = other;
      this.#draw();
      // The store goes over to a later run of the thread; what is compared stays.
      if (run && other.id && other.id !== run) store.openThread(thread, run).catch(() => {});
    });
    this.#leave = () => (listen(), store.newThread());
    await store.openThread(thread, run);
  }

  show(run, reasons) {
    this.#run = run;
    this.#reasons = reasons;
    if (this.#other) this.#draw();
  }

  #table = el("div");
  #head = () => el("div.bar", {}, el("h2", {}, icon("compare"), " Two runs side by side"), this.#close());
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
        el("th", { scope: "row" }, ...breakable(name)),
        ...[one, other].map((side) => el("td", {}, el("div.text", {}, side.get(name) ?? "not given"))),
        el("td", {}, differs ? "differs" : "the same"),
      );
    });
    this.#runs.show(this.#other);
    if (!this.#pick.isConnected) this.#place.replaceChildren(this.#head(), this.#pick, this.#table);
    this.#table.replaceChildren(
      el("p", {}, this.#parting()),
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...["", "This run", "The other run", ""].map((title) => (title ? el("th", { scope: "col" }, title) : el("td"))))),
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

// The head of a run: how it ended, and why.

import { answersIn } from "./answers.js";
import { button, el, icon, plural, textBlock } from "./dom.js";
import { lastMessage } from "./conversation.js";
import { markdown } from "./markdown.js";
import { headOf } from "./open_words.js";
import { usageOf } from "./outcome_words.js";
import { isReview } from "./review.js";
import { BUSY } from "./run_status.js";
import { saveRun } from "./saved_file.js";
import { isPrivate } from "./state_view.js";
import { saveTrace } from "./trace_file.js";
import { valueTree } from "./value_tree.js";

export class HeadView {
  #place;
  #left;
  #actions;
  #print = "";
  #run = null;
  #graph = null;
  /** Of a review: how many fields are decided, of how many. */
  #progress = null;

  /** @param {HTMLElement} place @param {HTMLElement} left for what a graph without an answer left behind
   * @param {{fork: Function, compare: Function, copy: Function}} actions
   */
  constructor(place, left, actions) {
    this.#place = place;
    this.#left = left;
    this.#actions = actions;
  }

  /** @param {import("./run_types.js").Run} run @param {{name: string, description?: string, outputs?: string[], reasons?: Map<string, string[]>}} graph */
  show(run, graph) {
    [this.#run, this.#graph] = [run, graph];
    const head = headOf(run);
    if (!isReview(run.interrupts)) this.#progress = null;
    if (this.#progress) head.rest = `: ${this.#progress[0]} of ${plural(this.#progress[1], "field")} decided`;
    const usage = usageOf(run);
    const print = JSON.stringify([head, usage, run.thread, run.status, run.steps.length > 0, graph]);
    if (print !== this.#print)
      this.#place.replaceChildren(...(run.thread || run.status !== "none" ? this.#head(run, graph, head, usage) : empty(graph)));
    this.#print = print;
    this.#showLeft(run, graph.outputs ?? []);
  }

  /** A review says how far it is. */
  tell(done, of) {
    this.#progress = [done, of];
    if (this.#run) this.show(this.#run, this.#graph);
  }

  #head(run, { name, reasons }, { tone, icon: sign, word, rest, but, why }, usage) {
    const failed = run.steps.findLast(({ state, checkpoint }) => state === "failed" && checkpoint);
    return [
      el(
        "div.title",
        {},
        el("span.disc", { "data-tone": tone }, icon(sign)),
        el("h1", { "data-tone": tone }, el("b", {}, word), rest, but && el("span.but", { "data-tone": but.tone }, but.text)),
      ),
      el(
        "div.actions",
        {},
        this.#progress?.[1] > 1 && el("span.boxes", { "aria-hidden": "true" }, ...Array.from({ length: this.#progress[1] }, (_, at) => el("i", { "data-on": at < this.#progress[0] }))),
        failed && button("Go on from here", () => this.#actions.fork(failed), { kind: "small", icon: "fork" }),
        run.thread && button("Copy link", this.#actions.copy, { kind: "small", icon: "link" }),
        ...(run.thread && run.steps.length > 0 && !BUSY.includes(run.status) ? this.#saves(reasons, name) : []),
        run.thread && run.steps.length > 0 && button("Compare", this.#actions.compare, { kind: "small", icon: "compare" }),
      ),
      // A foreign text that turns the direction of writing turns its own sentence alone.
      why.some(Boolean) && el("div.why", {}, ...why.filter(Boolean).flatMap((sentence) => [textBlock(sentence, "bdi"), " "])),
      usage.facts.length > 0 &&
        el(
          "p.usage",
          {},
          ...usage.facts.map(([figure, word, isLimit]) => el("span", { "data-limit": isLimit && "true" }, el("b", {}, figure), ` ${word}`, isLimit && ": the limit")),
          ...share(usage),
          usage.isUnknown && el("span", {}, "Tokens are not known: no model reported any."),
        ),
    ].filter(Boolean);
  }

  #saves = (reasons, name) => [
    button("Save the run", () => saveRun(this.#run, reasons, name), { kind: "small" }),
    button("Save its trace", () => saveTrace(this.#run, name), { kind: "small", label: "Save its trace for viewers of OpenTelemetry" }),
  ];

  /** The last message and the state, where there is no answer to show; first what the graph declares as its output. */
  #showLeft(run, outputs) {
    const isOver = ["ended", "failed", "stopped", "unknown"].includes(run.status);
    const hasAnswer = answersIn(run.values).length > 0 || run.growing.length > 0;
    const values = Object.entries(run.values).filter(([key, value]) => key !== "messages" && !isPrivate(key, run.values) && value !== null);
    const { true: declared = [], false: rest = [] } = Object.groupBy(values, ([key]) => outputs.includes(key));
    const said = lastMessage(run.messages);
    this.#left.hidden = !isOver || hasAnswer || (!values.length && !said);
    const print = this.#left.hidden ? "" : JSON.stringify([said, values, declared.length]);
    if (print === this.#left.dataset.print) return;
    this.#left.dataset.print = print;
    this.#left.replaceChildren(
      said ? el("section", {}, el("h2", {}, "Last message"), markdown(said)) : "",
      ...(declared.length && declared.length < values.length ? [part("Output", declared), part("The rest of the state", rest)] : [part("State at the end", values)]),
    );
  }
}

const part = (title, entries) => (entries.length ? el("section", {}, el("h2", {}, title), valueTree(Object.fromEntries(entries))) : "");

function share({ corrections }) {
  if (!corrections) return [];
  const part = Math.round(corrections * 100);
  const bar = (name, width) => {
    const piece = el(`i.${name}`);
    piece.style.width = `${width}%`;
    return piece;
  };
  return [el("span.share", { "aria-hidden": "true" }, bar("turns", 100 - part), bar("corrections", part)), el("span", {}, `${part} % of them for corrections`)];
}

const empty = ({ name, description }) => [
  el(
    "div.empty",
    {},
    el("h1", {}, name ?? "answergraph"),
    el("p", {}, description ?? ""),
    el("p.hint", {}, "A run appears here: how it ended and why, what each step decided, and where each value comes from. Start one below, or open a thread."),
  ),
];

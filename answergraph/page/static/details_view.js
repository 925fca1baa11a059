// What is told beside the graph: of the step that was chosen, or of the value whose place was asked for.

import { cut } from "./message_list.js";
import { textOf } from "./conversation.js";
import { button, el, lasted, plural, shown } from "./dom.js";
import { evidence } from "./evidence_view.js";
import { amount } from "./step_usage.js";
import { brief } from "./timeline.js";
import { branch } from "./value_tree.js";

export class DetailsView {
  #place;
  #actions;
  #opener = null;

  /** @param {HTMLElement} place @param {{fork: Function, edit: Function, outermost: (step: object) => object|undefined, goTo: Function}} actions */
  constructor(place, actions) {
    this.#place = place;
    this.#actions = actions;
  }

  clear() {
    this.#forget();
    this.#place.hidden = true;
    this.#place.replaceChildren();
  }

  /** Show the place that supports a value, or the one nearest to it. @param {object} what @param {HTMLElement} opener */
  evidence(what, opener) {
    this.#forget();
    this.#opener = opener;
    opener?.setAttribute("aria-expanded", "true");
    this.#fill(what.title, [], evidence(what, this.#actions.goTo));
    this.#place.querySelector("mark")?.scrollIntoView({ block: "nearest" });
    this.#place.scrollIntoView({ block: "nearest" });
    this.#place.focus({ preventScroll: true });
  }

  /** Show what a step did. @param {object} row of the timeline */
  step(row) {
    const { step } = row;
    this.#forget();
    // A run goes on from a state of the outermost graph.
    const from = this.#actions.outermost?.(step);
    const tools = from
      ? [
          button(from === step ? "Fork here" : `Fork before ${from.node}`, () => this.#actions.fork(from), { kind: "small", icon: "fork" }),
          button(from === step ? "Edit the state" : `Edit the state before ${from.node}`, () => this.#actions.edit(from), { kind: "small", icon: "edit" }),
        ]
      : [];
    const parts = row.message ? this.#call(row) : this.#visit(row);
    this.#fill(`Step ${step.number}, ${row.name}`, tools, [this.#actions.outermost && from !== step && el("p.hint", {}, beyond(from)), ...parts]);
  }

  #visit({ step, then, took, tokens, cost, what, attempt }) {
    const facts = {
      state: step.state === "done" ? null : step.state,
      time: lasted(took),
      tokens: tokens || null,
      cost: cost ? amount(cost) : null,
      then: then || step.next.join(", "),
      inside: step.inside || null,
      error: step.error,
    };
    const written = Object.entries(step.wrote ?? {});
    return [
      el("p", {}, what),
      factList(facts),
      attempt &&
        factList({ strategy: attempt.strategy, "what the model was told": attempt.error, repairs: attempt.repairs?.join("; ") }),
      written.length > 0 && el("h3", {}, "What it changed in the state"),
      ...written.map(([key, value]) => change(key, value)),
      ...[step.wrote?.messages ?? []]
        .flat()
        .filter((message) => message?.content || message?.tool_calls?.length)
        .slice(0, 6)
        .map((message) => this.#message(message)),
    ];
  }

  #call({ message, what }) {
    return [el("p", {}, what), this.#message(message)];
  }

  #message(message) {
    const text = textOf(message);
    return el(
      "div.passage",
      {},
      el(
        "p",
        {},
        el("span", {}, message.name ?? message.type ?? "message"),
        message.id && this.#actions.goTo ? button("Go to the message", () => this.#actions.goTo(message.id), { kind: "quiet" }) : null,
      ),
      text && cut(text),
      ...(message.tool_calls ?? []).map(({ name, args }) =>
        el("p.call", {}, el("code.tool", {}, name), " ", el("code", {}, JSON.stringify(args))),
      ),
    );
  }

  #fill(title, tools, parts) {
    this.#place.hidden = false;
    this.#place.setAttribute("aria-label", title);
    const close = button("", () => this.clear(), { kind: "bare", icon: "cross", label: "Close the details" });
    this.#place.replaceChildren(el("div.bar", {}, el("h2", {}, title), ...tools, close), ...parts.filter(Boolean));
  }

  #forget() {
    this.#opener?.setAttribute("aria-expanded", "false");
    this.#opener = null;
  }
}

/** Why a run does not go on from a step inside a subgraph. */
const beyond = (from) =>
  from
    ? `A run continues only from a state of the outermost graph: from before ${from.node}, which then runs again from its first step.`
    : "A run cannot continue from here: which step of the outermost graph this one belongs to is not known.";

function factList(facts) {
  const rows = Object.entries(facts)
    .filter(([, value]) => value)
    .flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, shown(value))]);
  return rows.length ? el("dl.facts", {}, ...rows) : null;
}

/** What a node wrote to one key. */
function change(key, value) {
  if (key === "messages")
    return el("div.change", { "data-sign": "+" }, el("span", {}, `messages: adds ${plural([value].flat().length, "message")}`));
  const isLong = value !== null && typeof value === "object" && JSON.stringify(value).length > 160;
  return el("div.change", { "data-sign": value === null ? "−" : "~" }, isLong ? el("span", {}, `${key}: `, branch(value)) : el("span", {}, `${key}: ${brief(value, 400)}`));
}

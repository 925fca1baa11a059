// A run as rows: each visit of a node with what it decided, and why the run went on as it did. Knows no elements.

import { decisionOf, stageRow, stagesOf } from "./decisions.js";
import { countOf, outcomeIn, reportIn, verdictOf } from "./answers.js";
import { textOf } from "./conversation.js";
import { counted, listed, plural, tallied } from "./dom.js";
import { edgeKey } from "./graph_layout.js";
import { notesOfAnswer, notesOfCall } from "./step_notes.js";
import { usageIn } from "./step_usage.js";
import { messagesIn } from "./steps.js";

const ANSWER_NODES = new Set(["structured_response", "no_answer"]);
const CORRECTION = "answergraph-correction-";
const LONGEST = 120;
/** Of a row where an answer was read, or that holds one; any other status is no good end. */
const TONES = { answered: "ok", abstained: "honest", deferred: "away" };

export const isCorrection = ({ id, additional_kwargs: marks }) =>
  Boolean(marks?.answergraph || String(id ?? "").startsWith(CORRECTION));

/** One line of a text. */
export function brief(value, longest = LONGEST) {
  const text = (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).trim().replace(/\s+/g, " ");
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  // A text ends at a word, unless that one is long.
  const words = cut.slice(0, cut.lastIndexOf(" "));
  return `${words.length > longest / 2 ? words : cut}…`;
}
const firstSentence = (text) => brief(text.match(/^[\s\S]*?[.!?](?=\s|$)/)?.[0] ?? text);
const argumentsOf = (args) =>
  brief(Object.values(args ?? {}) .map((value) => brief(value, 40)) .join(", "), 80);
const sizeOf = (text) => plural(text.split("\n").length, "line");

/** What a visit of a node was, by what it has written. */
export function kindOf({ node, wrote }) {
  if (ANSWER_NODES.has(node) || outcomeIn(wrote)) return "answer";
  const types = messagesIn(wrote).map(({ type }) => type);
  return types.includes("ai") ? "model" : types.includes("tool") ? "tool" : "plain";
}

/** Tells of the steps of one run. */
export class Timeline {
  #bySpace;
  #reasons;
  #calls = new Map();
  #attempts = new Map();
  /** The outcomes of the agents in this run, by the space they ran in. */
  #outcomes = new Map();
  /** The stages of the judges in this run, by the space they ran in. */
  #stages = new Map();
  #isWhole;
  /** The calls that are carried out elsewhere. */
  #pending;

  /** @param {import("./run_types.js").Run} run @param {Map<string, string[]>} reasons */
  constructor({ steps, messages, outcome, olderSteps }, reasons) {
    this.#isWhole = !olderSteps;
    this.#pending = outcome?.pending ?? [];
    this.#bySpace = Map.groupBy(steps, ({ space }) => space);
    this.#reasons = reasons;
    for (const message of [...messages, ...steps.flatMap(({ wrote }) => messagesIn(wrote))])
      for (const call of message.tool_calls ?? []) this.#calls.set(call.id, call);
    for (const [space, own] of this.#bySpace) {
      const found = own.map(({ wrote }) => outcomeIn(wrote)).findLast(Boolean) ?? (space ? null : outcome);
      this.#outcomes.set(space, found);
      this.#stages.set(space, stagesOf(own));
      this.#readAttempts(own, found?.attempts ?? []);
    }
  }

  /** Which visit read which attempt: by the message where the outcome names it, else in the order of the visits. */
  #readAttempts(steps, attempts) {
    const visits = steps.filter(({ node }) => ANSWER_NODES.has(node));
    let last = null;
    const readBy = new Map();
    for (const step of steps) {
      if (visits.includes(step)) readBy.set(last, step.id);
      last = messagesIn(step.wrote).findLast(({ type }) => type === "ai")?.id ?? last;
    }
    for (const [index, attempt] of attempts.entries()) {
      const id = attempt.message_id
        ? readBy.get(attempt.message_id)
        : visits.length === attempts.length
          ? visits[index].id
          : undefined;
      if (id) this.#attempts.set(id, { ...attempt, number: index + 1 });
    }
  }

  /** The rows of one space. @returns {object[]} */
  rows(space = "", depth = 0) {
    const steps = this.#bySpace.get(space) ?? [];
    const besides = new Map();
    for (const { number } of steps) besides.set(number, (besides.get(number) ?? 0) + 1);
    return steps.map((step) => ({ ...this.#row(step), depth, isParallel: besides.get(step.number) > 1 }));
  }

  /** What stands below a row once it is opened. */
  below({ parts, step, depth }) {
    return [...(parts ?? []).map((part) => ({ ...part, depth: depth + 1 })), ...this.rows(step.childSpace, depth + 1)];
  }

  #row(step) {
    const inner = step.childSpace ? (this.#bySpace.get(step.childSpace) ?? []) : [];
    const messages = messagesIn(step.wrote);
    const row = {
      id: step.id,
      step,
      number: this.#isWhole || step.space ? step.number : null,
      name: step.node,
      then: this.#then(step),
      ...usageIn(messages),
      took: step.ended === null || step.began === null ? null : step.ended - step.began,
      tone: null,
      parts: null,
      hasMore: inner.length > 0 || step.hasInside,
    };
    const told = { ...row, ...this.#told(step, messages, inner) };
    const narrowed = this.#outcomes.get(step.space)?.narrowed;
    const notes = told.kind === "model" ? notesOfCall(messages, narrowed) : told.kind === "answer" ? notesOfAnswer(told.attempt) : [];
    if (!notes.length) return told;
    return { ...told, parts: notes.map((note, index) => part(step, index, { kind: "note", ...note })), hasMore: true, isOpen: true };
  }

  #told(step, messages, inner) {
    const kind = kindOf(step);
    const isNested = kind !== "tool" && (inner.length > 0 || step.hasInside);
    const plain = isNested ? "subgraph" : "plain";
    if (step.isUntold) return { kind, what: "the server does not tell what this step wrote" };
    if (step.state === "failed") return { kind: isNested ? plain : kind, what: brief(step.error ?? "failed"), tone: "no" };
    if (step.state === "waits") return { kind: plain, what: "waits for you", tone: "you" };
    if (step.state === "stopped") return { kind: plain, what: "stopped here", tone: "you" };
    if (step.state === "running") return { kind: plain, what: inner.length ? plural(inner.length, "step") : "at work" };
    const stage = this.#stages.get(step.space)?.get(step.node);
    if (stage) return { ...stageRow(stage), what: brief(`${stage.status.replaceAll("_", " ")}: ${stage.reason}`) };
    if (isNested) return this.#subgraph(step, inner);
    if (kind === "answer") return this.#answer(step, messages);
    if (kind === "model") return { kind, what: this.#said(messages, step) };
    if (kind === "tool") return this.#tools(step, messages.filter(({ type }) => type === "tool"), inner);
    return { kind, what: brief(decisionOf(step.wrote)) || changes(step.wrote) };
  }

  #said(messages, step) {
    const message = messages.findLast(({ type }) => type === "ai");
    const names = (message.tool_calls ?? []).map(({ name }) => name);
    // LangChain's agent reads an answer in the step that asks for it.
    const { structured_response: answer = null } = step.wrote;
    if (answer !== null) return ["answers", listed(names)].filter(Boolean).join(" with ");
    const readBy = step.next.some((next) => ANSWER_NODES.has(next));
    const waits = this.#pending.filter(({ id }) => message.tool_calls?.some((call) => call.id === id));
    if (waits.length) return `waits for the result of ${listed(waits.map(({ name }) => name))}`;
    if (readBy && names.length) return `answers with ${listed(names)}`;
    if (names.length) return `calls ${listed(tallied(names))}`;
    const text = textOf(message);
    return text ? `“${firstSentence(text)}”` : "says nothing";
  }

  #tools(step, results, inner) {
    // Graphs that a tool has run.
    const inside = inner.length > 0 && plural(inner.length, "step");
    const used = usageIn(inside ? this.#messagesInside(step.childSpace) : []);
    const parts = results.map((message, index) => {
      const args = argumentsOf(this.#calls.get(message.tool_call_id)?.args);
      const text = textOf(message);
      const isWrong = message.status === "error";
      return part(step, index, {
        message,
        kind: "tool",
        name: message.name ?? "tool",
        what: isWrong ? brief(text) : [args, text.includes("\n") ? sizeOf(text) : brief(text, 60)].filter(Boolean).join(" · "),
        tone: isWrong ? "no" : null,
      });
    });
    if (parts.length === 1)
      return { kind: "tool", ...used, ...only(parts[0]), what: [parts[0].what, inside].filter(Boolean).join(" · ") };
    return {
      kind: "tool",
      what: [`${plural(parts.length, "call")}, side by side`, inside].filter(Boolean).join(" · "),
      ...used,
      parts,
      hasMore: true,
      isOpen: parts.length < 6 && !inside,
    };
  }

  #answer(step, messages) {
    const attempt = this.#attempts.get(step.id);
    const outcome = outcomeIn(step.wrote);
    if (attempt && attempt.status !== "answered" && attempt.status !== "abstained")
      return { kind: "answer", tone: "no", what: wrongWith(attempt), attempt };
    if (outcome?.status === "answered" || attempt?.status === "answered") {
      const found = outcome ? countOf(outcome, "supported") : 0;
      return { kind: "answer", tone: "ok", what: `accepted${found ? `, ${plural(found, "passage")} found` : ""}`, attempt };
    }
    if (outcome?.status)
      return { kind: "answer", tone: TONES[outcome.status] ?? "no", what: brief(outcome.reason ?? outcome.status), attempt };
    const correction = messages.find((message) => isCorrection(message) || message.status === "error");
    if (correction) return { kind: "answer", tone: "no", what: `sent back: ${firstSentence(textOf(correction))}`, attempt };
    return { kind: "answer", what: messages.length ? brief(textOf(messages.at(-1))) : changes(step.wrote), attempt };
  }

  #subgraph(step, inner) {
    const messages = this.#messagesInside(step.childSpace);
    const calls = messages.filter(({ type, id }) => type === "tool" && !isCorrection({ id })).length;
    const report = reportIn(step.wrote);
    const counts = [plural(inner.length, "step"), calls && plural(calls, "tool call")].filter(Boolean).join(", ");
    const told = [brief(decisionOf(step.wrote)), inner.length && counts].filter(Boolean).join(" · ") || changes(step.wrote);
    const used = usageIn(messages);
    const stages = [...(this.#stages.get(step.childSpace)?.values() ?? [])].reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
    if (!report) return { kind: "subgraph", what: told, ...used, tokens: used.tokens + stages };
    return {
      kind: "subgraph",
      name: report.test ?? report.case ?? step.node,
      ...used,
      what: [verdictOf({ outcome: report, answer: report.answer }) ?? report.status, told].join(" · "),
      tone: TONES[report.status] ?? "no",
    };
  }

  /** What was written in a subgraph, at all levels; a graph writes what its subgraph has written once more. */
  #messagesInside(space) {
    const written = (inner) =>
      (this.#bySpace.get(inner) ?? []).flatMap(({ wrote, childSpace }) => [...messagesIn(wrote), ...(childSpace ? written(childSpace) : [])]);
    return [...new Map(written(space).map((message) => [message.id ?? message, message])).values()];
  }

  #then({ inside, node, next }) {
    const reasons = next.map((target) => ({ target, reasons: this.#reasons.get(edgeKey(inside, node, target)) ?? [] }));
    return reasons
      .map(({ target, reasons: names }) => (names.length ? `${target === "__end__" ? "■" : "→"} ${names.join(" or ")}` : ""))
      .filter(Boolean)
      .join(", ");
  }
}

/** A row below that of its step. */
const part = (step, index, row) => ({ id: `${step.id}/${index}`, step, number: null, then: "", tokens: 0, cost: 0, took: null, tone: null, ...row });
const only = ({ name, tone, message }) => ({ name, tone, message });

/** What was wrong with an attempt, in one line that names the field. @param {object} attempt @param {number} [longest] */
export function wrongWith({ fields, error, status }, longest) {
  const [first, ...rest] = Object.entries(fields ?? {});
  if (first)
    return `${first[0]}: ${brief(first[1], longest)}${rest.length ? ` (and ${rest.length} more)` : ""}`;
  const [heading, ...lines] = (error ?? status).split("\n");
  return brief(heading.endsWith(":") && lines[0] ? lines[0].replace(/^\s*- /, "") : heading, longest);
}

/** What a node has changed in the state, in one line. */
export function changes(wrote) {
  const parts = Object.entries(wrote ?? {}).map(([key, value]) => {
    if (key === "messages") return `writes ${plural([value].flat().length, "message")}`;
    return Array.isArray(value) ? `${counted(value.length)} in ${key}` : `sets ${key}`;
  });
  return parts.length ? listed(parts) : "changes nothing";
}

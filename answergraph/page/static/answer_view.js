// The growing answers, the outcome with its attempts, and each piece of evidence in the text it came from.

import { answersIn, cutAt } from "./answers.js";
import { textOf } from "./conversation.js";
import { el, newId, shown, textBlock } from "./dom.js";

/** How much of a source is shown on either side of the evidence, in characters. */
const AROUND = 3000;

export class AnswerView {
  #place;
  #toolResult;
  #goTo;
  #shown = "";

  /** @param {HTMLElement} place @param {(callId: string) => object} toolResult @param {(messageId: string) => void} goTo */
  constructor(place, toolResult, goTo) {
    this.#place = place;
    this.#toolResult = toolResult;
    this.#goTo = goTo;
  }

  /** Show what is known; what did not change stays as it is, so that an opened source stays open. */
  show({ values, growing: onTheirWay }) {
    const records = answersIn(values);
    const growing = onTheirWay.filter(({ status }) => status !== "accepted" || !records.length);
    const key = JSON.stringify([records, growing]);
    if (key === this.#shown) return;
    this.#shown = key;
    const cards = [...growing.map(growingCard), ...records.map((record) => this.#card(record))];
    this.#place.replaceChildren(...(cards.length ? cards : [el("p.hint", {}, "No answer yet.")]));
  }

  #card({ title, answer, outcome, sources }) {
    const { status, reason, evidence, attempts } = outcome;
    return el("article.answer", { "data-status": status },
      el("h3", {}, title, " ", el("span.badge", { "data-status": status }, status)),
      el("p", {}, reason ?? ""),
      answer === null ? null : textBlock(shown(answer), "pre.text.value"),
      this.#evidence(evidence ?? {}, sources),
      attempts?.length ? attemptList(attempts) : null,
      facts(outcome),
    );
  }

  #evidence(evidence, sources) {
    const pieces = Object.entries(evidence);
    if (!pieces.length) return null;
    return el("section", {}, el("h4", {}, "Evidence"),
      el("ul.evidence", {}, ...pieces.map(([path, [callId, start, end]]) => this.#piece(path, callId, start, end, sources))));
  }

  #piece(path, callId, start, end, sources) {
    const message = sources[callId] ? null : this.#toolResult(callId);
    const source = sources[callId] ?? (message && { tool: message.name, text: textOf(message) });
    if (!source) return el("li", {}, el("code", {}, path), ` is supported by the call ${callId}, whose result is not shown here.`);
    const cut = cutAt(source.text, start, end);
    const id = newId("source");
    const place = el("div.source", { id, hidden: true, role: "region", tabindex: "-1", "aria-label": `Where ${path} comes from` });
    const button = el("button.piece", { type: "button", "aria-expanded": "false", "aria-controls": id },
      el("code", {}, path), " ", el("q", {}, cut[1].length > 200 ? `${cut[1].slice(0, 200)}…` : cut[1]));
    button.addEventListener("click", () => {
      place.hidden = !place.hidden;
      button.setAttribute("aria-expanded", String(!place.hidden));
      if (place.hidden) return;
      place.replaceChildren(...this.#source(source, cut, message));
      place.scrollIntoView({ block: "nearest" });
      place.querySelector("mark").scrollIntoView({ block: "nearest" });
      place.focus({ preventScroll: true });
    });
    return el("li", {}, button, place);
  }

  #source({ tool, args, text }, [before, marked, after], message) {
    const call = args ? `${tool} ${JSON.stringify(args)}` : (tool ?? "a tool");
    const left = before.length > AROUND ? `… ${before.slice(-AROUND)}` : before;
    const right = after.length > AROUND ? `${after.slice(0, AROUND)} …` : after;
    return [
      el("p", {}, "From ", el("code", {}, call), `, ${text.length.toLocaleString("en")} characters`,
        message ? el("button.quiet", { type: "button", onclick: () => this.#goTo(message.id) }, "Go to the message") : null),
      el("pre.text", { tabindex: "0", "aria-label": "The tool's result" }, left, el("mark", {}, marked), right),
    ];
  }
}

function growingCard({ status, attempt, schema, value, reason, agent, key }) {
  const title = [agent, key].filter(Boolean).join(" · ");
  return el("article.answer.growing", { "data-status": status },
    el("h3", {}, title, " ", el("span.badge", { "data-status": status }, status)),
    el("p", {}, `Attempt ${attempt}${schema ? ` at ${schema}` : ""}${reason ? `: ${reason}` : ""}`),
    value === null ? null : textBlock(shown(value), "pre.text.value"));
}

function attemptList(attempts) {
  const items = attempts.map(({ strategy, schema, status, error, repairs }) =>
    el("li", {}, el("span.badge", { "data-status": status }, status), ` ${[strategy, schema].filter(Boolean).join(" · ")}`,
      error ? textBlock(shown(error)) : null,
      repairs?.length ? el("p", {}, `Mended: ${repairs.map(shown).join("; ")}`) : null));
  return el("details", { open: attempts.length > 1 },
    el("summary", {}, `Attempts: ${attempts.length}`), el("ol.attempts", {}, ...items));
}

function facts({ strategy, schema, narrowed, usage }) {
  const rows = Object.entries({ strategy, schema, narrowed, usage })
    .filter(([, value]) => value && (!Array.isArray(value) || value.length))
    .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "string" ? value : JSON.stringify(value))]);
  return rows.length ? el("details", {}, el("summary", {}, "More of the outcome"), el("dl", {}, ...rows)) : null;
}

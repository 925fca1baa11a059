// The answers of a run, each as a table: a row for each field, a column for each attempt, and what was wrong in the cell where it was.

import { answersIn, attemptValues, fieldKey, fieldsOf, placeOf, recordsOf, verdictOf } from "./answers.js";
import { caseAround, MAX_ANSWERS } from "./cases.js";
import { breakable, button, el, icon, newId, plural, shown, textBlock } from "./dom.js";
import { lineOf } from "./evidence_view.js";
import { statusWords } from "./outcome_words.js";
import { brief } from "./timeline.js";

/** What is said of a value that nothing supports, or not it alone. */
const UNSUPPORTED = { unchecked: "not checked", ambiguous: "ambiguous: it may be another one", derived: "computed from other fields", given: "given, not read" };

/** From how many attempts on those in the middle have one column together. */
const MAX_COLUMNS = 5;

export class AnswerView {
  #place;
  #source;
  #open;
  #showCases;
  #print = "";

  /** @param {HTMLElement} place @param {(callId: string, sources: object) => object} source the result of a call
   * @param {(what: object, button: HTMLElement) => void} open shows a value's place in its source
   * @param {() => void} showCases shows the answers that are too many to stand here
   */
  constructor(place, source, open, showCases) {
    this.#place = place;
    this.#source = source;
    this.#open = open;
    this.#showCases = showCases;
  }

  /** Show what is known; what did not change stays as it is, so that what was opened stays open.
   * @param {import("./run_types.js").Run} run @param {Map<string, object>} cases by their space
   */
  show(run, cases) {
    const records = answersIn(run.values);
    const isOver = ["ended", "failed", "stopped", "none"].includes(run.status);
    const isHere = ({ status, space }) =>
      (status !== "accepted" || !records.length) && (cases.size <= MAX_ANSWERS || !caseAround(space, cases));
    const growing = isOver ? [] : run.growing.filter(isHere);
    const print = JSON.stringify([records, growing, run.thread]);
    if (print === this.#print) return;
    this.#print = print;
    const isMany = records.length > MAX_ANSWERS;
    const cards = isMany
      ? [button(`${plural(records.length, "answer")}, by case`, this.#showCases)]
      : records.map((record) => this.card(record, run.messages));
    this.#place.replaceChildren(...growing.map(growingCard), ...cards);
  }

  /** Make the element of one answer. */
  card(record, messages) {
    const { title, outcome } = record;
    const { tone, icon: sign } = statusWords(outcome.status);
    const badge = el("span.badge", { "data-tone": tone }, icon(sign), outcome.status);
    const verdict = verdictOf(record);
    const heading = [el("h2", {}, title, badge, verdict && el("span.hint", {}, verdict)), outcome.status !== "answered" && outcome.reason && el("p", {}, outcome.reason)];
    return el("article.answer", { "data-status": outcome.status }, ...(title === "structured_response" ? [] : heading), this.#table(record, messages), this.#more(outcome));
  }

  #table({ answer, outcome, sources }, messages) {
    const attempts = outcome.attempts ?? [];
    const columns = columnsOf(attempts, answer, Object.keys(sources).length ? [] : attemptValues(attempts, messages));
    if (!columns.length) return null;
    const records = recordsOf(outcome);
    const keys = new Set(columns.flatMap(({ fields, problems }) => [...problems.keys(), ...fields.keys()]));
    const wrong = [...keys].filter((key) => columns.some(({ problems }) => problems.has(key)));
    const rows = [...wrong, ...[...keys].filter((key) => !wrong.includes(key))].map((key) => {
      const named = columns.flatMap(({ fields, problems }) => [problems.get(key)?.[0]?.path, fields.get(key)?.name]);
      return { key, name: records.get(key)?.path ?? named.find((each) => each !== undefined) ?? "", record: records.get(key) };
    });
    const head = columns.map(({ title, said, tone }, index) =>
      el("th", { scope: "col", "data-tone": tone, "data-first": index, "data-last": index }, title, " ", el("span", {}, said)),
    );
    const table = el(
      "table",
      {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Field"), ...head)),
      el(
        "tbody",
        {},
        ...rows.map((row) =>
          el("tr", {}, el("th", { scope: "row" }, ...(row.name ? breakable(row.name) : ["whole answer"])), ...this.#cells(row, columns, sources)),
        ),
      ),
    );
    table.style.setProperty("--columns", columns.length);
    return columns.length > 1 ? el("div", {}, chooser(table, columns), table) : table;
  }

  /** One cell for each column; what stayed the same, and nothing was said against, is one cell across them. */
  #cells(row, columns, sources) {
    const cells = [];
    for (const [index, column] of columns.entries()) {
      const before = cells.at(-1);
      const value = column.fields.get(row.key)?.value;
      const problems = column.problems.get(row.key) ?? [];
      const isSame = index > 0 && column.fields.has(row.key) && shown(columns[index - 1].fields.get(row.key)?.value) === shown(value);
      if (isSame && !problems.length && !before.problems.length)
        Object.assign(before, { span: before.span + 1, column, last: index });
      else cells.push({ value, problems, column, isSame: isSame && problems.length > 0, span: 1, first: index, last: index });
    }
    return cells.map((cell) => this.#cell(cell, row, sources));
  }

  #cell({ value, problems, column, isSame, span, first, last }, { key, name, record }, sources) {
    const accepted = column.isAccepted ? record : null;
    const text = isSame
      ? el("span.same", {}, "unchanged")
      : column.fields.has(key)
        ? textBlock(shown(value), "div.value")
        : el("span.same", {}, column.isUnknown || !name ? "" : "not given");
    return el(
      "td",
      { colspan: span > 1 ? span : null, "data-tone": problems.length ? "no" : null, "data-first": first, "data-last": last },
      text,
      ...problems.map(({ sentence }) => this.#problem(sentence, column.isLast ? record?.nearest : null, name, value, column)),
      ...(accepted?.evidence ?? []).map((piece) => this.#chip(name, piece, sources)),
      accepted &&
        (!accepted.evidence.length || accepted.status === "ambiguous") &&
        el("span.unmarked", {}, UNSUPPORTED[accepted.status] ?? accepted.status.replaceAll("_", " ")),
      ...((column.isLast && record?.others) || []).map((piece) => this.#chip(name, piece, sources, "Another value of")),
    );
  }

  #problem(sentence, nearest, name, value, { number }) {
    const said = el("p.problem", {}, icon("cross"), el("span", {}, brief(sentence, 300)));
    if (!nearest) return said;
    const opens = button(
      "Nearest passage",
      ({ currentTarget }) =>
        this.#open(
          {
            title: `Attempt ${number}, ${name}`,
            ...placeOf(nearest, this.#source(nearest.source.id, {})),
            answer: shown(value),
            sentence,
          },
          currentTarget,
        ),
      { kind: "quiet" },
    );
    return el("div", {}, said, opens);
  }

  #chip(name, evidence, sources, what = "Evidence for") {
    const { source, start, end } = placeOf(evidence, this.#source(evidence.source.id, sources));
    if (!source) return el("span.unmarked", {}, `${what} it: the call ${evidence.source.id}, whose result is not shown here`);
    const [tool, line, isOther] = [source.tool ?? "tool", lineOf(source.text, start), what !== "Evidence for"];
    const chip = button(
      `${isOther ? "another value: " : ""}${tool} line ${line}`,
      ({ currentTarget }) => this.#open({ title: `${what} ${name}`, source, start, end }, currentTarget),
      { kind: "chip", icon: "quote", label: `${what} ${name}: ${tool}, line ${line}` },
    );
    chip.setAttribute("aria-expanded", "false");
    return chip;
  }

  #more({ strategy, schema, narrowed, usage, attempts }) {
    const mended = (attempts ?? []).flatMap(({ repairs, note }, index) =>
      [...(repairs ?? []), note].filter(Boolean).map((said) => `attempt ${index + 1}: ${shown(said)}`),
    );
    const facts = {
      strategy,
      schema,
      narrowed: narrowed?.map(({ middleware, from, to }) => `${middleware}: ${from} to ${to.length ? to : "none"}`).join("; "),
      repaired: mended.join("; "),
      "tokens by cause": Object.entries(usage?.by_cause ?? {})
        .map(([cause, { total_tokens: total }]) => `${cause} ${total}`)
        .join(", "),
    };
    const rows = Object.entries(facts)
      .filter(([, value]) => value)
      .flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]);
    return rows.length
      ? el("details", { id: newId("more") }, el("summary", {}, "How it was asked for"), el("dl.facts", {}, ...rows))
      : null;
  }
}

/** Where there is little room one attempt is seen at a time. */
function chooser(table, columns) {
  const buttons = columns.map(({ title, said }, index) => button(`${title} ${said}`, () => see(index), { kind: "small" }));
  const see = (wanted) => {
    for (const cell of table.querySelectorAll("[data-first]"))
      cell.toggleAttribute("data-old", cell.dataset.first > wanted || cell.dataset.last < wanted);
    for (const [index, each] of buttons.entries()) each.setAttribute("aria-pressed", String(index === wanted));
  };
  see(columns.length - 1);
  return el("div.choose", {}, ...buttons);
}

/** The columns: each attempt, the accepted one last; the value alone where there was none. */
function columnsOf(attempts, answer, values) {
  const all = attempts.map(({ status, fields: wrong, error }, index) => {
    const isAccepted = status === "answered" || status === "abstained";
    const value = isAccepted && index === attempts.length - 1 ? (answer ?? values[index]) : values[index];
    const said = isAccepted ? "accepted" : index === attempts.length - 1 ? "the last" : "sent back";
    const named = Object.entries(wrong ?? {}).map(([path, sentence]) => ({ path, sentence }));
    const listed = named.length ? named : error ? [{ path: "", sentence: error }] : [];
    return {
      number: index + 1,
      title: `Attempt ${index + 1}`,
      said,
      tone: isAccepted ? "ok" : "no",
      fields: byKey(value),
      isAccepted,
      isLast: index === attempts.length - 1,
      isUnknown: value === undefined,
      problems: Map.groupBy(listed, ({ path }) => fieldKey(path)),
    };
  });
  if (!all.length && answer !== null && answer !== undefined)
    all.push({ number: 1, title: "Value", said: "", tone: null, fields: byKey(answer), problems: new Map(), isAccepted: true });
  if (all.length <= MAX_COLUMNS) return all;
  const hidden = all.slice(1, -2);
  const middle = { title: `${hidden.length} more`, said: "sent back", tone: "no", fields: new Map(), problems: new Map(), isUnknown: true };
  return [all[0], middle, ...all.slice(-2)];
}

/** The fields of a value by their key, each with the name that JSON has for it. */
const byKey = (value) => new Map([...fieldsOf(value)].map(([name, inner]) => [fieldKey(name), { name, value: inner }]));

function growingCard({ status, attempt, schema, value, reason, agent, key }) {
  const title = [agent, key !== "structured_response" && key].filter(Boolean).join(" · ");
  const said = status === "growing" ? "being written" : "sent back";
  const rows = [...fieldsOf(value)].map(([name, inner]) =>
    el("tr", {}, el("th", { scope: "row" }, ...breakable(name)), el("td", {}, el("div.value", {}, shown(inner)))),
  );
  return el(
    `article.answer${status === "growing" ? ".growing" : ""}`,
    { "data-status": status },
    el(
      "h2",
      {},
      `Attempt ${attempt}${schema ? ` at ${schema}` : ""}`,
      el("span.badge", { "data-tone": status === "growing" ? "running" : "no" }, said),
      title && el("span.hint", {}, title),
    ),
    reason && el("p.problem", {}, icon("cross"), el("span", {}, brief(reason, 300))),
    rows.length > 0 && el("table", {}, el("tbody", {}, ...rows)),
  );
}

// A file opened without a LangGraph server, by `answergraph page FILE`.

import { AnswerView } from "./answer_view.js";
import { el } from "./dom.js";
import { DetailsView } from "./details_view.js";
import { evaluationParts } from "./evaluation_view.js";
import { HeadView } from "./head_view.js";
import { LedgerView } from "./ledger_view.js";
import { RecordView } from "./record_view.js";
import { runOfTape, tapeRows } from "./tape_view.js";
import { Theme } from "./theme.js";
import { TimelineView } from "./timeline_view.js";
import { proofsOf } from "./record.js";

const at = (id) => document.getElementById(id);

/** What a view needs of a run that is over and not stored on a server. @returns {import("./run_types.js").Run} */
const runOf = ({ answer, outcome, messages = [], steps = [] }) => ({
  status: "ended", thread: null, runs: [], checkpoint: null, steps, messages, growing: [], interrupts: [], error: null, olderSteps: null, connection: { state: "idle" },
  values: { structured_response: answer, outcome }, outcome,
});

const head = new HeadView(at("head"), at("left"), {});
const record = new RecordView(at("record"));
const answers = new AnswerView(at("answers"), () => null, () => {}, () => {});

function showRun(saved) {
  const run = runOf(saved);
  head.show(run, {});
  const hasFields = Object.values(saved.outcome?.fields ?? {}).some(({ status }) => status !== "unchecked");
  at("record").hidden = !hasFields;
  record.show(hasFields ? saved : null);
  at("answers").hidden = hasFields && (saved.outcome.attempts ?? []).length < 2;
  if (!at("answers").hidden) answers.show(run, new Map());
}

/** A ledger has no documents: the passages stand for them. */
function documentsOf({ fields }) {
  const sources = Object.values(fields ?? {}).flatMap(({ evidence }) => evidence.map(({ source }) => source));
  return [...new Map(sources.map(({ id, name }) => [id, { id, name, text: "" }])).values()];
}

function showRow(row) {
  at("row").hidden = row === null;
  for (const id of ["head", "record", "answers"]) at(id).hidden = !row?.outcome;
  if (!row) return;
  const where = row.place ? `row ${row.place} of ${row.of}` : "";
  at("row").replaceChildren(el("b", {}, row.key ?? "No row has this key."), el("span", {}, row.outcome ? where : row.key && "It has not ended yet."));
  if (row.outcome) showRun({ answer: row.answer, outcome: row.outcome, documents: documentsOf(row.outcome) });
}

/** A run that the page saved: its steps, and what stands behind its answer. */
function showSavedRun({ run: saved, reasons }) {
  const run = { ...runOf(saved), ...saved };
  head.show(run, {});
  const proofs = proofsOf(run);
  at("record").hidden = !proofs;
  record.show(proofs);
  answers.show(run, new Map());
  at("timeline").hidden = false;
  const details = new DetailsView(at("details"), {});
  const nothing = () => {};
  const actions = { choose: (row) => details.step(row), inside: nothing, look: nothing, older: nothing, graph: nothing };
  new TimelineView(at("timeline"), at("scroll"), actions).show(run, new Map(reasons));
}

const SHOWN = {
  proofs: showRun,
  run: showSavedRun,
  tape({ records }) {
    const run = runOfTape(records);
    if (run.outcome) showRun(run);
    else at("head").append(el("h1", {}, "The tape has no end: the run was not recorded to it."));
    at("tape").hidden = false;
    at("tape").append(...tapeRows(records));
  },
  evaluation(report) {
    at("evaluation").hidden = false;
    at("evaluation").append(...evaluationParts(report));
  },
  async ledger(ledger) {
    at("ledger").hidden = at("map").hidden = false;
    showRow(null);
    const places = { head: at("map"), groups: at("ledger-groups"), rows: at("ledger-rows"), status: at("status"), error: at("error") };
    await new LedgerView(places, showRow).begin(ledger);
  },
};

async function begin() {
  const response = await fetch("opened");
  if (!response.ok) throw new Error(`The file cannot be read: ${response.status}.`);
  const opened = await response.json();
  at("description").textContent = opened.name;
  document.title = `${opened.name} · answergraph`;
  await SHOWN[opened.kind](opened);
}

new Theme(at("theme"), () => {});
begin()
  .catch((error) => ((at("error").textContent = error.message), (at("error").hidden = false)))
  .finally(() => (document.body.dataset.ready = "true"));

// The page: what is chosen, what runs, and which part shows it.

import * as address from "./address.js";
import { AnswerView } from "./answer_view.js";
import * as api from "./api.js";
import { Branching } from "./branching.js";
import { casesOf, placeIn } from "./cases.js";
import { CasesView } from "./cases_view.js";
import { CheckpointList } from "./checkpoint_list.js";
import { CompareView } from "./compare_view.js";
import { Composer, listAssistants } from "./composer.js";
import { textOf } from "./conversation.js";
import { DetailsView } from "./details_view.js";
import { divide } from "./divider.js";
import { GraphView } from "./graph_view.js";
import { HeadView } from "./head_view.js";
import { InterruptView } from "./interrupts.js";
import { MessageList } from "./message_list.js";
import { showNotice, watchConnection } from "./notice.js";
import { statusLine } from "./open_words.js";
import { statusWords, toldStatus } from "./outcome_words.js";
import { proofsOf } from "./record.js";
import { RecordView } from "./record_view.js";
import { RunList } from "./run_list.js";
import { RunStore } from "./run_store.js";
import { Selection } from "./selection.js";
import { StateView } from "./state_view.js";
import { StepChoice } from "./step_choice.js";
import { DrawnEdges, lightsOf, reasonsOf } from "./taken_path.js";
import { Tabs } from "./tabs.js";
import { Theme } from "./theme.js";
import { ThreadList } from "./thread_list.js";
import { TimelineView } from "./timeline_view.js";
import { atLast } from "./thread_reader.js";
import { TokenField } from "./token_field.js";

const CLOSED = { thread: null, run: null, checkpoint: null, step: null, compare: null };
const at = (id) => document.getElementById(id);
const guarded = (action) => async (...args) => {
  try {
    return await action(...args);
  } catch (error) {
    failed(error);
  }
};

const store = new RunStore();
const known = new Map();
let assistant = null;
let graph = null;
/** The keys that the graph declares as its output. */
let outputs = [];
let reasons = new Map();
let stood = "none";
let shownRun;
const selection = new Selection({ tab: openTab, place: openPlace, compare: (which) => compare.open(which) }, failed);
const choose = (change) => ((at("error").hidden = true), selection.choose(change));

const details = new DetailsView(at("details"), { fork: (step) => fork(step), edit: guarded(edit), outermost: (step) => branching.outermost(step), goTo });
const drawing = new GraphView({ place: at("drawing"), words: at("edges"), tools: at("graph-tools"), list: at("nodes") }, (place) => steps.inGraph(place));
const timeline = new TimelineView(at("timeline"), at("scroll"), {
  choose: (row) => steps.row(row),
  inside: guarded(({ childSpace }) => store.loadInside(childSpace)),
  look: ({ childSpace }) => store.loadInside(childSpace, false).catch(() => {}),
  older: guarded(() => store.loadOlderSteps()),
  graph: async () => (at("side").checkVisibility() || (await choose({ tab: "graph" })), drawing.focus()),
});
const steps = new StepChoice(store, () => ({ timeline, drawing, details }));
const showStepOfAddress = guarded((run) => steps.fromAddress(run));
const messages = new MessageList(at("messages"), at("scroll"));
const answers = new AnswerView(
  at("answers"),
  sourceOf,
  (what, opener) => (details.evidence(what, opener), at("side").checkVisibility() || choose({ tab: "graph" })),
  () => choose({ tab: "cases" }),
);
const showSteps = (step) => choose({ tab: "timeline", step });
const pages = api.pagesOf(() => store.run.thread);
const record = new RecordView(at("record"), () => known.get(assistant)?.graph_id, pages);
const cases = new CasesView(at("cases"), (record) => answers.card(record, store.run.messages), showSteps);
const head = new HeadView(at("head"), at("left"), {
  fork: (step) => fork(step),
  copy: () => navigator.clipboard?.writeText(location.href),
  compare: guarded(() => compare.ask(store.run)),
});
const branching = new Branching(store, choose, start);
const fork = guarded((step) => branching.fork(step));
const stateView = new StateView(at("state"), async (...changed) => {
  await branching.save(...changed);
  stateView.reset();
});
const compare = new CompareView(at("compare"), (other) => choose({ compare: other, ...(other && { run: store.run.id }) }));
const composer = new Composer((request) => start(request), () => selection.isReady());
const interrupts = new InterruptView(at("interrupts"), start, { look: () => choose({ tab: "timeline" }), told: (...progress) => head.tell(...progress), pages });
const tokenField = new TokenField(at("token"));
const threads = new ThreadList(at("threads"), at("find-thread"), {
  open: (id, { assistant_id: by } = {}) =>
    choose({ ...CLOSED, thread: id, ...(known.has(by) && { assistant: by }) }),
  failed,
});
const checkpoints = new CheckpointList(at("checkpoints"), (id) => choose({ checkpoint: id, run: null, step: null }));
const runs = new RunList(at("runs"), (run) => choose({ run, step: null }), {
  label: "The run of this thread",
  hint: "An earlier run. A message continues from the newest one.",
});
const tabs = new Tabs((tab) => choose({ tab }));
new Theme(at("theme"), () => {});
divide(at("divider"), at("side"));

function show(run) {
  const { graph_id: name = "", description } = known.get(assistant) ?? {};
  head.show(run, { name, description, outputs, reasons });
  const found = casesOf(run);
  const bySpace = new Map(found.map((each) => [each.step?.childSpace, each]));
  answers.show(run, bySpace);
  timeline.show(run, reasons);
  const doubtful = record.show(proofsOf(run));
  cases.show(found, run.thread);
  messages.show(run.messages, store.isBusy || run.status !== stood, (message) => placeIn(message, bySpace));
  stateView.show({ ...run, checkpoint: run.checkpoint ?? run.leftAt }, store.isBusy, nodeNames());
  compare.show(run, reasons);
  drawing.light(lightsOf(run.steps));
  const isAsking = !store.isBusy && !run.checkpoint && !run.leftAt;
  const asked = interrupts.show(isAsking ? run.interrupts : [], (isAsking && run.status === "deferred" && run.outcome?.pending) || [], run);
  tabs.offer({ review: asked > 0, record: doubtful !== null });
  tabs.count({ review: asked, record: doubtful ?? 0, timeline: run.steps.length, cases: found.length, messages: run.messages.length }, run.olderSteps);
  at("run").disabled = store.isBusy;
  at("stop").disabled = !store.isBusy || run.status === "sending"; // the server has nothing to stop yet
  at("checkpoint").hidden = run.checkpoint === null;
  at("description").textContent = firstWords(run) || (description ?? "");
  showNotice(at("notice"), run, () => store.retry());
  showStepOfAddress(run);
  runs.show(run);
  // The head says why a run failed.
  if (run.error && run.status !== "failed") failed(run.error, "run");
  else if (at("error").dataset.of === "run") at("error").hidden = true;
  say(statusLine(run));
}

const firstWords = ({ messages: all }) => textOf(all.find(({ type, inside }) => type === "human" && !inside) ?? {});
const nodeNames = () => [...new Set((graph?.nodes ?? []).map(({ id }) => String(id).split(":")[0]))].filter((id) => !id.startsWith("__"));

function failed(error, of = "page") {
  at("error").dataset.of = of;
  const text = typeof error === "string" ? error : (error.message ?? JSON.stringify(error));
  const said = error.error ? `${error.error}: ${text}` : text;
  if (at("error").textContent !== said) at("error").textContent = said;
  at("error").hidden = false;
}

function say(text) {
  if (at("status").textContent !== text) at("status").textContent = text;
}

async function start(request) {
  const context = composer.context();
  if (context === null || store.isBusy) return false;
  at("error").hidden = true;
  details.clear();
  stateView.reset();
  const isTaken = await store.start({ assistant_id: assistant, ...(Object.keys(context).length && { context }), ...request });
  // Also a run that nobody looks at any more stands in the list.
  if (isTaken) await threads.load().catch(failed);
  return isTaken;
}

/** A run has ended: the lists show it. */
async function listAgain({ status, thread }) {
  const ends = ["sending", "queued", "running", "stopping"].includes(stood) && !store.isBusy;
  stood = status;
  document.title =
    thread && status !== "none" ? `${statusWords(toldStatus(store.run)).word} · answergraph` : "answergraph: watch a run";
  if (!ends) return;
  await threads.load().catch(failed);
  if (at("checkpoints-box").open) await checkpoints.load(thread).catch(failed);
}

/** Draw a graph and ask for what it takes; what was drawn before is no picture of it. */
async function chooseAssistant(id) {
  assistant = id;
  graph = null;
  at("assistant").value = id;
  at("run").textContent = `Run ${known.get(id)?.graph_id ?? ""}`;
  at("input").setAttribute("aria-busy", "true");
  drawing.clear();
  show(store.run);
  const [drawn, found] = await Promise.all([api.graph(id), api.schemas(id)]);
  if (id !== assistant) return;
  graph = drawn;
  reasons = reasonsOf(graph);
  store.drawn = new DrawnEdges(graph);
  composer.make(found);
  outputs = Object.keys(found.output_schema?.properties ?? {});
  at("run").textContent = "Run";
  at("input").removeAttribute("aria-busy");
  try {
    drawing.draw(graph, known.get(id)?.name ?? id);
  } catch (error) {
    drawing.clear(`The graph cannot be drawn: ${error.message}`);
  }
  show(store.run);
}

async function edit(step) {
  await branching.fork(step);
  await choose({ tab: "state" });
  stateView.edit(store.run.values, store.run.checkpoint, nodeNames());
}

function openTab(tab, before) {
  tabs.open(tab);
  if (tab === "messages" && before !== "messages") messages.opened();
  if (tab !== before) show(store.run);
}

/** Open the graph and the run that a person has chosen. */
async function openPlace(wanted, before) {
  const named = known.has(wanted.assistant)
    ? wanted.assistant
    : [...known.values()].find(({ graph_id: name }) => name === wanted.assistant)?.assistant_id;
  const { thread, checkpoint, id: shown, runs: ofThread } = store.run;
  const newest = before.run && !wanted.checkpoint ? ofThread[0]?.run_id : shown;
  const isOpen = store.run.status !== "unread" && wanted.thread === (thread ?? undefined) && wanted.checkpoint === (checkpoint ?? undefined) && (wanted.run ?? newest) === shown;
  const id = named ?? assistant;
  await Promise.all([isOpen ? show(store.run) : openThread(wanted), (id !== assistant || !graph) && id && chooseAssistant(id)]);
}

async function openThread({ thread, run, checkpoint }) {
  details.clear();
  stateView.reset();
  at("rail").classList.remove("open");
  threads.mark(thread ?? null);
  if (!thread) {
    store.newThread();
    at("message").focus();
  } else if (checkpoint) {
    at("checkpoint-text").textContent = "This is an older state of the thread. A run from here begins a branch.";
    await store.openCheckpoint(thread, checkpoint);
  } else await store.openThread(thread, run);
  if (at("checkpoints-box").open) await checkpoints.load(thread ?? null);
}

/** The result of a call that an answer refers to. */
function sourceOf(call, sources) {
  if (sources[call]) return sources[call];
  const message = store.toolResult(call);
  return message ? { tool: message.name, text: textOf(message), message } : null;
}

function goTo(id) {
  choose({ tab: "messages" }).then(() => messages.goTo(id));
}

/** Keep in the address what is open, so that the page can be loaded again. */
function remember({ thread, checkpoint, id, status }) {
  if (!assistant || status === "opening" || status === "unread") return;
  const hasMovedOn = shownRun && id !== shownRun && address.read().run === shownRun;
  shownRun = id;
  threads.mark(thread);
  selection.adopt({ thread, checkpoint, ...(hasMovedOn && { run: null, step: null }) });
}

at("assistant").addEventListener("change", ({ target }) => choose({ ...CLOSED, assistant: target.value }));
at("new-thread").addEventListener("click", () => choose(CLOSED));
at("run-on").addEventListener("click", () => start({ input: null }));
at("stop").addEventListener("click", () => store.stop().catch(failed));
at("back").addEventListener("click", () => choose({ tab: "timeline" }));
at("menu").addEventListener("click", () => at("menu").setAttribute("aria-expanded", String(at("rail").classList.toggle("open"))));
at("checkpoints-box").addEventListener("toggle", ({ target }) => target.open && checkpoints.load(store.run.thread).catch(failed));
addEventListener("popstate", () => selection.follow());

async function begin() {
  api.onTokenNeeded((said) => tokenField.ask(said));
  for (const each of await atLast(api.assistants, failed)) known.set(each.assistant_id, each);
  const named = [...known.values()].toSorted((one, other) => one.graph_id.localeCompare(other.graph_id));
  listAssistants(at("assistant"), named);
  if (!named.length) return failed("The server serves no graph.");
  if (!address.read().assistant) address.write({ assistant: named[0].assistant_id });
  await selection.follow();
  if (!assistant) await chooseAssistant(named[0].assistant_id);
  await threads.load();
}

watchConnection(at("heard"), store, show);
store.subscribe(show);
store.subscribe(remember);
store.subscribe(listAgain);

begin()
  .catch(failed)
  .finally(() => (document.body.dataset.ready = "true"));

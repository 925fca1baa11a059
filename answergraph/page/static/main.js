// The page: what is chosen, what runs, and which part shows it.

import * as api from "./api.js";
import { AnswerView } from "./answer_view.js";
import { el } from "./dom.js";
import { Drawing } from "./drawing.js";
import { showInterrupts } from "./interrupts.js";
import { MessageList } from "./message_list.js";
import { RunStore } from "./run_store.js";
import { SchemaForm } from "./schema_form.js";
import { Theme } from "./theme.js";
import { ThreadList } from "./thread_list.js";

const at = (id) => document.getElementById(id);

const store = new RunStore();
const drawing = new Drawing(at("drawing"), at("edges"));
const messages = new MessageList(at("messages"));
const answers = new AnswerView(at("answers"), (call) => store.toolResult(call), (id) => messages.goTo(id));
const inputForm = new SchemaForm(at("input-form"));
const contextForm = new SchemaForm(at("context-form"));
const threads = new ThreadList(at("threads"), at("checkpoints"), { open: openThread, openCheckpoint, failed });
const theme = new Theme(at("theme"), () => draw());

const known = new Map();
let assistant = null;
let graph = null;
/** Whether the input is one JSON value, because its schema names no properties. */
let isRawInput = false;
let waiting = "[]";
/** How often a graph was chosen: an answer that comes too late is not shown. */
let chosen = 0;

function show(run) {
  messages.show(run.messages);
  at("count").textContent = run.messages.length ? run.messages.length.toLocaleString("en") : "";
  answers.show(run);
  const lights = lightsOf(run.steps);
  drawing.light(lights);
  at("nodes").replaceChildren(...[...lights].map(nodeItem));
  at("run").disabled = store.isBusy;
  at("stop").disabled = !store.isBusy;
  at("checkpoint").hidden = run.checkpoint === null;
  showWaiting(run);
  if (run.error) failed(run.error);
  else if (run.unsent) failed(`Your message was not sent. ${run.unsent.message} It is still in the box.`);
  else at("error").hidden = true;
  say(statusLine(run));
}

/** How often each node has run, and how it stands, by its path. */
function lightsOf(steps) {
  const lights = new Map();
  for (const { node, inside, state } of steps) {
    const path = inside ? `${inside}:${node}` : node;
    const { running, done } = lights.get(path) ?? { running: 0, done: 0 };
    lights.set(path, { running: running + (state === "running"), done: done + (state === "done"), failed: state === "failed", waits: state === "waits" });
  }
  return lights;
}

function nodeItem([path, { running: now, done, failed: broken, waits }]) {
  const state = now ? "running" : broken ? "failed" : waits ? "waits" : "done";
  return el("li", { "data-node": path, "data-state": state }, path, done > 1 ? ` × ${done}` : "", state === "done" ? "" : ` ${state}`);
}

function showWaiting(run) {
  const now = JSON.stringify(store.isBusy ? [] : run.interrupts);
  if (now === waiting) return;
  waiting = now;
  showInterrupts(at("interrupts"), JSON.parse(now), (resume) => start({ command: { resume } }));
}

function failed(error) {
  const text = typeof error === "string" ? error : (error.message ?? JSON.stringify(error));
  const said = error.error ? `${error.error}: ${text}` : text;
  if (at("error").textContent !== said) at("error").textContent = said;
  at("error").hidden = false;
}

function say(text) {
  at("status").textContent = text;
}

async function start(request) {
  const context = contextForm.read();
  if (context === null) return void (at("context-box").open = true);
  return store.start({ assistant_id: assistant, ...(Object.keys(context).length && { context }), ...request });
}

let stood = "none";
/** A run has ended: the lists show it. */
async function listAgain({ status, thread }) {
  const ends = ["sending", "queued", "running", "stopping"].includes(stood) && !store.isBusy;
  stood = status;
  if (!ends) return;
  await threads.load(thread).catch(failed);
  if (at("checkpoints-box").open) await threads.loadCheckpoints().catch(failed);
}

const SENTENCES = {
  sending: "The run has begun.",
  queued: "The server has taken the run.",
  running: "The run goes on.",
  stopping: "Stopping.",
  waiting: "The run waits for you.",
  deferred: "The run waits for calls elsewhere.",
  failed: "The run failed.",
  stopped: "The run was stopped.",
};

function statusLine({ status, outcome, endedAt }) {
  if (status === "ended" && endedAt) return outcome ? `The run has ended: ${outcome.status}.` : "The run has ended.";
  return SENTENCES[status] ?? "";
}

function input() {
  const filled = inputForm.read();
  if (filled === null) return null;
  if (isRawInput) return { input: filled.input ?? null };
  const text = at("message").value;
  if (at("message-field").hidden) return { input: filled };
  return { input: text ? { ...filled, messages: [{ role: "user", content: text }] } : filled };
}

async function chooseAssistant(id) {
  assistant = id;
  at("assistant").value = id;
  at("description").textContent = known.get(id)?.description ?? "";
  const turn = ++chosen;
  at("input").setAttribute("aria-busy", "true");
  const [drawn, found] = await Promise.all([api.graph(id), api.schemas(id)]);
  if (turn !== chosen) return;
  graph = drawn;
  const properties = found.input_schema?.properties;
  isRawInput = !properties;
  at("message-field").hidden = !properties?.messages;
  inputForm.make(isRawInput ? { properties: { input: { title: "Input (JSON)" } } } : found.input_schema, ["messages"]);
  contextForm.make(found.context_schema);
  at("context-box").hidden = contextForm.isEmpty;
  at("input").removeAttribute("aria-busy");
  await draw();
}

async function draw() {
  if (!graph) return;
  try {
    await drawing.draw(graph, known.get(assistant)?.name ?? assistant, theme.isDark);
    drawing.light(lightsOf(store.run.steps));
  } catch (error) {
    failed(`The graph cannot be drawn: ${error.message}`);
  }
}

async function openThread(id, metadata = {}) {
  if (store.isBusy) return say("Stop the run first.");
  await store.openThread(id);
  // Threads of a graph that is no longer served can be read all the same.
  if (known.has(metadata.assistant_id) && metadata.assistant_id !== assistant) await chooseAssistant(metadata.assistant_id);
  await threads.load(id);
  if (at("checkpoints-box").open) await threads.loadCheckpoints();
}

async function openCheckpoint(id, step) {
  if (store.isBusy) return say("Stop the run first.");
  at("checkpoint-text").textContent = `This is the checkpoint of step ${step ?? "?"}. A run from here begins a branch of the thread.`;
  await store.openCheckpoint(id);
}

function newThread() {
  if (store.isBusy) return say("Stop the run first.");
  store.newThread();
  threads.load(null).catch(failed);
  at("message").focus();
}

/** Keep in the address what is open, so that the page can be loaded again. */
function remember({ thread }) {
  const open = `#${new URLSearchParams({ ...(assistant && { assistant }), ...(thread && { thread }) })}`;
  if (assistant && open !== location.hash) history.replaceState(null, "", open);
}

at("assistant").addEventListener("change", async ({ target }) => {
  try {
    newThread();
    await chooseAssistant(target.value);
    remember(store.run);
  } catch (error) {
    failed(error);
  }
});
at("new-thread").addEventListener("click", newThread);
at("run-on").addEventListener("click", () => start({ input: null }));
at("stop").addEventListener("click", () => store.stop().catch(failed));
at("checkpoints-box").addEventListener("toggle", ({ target }) => target.open && threads.loadCheckpoints().catch(failed));
at("input").addEventListener("submit", (event) => {
  event.preventDefault();
  const request = input();
  if (request && !store.isBusy) start(request).then((isTaken) => isTaken && (at("message").value = ""));
});
at("input").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("input").requestSubmit();
});

async function begin() {
  for (const each of await api.assistants()) known.set(each.assistant_id, each);
  const named = [...known.values()].toSorted((one, other) => one.graph_id.localeCompare(other.graph_id));
  at("assistant").replaceChildren(...named.map(({ assistant_id, graph_id, name }) =>
    el("option", { value: assistant_id }, !name || name === graph_id ? graph_id : `${graph_id}: ${name}`)));
  const open = new URLSearchParams(location.hash.slice(1));
  const wanted = open.get("assistant");
  if (named.length) await chooseAssistant(known.has(wanted) ? wanted : named[0].assistant_id);
  else failed("The server serves no graph.");
  if (open.get("thread")) await openThread(open.get("thread"));
  else await threads.load();
}

store.subscribe(show);
store.subscribe(remember);
store.subscribe(listAgain);

begin().catch(failed).finally(() => (document.body.dataset.ready = "true"));

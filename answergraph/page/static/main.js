// The page: what is chosen, what runs, and which part shows it.

import * as api from "./api.js";
import { AnswerView } from "./answer_view.js";
import { el } from "./dom.js";
import { Drawing } from "./drawing.js";
import { showInterrupts } from "./interrupts.js";
import { MessageList } from "./message_list.js";
import { RunView } from "./run_view.js";
import { SchemaForm } from "./schema_form.js";
import { Theme } from "./theme.js";
import { ThreadList } from "./thread_list.js";

const at = (id) => document.getElementById(id);

const view = new RunView();
const drawing = new Drawing(at("drawing"), at("edges"));
const messages = new MessageList(at("messages"));
const answers = new AnswerView(at("answers"), (call) => view.conversation.toolResult(call), (id) => messages.goTo(id));
const inputForm = new SchemaForm(at("input-form"));
const contextForm = new SchemaForm(at("context-form"));
const threads = new ThreadList(at("threads"), at("checkpoints"), { open: openThread, openCheckpoint, failed });
const theme = new Theme(at("theme"), () => draw());

const known = new Map();
let assistant = null;
let graph = null;
let thread = null;
let checkpoint = null;
/** Whether the input is one JSON value, because its schema names no properties. */
let isRawInput = false;
let running = false;
let waiting = "[]";
/** Which thread or checkpoint was asked for last: an answer that comes too late is not shown. */
let asked = 0;
/** How often a graph was chosen, for the same reason. */
let chosen = 0;

function show() {
  view.look();
  const all = view.conversation.messages;
  messages.show(all);
  at("count").textContent = all.length ? all.length.toLocaleString("en") : "";
  answers.show(view);
  drawing.light(view.lights);
  at("nodes").replaceChildren(...[...view.lights].map(nodeItem));
  showWaiting();
  if (view.error) failed(view.error);
}

function nodeItem([path, { running: now, done, failed: broken, waits }]) {
  const state = now ? "running" : broken ? "failed" : waits ? "waits" : "done";
  return el("li", { "data-node": path, "data-state": state }, path, done > 1 ? ` × ${done}` : "", state === "done" ? "" : ` ${state}`);
}

function showWaiting() {
  const now = JSON.stringify(running ? [] : view.interrupts);
  if (now === waiting) return;
  waiting = now;
  showInterrupts(at("interrupts"), JSON.parse(now), (resume) => start({ command: { resume } }));
}

let isDue = false;
/** Show what has come, once for all events until the next picture. */
function showSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => ((isDue = false), running && show()));
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
  if (running) return;
  const context = contextForm.read();
  if (context === null) return void (at("context-box").open = true);
  setRunning(true);
  view.begin();
  try {
    thread ??= (await api.createThread()).thread_id;
    remember();
    const from = checkpoint && { checkpoint: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint } };
    const body = { assistant_id: assistant, ...(Object.keys(context).length && { context }), ...from, ...request };
    for await (const event of api.run(thread, body)) {
      view.take(event);
      showSoon();
    }
  } catch (error) {
    view.error = error;
  }
  view.end();
  setRunning(false);
  leaveCheckpoint();
  show();
  say(ending());
  await threads.load(thread).catch(failed);
  if (at("checkpoints-box").open) await threads.loadCheckpoints().catch(failed);
}

function ending() {
  if (view.error) return "The run failed.";
  if (view.interrupts.length) return "The run waits for you.";
  const status = view.values.outcome?.status;
  return status ? `The run has ended: ${status}.` : "The run has ended.";
}

function setRunning(now) {
  running = now;
  at("run").disabled = now;
  at("stop").disabled = !now;
  if (!now) return;
  at("error").hidden = true;
  at("error").textContent = "";
  say("The run has begun.");
  showWaiting();
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
    drawing.light(view.lights);
  } catch (error) {
    failed(`The graph cannot be drawn: ${error.message}`);
  }
}

async function openThread(id, metadata = {}) {
  if (running) return say("Stop the run first.");
  const turn = ++asked;
  const state = await api.state(id);
  if (turn !== asked) return;
  thread = id;
  leaveCheckpoint();
  showState(state);
  // Threads of a graph that is no longer served can be read all the same.
  if (known.has(metadata.assistant_id) && metadata.assistant_id !== assistant) await chooseAssistant(metadata.assistant_id);
  remember();
  await threads.load(id);
  if (at("checkpoints-box").open) await threads.loadCheckpoints();
}

async function openCheckpoint(id, step) {
  if (running) return say("Stop the run first.");
  const turn = ++asked;
  const state = await api.state(thread, id);
  if (turn !== asked) return;
  checkpoint = id;
  at("checkpoint-text").textContent = `This is the checkpoint of step ${step ?? "?"}. A run from here begins a branch of the thread.`;
  at("checkpoint").hidden = false;
  showState(state);
}

function showState(state) {
  at("error").hidden = true;
  view.open(state);
  show();
  say("");
}

function leaveCheckpoint() {
  checkpoint = null;
  at("checkpoint").hidden = true;
}

function newThread() {
  if (running) return say("Stop the run first.");
  asked++;
  thread = null;
  leaveCheckpoint();
  showState({});
  remember();
  threads.load(null).catch(failed);
  at("message").focus();
}

/** Keep in the address what is open, so that the page can be loaded again. */
function remember() {
  const open = new URLSearchParams({ assistant, ...(thread && { thread }) });
  history.replaceState(null, "", `#${open}`);
}

at("assistant").addEventListener("change", async ({ target }) => {
  try {
    newThread();
    await chooseAssistant(target.value);
    remember();
  } catch (error) {
    failed(error);
  }
});
at("new-thread").addEventListener("click", newThread);
at("run-on").addEventListener("click", () => start({ input: null }));
at("stop").addEventListener("click", () => view.runId && api.cancelRun(thread, view.runId).catch(failed));
at("checkpoints-box").addEventListener("toggle", ({ target }) => target.open && threads.loadCheckpoints().catch(failed));
at("input").addEventListener("submit", (event) => {
  event.preventDefault();
  const request = input();
  if (request && !running) start(request).then(() => (at("message").value = ""));
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
  show();
}

begin().catch(failed).finally(() => (document.body.dataset.ready = "true"));

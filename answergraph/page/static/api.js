// The server's public HTTP API, as far as the page uses it.

import { serverSentEvents } from "./sse.js";

/** The page lies one folder below the server's address, wherever that is. */
const SERVER = new URL("../", document.baseURI);

/** `tasks` tells which node begins, the others what it wrote. */
export const STREAM_MODES = ["messages-tuple", "updates", "values", "custom", "tasks"];

async function send(method, path, body, signal) {
  const response = await fetch(new URL(path, SERVER), {
    method,
    signal,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await reason(response));
  return response;
}

async function reason(response) {
  const text = await response.text();
  try {
    const { detail, message } = JSON.parse(text);
    const said = detail ?? message ?? text;
    return `${response.status}: ${typeof said === "string" ? said : JSON.stringify(said)}`;
  } catch {
    return `${response.status}: ${text || response.statusText}`;
  }
}

const json = async (...request) => (await send(...request)).json();
const part = encodeURIComponent;

export const assistants = () => json("POST", "assistants/search", { limit: 100 });
export const schemas = (assistant) => json("GET", `assistants/${part(assistant)}/schemas`);
export const threads = (limit, offset = 0) => json("POST", "threads/search", { limit, offset });
export const createThread = () => json("POST", "threads", {});
export const deleteThread = (thread) => send("DELETE", `threads/${part(thread)}`);
export const cancelRun = (thread, run) => send("POST", `threads/${part(thread)}/runs/${part(run)}/cancel`);

/** The graph with its subgraphs; a server that cannot look into them draws the graph alone. */
export async function graph(assistant) {
  const path = `assistants/${part(assistant)}/graph`;
  try {
    return await json("GET", `${path}?xray=true`);
  } catch {
    return json("GET", path);
  }
}

export function state(thread, checkpoint) {
  const path = `threads/${part(thread)}/state`;
  return json("GET", checkpoint ? `${path}/${part(checkpoint)}` : path);
}

/** The checkpoints of a thread, newest first. Each holds the whole state, so few are asked for at a time. */
export function history(thread, limit, before) {
  const older = before && { before: { configurable: { thread_id: thread, checkpoint_id: before, checkpoint_ns: "" } } };
  return json("POST", `threads/${part(thread)}/history`, { limit, ...older });
}

/** Start a run and yield what it streams. */
export async function* run(thread, request, signal) {
  const body = { stream_mode: STREAM_MODES, stream_subgraphs: true, ...request };
  const response = await send("POST", `threads/${part(thread)}/runs/stream`, body, signal);
  yield* serverSentEvents(response.body);
}

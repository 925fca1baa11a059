// The server's public HTTP API, as far as the page uses it.

import { awaits, heard } from "./silence.js";
import { serverSentEvents } from "./sse.js";

/** The page lies one folder below the server's address, wherever that is. */
const SERVER = new URL("../", document.baseURI);

/** No whole states, and no inputs of nodes: they would grow with every step. */
const STREAM_MODES = ["messages-tuple", "updates", "custom"];
/** What is left once messages come whole, with the update that holds them. */
const WITHOUT_TOKENS = JSON.stringify(["updates", "custom", "metadata", "error", "end"]);
/** What of a run is listed. */
const RUN_FIELDS = ["run_id", "assistant_id", "status", "created_at", "updated_at", "metadata"].map((name) => `&select=${name}`).join("");
/** Replays a run's stream from its beginning. */
export const FROM_THE_START = "-1";
const TOKEN = "answergraph-token";

/** An answer of the server that is no success. Where nothing answers, `fetch` raises a TypeError instead. */
export class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let askForToken = null;
/** Say who asks the person for a token. Whatever the server answered with 401 is sent again when it is there.
 * @param {(said: string) => Promise<string>} ask
 */
export const onTokenNeeded = (ask) => (askForToken = ask);
let asking = null;

/** How long an answer may take, in milliseconds: of a question about a status, of anything else. */
const SOON = 5000;
const AT_LAST = 60_000;

/** The server has not answered in time. */
class Silence extends Error {
  constructor(limit) {
    super(`The server has not answered for ${limit / 1000} seconds.`);
  }
}

/** Ask the server, and read its answer within a time. @param {(response: Response) => Promise<any>} read */
const answered = (read, request, limit = AT_LAST) => authorized(() => answeredInTime(read, request, limit));

async function answeredInTime(read, [method, path, body], limit) {
  const end = awaits();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Silence(limit)), limit);
  try {
    const found = await read(await send(method, path, body, { signal: late.signal }));
    end(true);
    return found;
  } catch (error) {
    end(error instanceof ServerError);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function send(method, path, body, { signal, headers = {} } = {}) {
  const token = sessionStorage.getItem(TOKEN);
  const response = await fetch(new URL(path, SERVER), {
    method,
    signal,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  heard();
  if (response.ok) return response;
  throw new ServerError(response.status, await reason(response));
}

async function authorized(attempt) {
  const token = sessionStorage.getItem(TOKEN);
  try {
    return await attempt();
  } catch (error) {
    if (error.status !== 401 || !askForToken) throw error;
    // Another request may have brought a new token meanwhile; one question serves all that wait.
    if (token === sessionStorage.getItem(TOKEN)) sessionStorage.setItem(TOKEN, await (asking ??= askForToken(error.message).finally(() => (asking = null))));
    return authorized(attempt);
  }
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

const json = (method, path, body, limit) => answered((response) => response.json(), [method, path, body], limit);
/** How long until the server is asked once more of what it has not found, in milliseconds: it may be about to store it. */
const NOT_FOUND_AGAIN = 1000;
async function surely(ask) {
  try {
    return await ask();
  } catch (error) {
    if (error.status !== 404) throw error;
    await new Promise((resume) => setTimeout(resume, NOT_FOUND_AGAIN));
    return ask();
  }
}
const part = encodeURIComponent;
const runPath = (thread, run) => `threads/${part(thread)}/runs/${part(run)}`;

export const assistants = () => json("POST", "assistants/search", { limit: 100 });
export const schemas = (assistant) => json("GET", `assistants/${part(assistant)}/schemas`);
export const createThread = () => json("POST", "threads", {});

/** The threads, newest first, without their states: `extracted` holds the first message and the outcome's status, where the
 * server can look for them.
 */
export async function threads(limit, offset = 0) {
  const slim = {
    select: ["thread_id", "status", "created_at", "updated_at", "metadata", "interrupts"],
    extract: { first_message: "values.messages[0].content", outcome_status: "values.outcome.status" },
  };
  const search = (more) => json("POST", "threads/search", { limit, offset, ...more });
  if (refusesSlim) return search({});
  return search(slim).catch((error) => {
    if (error.status !== 422) throw error;
    refusesSlim = true;
    return search({});
  });
}
/** Whether the server has refused to leave anything out of its list of threads. */
let refusesSlim = false;

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
  return surely(() => json("GET", checkpoint ? `${path}/${part(checkpoint)}` : path));
}

/** Write into the state, as a node would; gives the new checkpoint. */
export const updateState = (thread, values, { checkpoint, asNode } = {}) =>
  json("POST", `threads/${part(thread)}/state`, { values, ...(asNode && { as_node: asNode }), ...(checkpoint && { checkpoint_id: checkpoint }) });

/** The checkpoints of a thread without their states, from the page's own route: what ran at each and what it wrote, newest first.
 * @param {{limit?: number, before?: string, space?: string}} [which] `space` is the namespace of a subgraph
 * @returns {Promise<{page: object[], bytes: number}>} with how much the server has read for them
 */
export function checkpoints(thread, { limit = 30, before, space = "" } = {}) {
  const query = new URLSearchParams({ limit, ...(before && { before }), ...(space && { space }) });
  const read = async (response) => ({ page: await response.json(), bytes: Number(response.headers.get("x-bytes-read")) });
  return surely(() => answered(read, ["GET", `page/threads/${part(thread)}/steps?${query}`]));
}

/** The pages of the PDFs in a thread's messages, from the page's own route: their texts, or one as a picture with the boxes of spans of its
 * text. @param {() => string} thread
 */
export function pagesOf(thread) {
  const ask = (message, query = "") => json("GET", `page/threads/${part(thread())}/documents/${part(message)}${query}`);
  const picture = (message, page, spans) => ask(message, `?page=${page}&places=${spans.map((span) => span.join("-")).join()}`);
  return { texts: (message) => ask(message), picture };
}

/** The runs of a thread, newest first, without their inputs where the server can leave them out. */
export const runs = (thread, limit = 100) => surely(() => json("GET", `threads/${part(thread)}/runs?limit=${limit}${RUN_FIELDS}`));
export const run = (thread, id) => surely(() => json("GET", runPath(thread, id), undefined, SOON));
export const cancelRun = (thread, id, action = "interrupt") =>
  answered((response) => response.text(), ["POST", `${runPath(thread, id)}/cancel?action=${action}`], SOON);
/** Ask whether anybody is there. */
export const ping = () => answered((response) => response.text(), ["GET", "page/icon.svg?ping"], SOON);

/** Have the server carry out a run, whoever listens. */
export const createRun = (thread, request) =>
  json("POST", `threads/${part(thread)}/runs`, { stream_mode: STREAM_MODES, stream_subgraphs: true, stream_resumable: true, ...request });

/** Listen to a run: what came after an event, then what comes.
 * @param {{after?: string, tokens?: boolean, signal?: AbortSignal, tell?: () => void}} how `tell` is called for whatever comes
 */
export async function* joinRun(thread, id, { after = FROM_THE_START, tokens = true, signal, tell = () => {} }) {
  const path = `${runPath(thread, id)}/stream${tokens ? "" : `?stream_mode=${part(WITHOUT_TOKENS)}`}`;
  const end = awaits();
  try {
    const response = await authorized(() => send("GET", path, undefined, { signal, headers: { "last-event-id": after } }));
    yield* serverSentEvents(response.body, () => (heard(), tell()));
    end(true);
  } finally {
    end(false);
  }
}

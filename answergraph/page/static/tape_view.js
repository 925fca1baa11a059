// A recorded run: what was sent to each model, what came back, and what each tool returned, in the order of the tape.

import { recordsOf } from "./answers.js";
import { textOf } from "./conversation.js";
import { el, plural, shown, textBlock } from "./dom.js";

/** A message of a tape, as the server would send it. */
const messageOf = (record) => (record?.$message ? { ...record.$message.data, type: record.$message.type } : record);
const callsOf = (message) => (message?.tool_calls ?? []).map(({ name, args }) => `${name} ${JSON.stringify(args)}`);

/** What a tape's last run left, in the form that the views of a run take. @param {object[]} records */
export function runOfTape(records) {
  const first = records.findLastIndex(({ kind }) => kind === "run");
  const own = records.slice(Math.max(0, first));
  const { outcome = null, answer = null } = own.findLast(({ kind }) => kind === "end") ?? {};
  const replies = own.filter(({ kind, message }) => kind === "reply" && message).map(({ message }) => messageOf(message));
  return { answer, outcome, messages: replies, documents: outcome ? documentsOf(own[0]?.input, outcome) : [] };
}

/** The caller's texts. A tape has no ids of messages: they are told apart where each is cited, and in their order. */
function documentsOf(input, outcome) {
  const sources = [...recordsOf(outcome).values()].flatMap(({ evidence }) => evidence.map(({ source }) => source));
  const cited = [...new Map(sources.map((source) => [source.id, source])).values()];
  const texts = typeof input?.document === "string" ? [input.document] : [input?.messages ?? []].flat().map((each) => textOf(asMessage(each)));
  const isClear = texts.length === cited.length && cited.every(({ kind }) => kind === "input");
  return cited.map(({ id, name }, index) => ({ id, name, text: isClear ? texts[index] : "" }));
}

const asMessage = (each) => (typeof each === "string" ? { content: each } : Array.isArray(each) ? { content: each[1] } : (messageOf(each) ?? {}));

/** @param {object[]} records @returns {HTMLElement[]} */
export function tapeRows(records) {
  let requests = 0;
  const replies = new Map(records.filter(({ kind }) => kind === "reply").map((reply) => [reply.to, reply]));
  return records.flatMap((record) => {
    if (record.kind === "run") return [row("input", "", [textBlock(shown(record.input))])];
    if (record.kind === "request") return [request(record, replies.get(requests++))];
    if (record.kind === "tool") return [tool(record)];
    return [];
  });
}

function request({ at, model, messages = [], same = 0 }, reply) {
  const message = messageOf(reply?.message);
  const calls = callsOf(message);
  const tokens = message?.usage_metadata?.total_tokens;
  const said = reply?.error ? `failed: ${shown(reply.error)}` : calls.length ? `calls ${calls.join("; ")}` : textOf(message ?? {});
  const sent = messages.map((each) => el("div.passage", {}, el("p", {}, el("span", {}, messageOf(each).type)), textBlock([textOf(messageOf(each)), ...callsOf(messageOf(each))].filter(Boolean).join("\n"))));
  const parts = [same > 0 && el("p.hint", {}, `${plural(same, "message")} as in the request before, and:`), ...sent, el("h3", {}, "Reply"), textBlock(said)];
  return row(`${(at ?? []).join(" › ")} · ${model}`, `${said.slice(0, 160)}${tokens ? ` · ${plural(tokens, "token")}` : ""}`, parts);
}

function tool({ name, args, result, error }) {
  const message = messageOf(result);
  const text = error ? `failed: ${shown(error)}` : message?.content !== undefined ? textOf(message) : shown(result);
  return row(`tool ${name}`, JSON.stringify(args ?? {}).slice(0, 160), [textBlock(shown(args ?? {})), el("h3", {}, "Result"), textBlock(text)]);
}

const row = (title, said, parts) =>
  el("details.case", {}, el("summary", {}, el("b", {}, title), el("span.why", {}, said)), ...parts.filter(Boolean));

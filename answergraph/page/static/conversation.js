// The messages of a thread as the stream tells of them. Knows no elements.

import { withoutIds } from "./steps.js";

/** The text of a message: its content, or the text blocks in it. */
export function textOf({ content }) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (typeof block === "string" ? block : block?.type === "text" ? (block.text ?? "") : "")).join("");
}

/** What else a message's content holds: images, reasoning, a provider's own blocks. */
export function otherBlocks({ content }) {
  return Array.isArray(content) ? content.filter((block) => typeof block !== "string" && block?.type !== "text") : [];
}

export class Conversation {
  /** @type {Map<string, object>} message by id, of the thread itself */
  #own = new Map();
  /** @type {Map<string, object>} written in this run and not yet in the thread's state, or inside a subgraph */
  #others = new Map();
  #unnamed = 0;

  clear() {
    this.#own.clear();
    this.#others.clear();
  }

  /** All messages, in order; what was written inside a subgraph stands behind what was there before it, together. */
  get messages() {
    const visits = Map.groupBy(this.#others.values(), ({ space }) => space.split("|")[0]);
    const others = [...visits.values()].flat();
    const behind = Map.groupBy(others, ({ after }) => (after === null || this.#own.has(after) ? after : undefined));
    const own = [...this.#own].flatMap(([id, message]) => [message, ...(behind.get(id) ?? [])]);
    return [...(behind.get(null) ?? []), ...own, ...(behind.get(undefined) ?? [])];
  }

  /** The newest result of a tool call. Ids may come again in a later turn of a thread. */
  toolResult(callId) {
    return this.messages.findLast(({ type, tool_call_id }) => type === "tool" && tool_call_id === callId);
  }

  /** Take over the messages of a state; the thread's own take the place of all before.
   * @param {object[]} messages
   */
  replace(messages) {
    const named = messages.map((message) => ({ ...message, id: message.id ?? `unnamed-${++this.#unnamed}`, inside: "", space: "" }));
    this.#own = new Map(named.map((message) => [message.id, message]));
    for (const id of this.#own.keys()) this.#others.delete(id);
  }

  /** Take over what a node has written: at the end of the graph's own messages, or in the place of one with the same id.
   * @param {object[]} messages @param {string} space of the subgraph, empty for the thread itself
   */
  write(messages, space = "") {
    const inside = withoutIds(space);
    for (const given of messages) {
      const message = plain(given);
      const id = message.id ?? `unnamed-${++this.#unnamed}`;
      if (message.type === "remove") this.#remove(message.id);
      else if (space) this.#put({ ...message, id, inside, space });
      else {
        this.#others.delete(id);
        this.#own.set(id, { ...message, id, inside, space });
      }
    }
  }

  #remove(id) {
    if (id === "__remove_all__") this.#own.clear();
    else this.#own.delete(id);
  }

  /** Forget what never came into the thread's state, once the run has ended: attempts that were thrown away. */
  settle() {
    for (const [id, message] of this.#others) if (!message.inside) this.#others.delete(id);
    for (const [id, message] of this.#others) if (message.growing) this.#others.set(id, { ...message, growing: false });
  }

  /** Take one piece of a message, as `messages-tuple` streams it. */
  add(piece, space = "") {
    if (!piece.id || this.#own.has(piece.id)) return;
    const inside = withoutIds(space);
    if (!piece.type.endsWith("Chunk")) {
      this.#put({ ...piece, inside, space });
      return;
    }
    const before = this.#others.get(piece.id);
    this.#put(before?.growing ? joined(before, piece) : { ...begun(piece), inside, space });
  }

  #put(message) {
    if (this.#own.has(message.id)) return;
    const before = this.#others.get(message.id);
    // The same message reaches a graph from its subgraph: it is the outer one's.
    const { inside, space } = before && before.inside.length < message.inside.length ? before : message;
    const after = before ? before.after : ([...this.#own.keys()].at(-1) ?? null);
    this.#others.set(message.id, { ...message, inside, space, after });
  }
}

/** The message a node wrote, in whichever of LangChain's ways. */
function plain(given) {
  if (typeof given === "string") return { type: "human", content: given };
  const { role, ...rest } = given;
  return role && !rest.type ? { ...rest, type: { user: "human", assistant: "ai" }[role] ?? role } : given;
}

function begun(piece) {
  const calls = (piece.tool_call_chunks ?? []).map((chunk) => ({ ...chunk }));
  const type = piece.type.replace(/(Message)?Chunk$/, "").toLowerCase();
  return { ...piece, type, growing: true, tool_calls: [], tool_call_chunks: calls };
}

function joined(before, piece) {
  const calls = before.tool_call_chunks.map((call) => ({ ...call }));
  for (const chunk of piece.tool_call_chunks ?? []) {
    const call = calls.find(({ index, id }) => index === chunk.index && !(chunk.id && id && chunk.id !== id));
    if (call) {
      call.name = (call.name ?? "") + (chunk.name ?? "");
      call.args = (call.args ?? "") + (chunk.args ?? "");
      call.id ??= chunk.id;
    } else calls.push({ ...chunk });
  }
  return { ...before, content: joinedContent(before.content, piece.content), tool_call_chunks: calls };
}

function joinedContent(before, piece) {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  const blocks = (content) => (typeof content === "string" ? (content ? [{ type: "text", text: content }] : []) : (content ?? []));
  return [...blocks(before), ...blocks(piece)];
}

/** The text of the last thing a model said in the thread itself. */
export const lastMessage = (messages) => textOf(messages.findLast((message) => message.type === "ai" && !message.inside && textOf(message)) ?? {});

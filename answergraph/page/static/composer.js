// What a person gives a run: the message, the rest of the input, the context.

import { el, listed } from "./dom.js";
import { SchemaForm } from "./schema_form.js";

const at = (id) => document.getElementById(id);

export class Composer {
  #input = new SchemaForm(at("input-form"));
  #bare = new SchemaForm(at("bare-input"));
  #context = new SchemaForm(at("context-form"));
  /** Whether the input is one JSON value, because its schema names no properties. */
  #isRaw = false;
  #hasMessages = true;

  /** @param {(request: object) => Promise<boolean>} send gives whether the server took it
   * @param {() => Promise<boolean>} isReady waits for the graph that is chosen; false if another one was chosen meanwhile
   */
  constructor(send, isReady) {
    at("input").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!(await isReady())) return;
      const written = at("message").value;
      const request = this.#request();
      // What was written meanwhile is another message.
      if (request && (await send(request)) && at("message").value === written) at("message").value = "";
    });
    at("input").addEventListener("keydown", (event) => {
      const sends = event.ctrlKey || event.metaKey || (event.target === at("message") && !event.shiftKey);
      if (event.key !== "Enter" || !sends || event.isComposing) return;
      event.preventDefault();
      at("input").requestSubmit();
    });
  }

  /** Ask for what a graph takes: its messages first, then the rest. @param {{input_schema?: object, output_schema?: object, context_schema?: object}} schemas */
  make({ input_schema: input, output_schema: output, context_schema: context }) {
    const properties = input?.properties;
    this.#isRaw = !properties;
    this.#hasMessages = Boolean(properties?.messages);
    const form = this.#isRaw ? { properties: { input: { title: "Input (JSON)" } } } : input;
    this.#bare.make(this.#hasMessages ? null : form);
    this.#input.make(this.#hasMessages ? form : null, ["messages"]);
    at(this.#hasMessages ? "input-form" : "bare-input").prepend(...undeclared(properties, output?.properties));
    this.#context.make(context);
    at("message-field").hidden = !this.#hasMessages;
    at("more-box").hidden = this.#input.isEmpty;
    at("context-box").hidden = this.#context.isEmpty;
  }

  /** The context, or null if a field holds something it cannot. */
  context() {
    const read = this.#context.read();
    if (read === null) at("context-box").open = true;
    return read;
  }

  #request() {
    const filled = this.#hasMessages ? this.#input.read() : this.#bare.read();
    if (filled === null) return void (at("more-box").open = true);
    if (this.#isRaw) return { input: filled.input ?? null };
    if (!this.#hasMessages) return { input: filled };
    const text = at("message").value;
    if (!text.trim() && !Object.keys(filled).length) return void at("message").focus();
    return { input: text.trim() ? { ...filled, messages: [{ role: "user", content: text }] } : filled };
  }
}

/** A word on the keys of a graph that declares no input of its own: its nodes write some of them. */
function undeclared(input = {}, output = {}) {
  const [taken, left] = [input, output].map((keys) => Object.keys(keys).filter((name) => name !== "messages"));
  if (!left.length || !left.every((name) => name in input)) return [];
  const end = left.length < taken.length ? `, as ${listed(left)}, which it gives back` : "";
  return [el("p.hint", {}, `The graph declares no input of its own: these are all keys of its state. Leave empty what its nodes write${end}.`)];
}

/** Fill the choice of graphs. @param {{assistant_id: string, graph_id: string, name?: string}[]} assistants */
export function listAssistants(place, assistants) {
  place.replaceChildren(
    ...assistants.map(({ assistant_id: id, graph_id: graph, name }) =>
      el("option", { value: id }, !name || name === graph ? graph : `${graph}: ${name}`),
    ),
  );
}

// What a run waits for, as one form: nothing is sent before everything is decided, then all of it at once.

import * as api from "./api.js";
import { approvalOf, resumption } from "./approvals.js";
import { button, el, moment, newId, plural, shown, textBlock } from "./dom.js";
import { isReview } from "./review.js";
import { ReviewView } from "./review_view.js";
import { SchemaForm } from "./schema_form.js";
import { valueTree } from "./value_tree.js";

/** What may be decided about a call. Each makes its fields and reads them; undefined means that a field holds something it cannot. */
const DECISIONS = {
  approve: { label: "Approve", make: () => ({ read: () => ({ type: "approve" }) }) },
  edit: { label: "Edit", hidesArguments: true, make: edited },
  ignore: { label: "Ignore", make: () => ({ read: () => ({ type: "ignore" }) }) },
  reject: { label: "Reject", make: () => said("reject", "Why (the model reads it)", false) },
  respond: { label: "Respond", make: () => said("respond", "Answer in the tool's place", true) },
};

function edited({ name, args, schema }) {
  const element = el("div");
  const form = new SchemaForm(element);
  form.make({ ...schema, properties: { ...typesOf(args), ...schema?.properties } }, [], args);
  const read = () => {
    const filled = form.read();
    return filled ? { type: "edit", edited_action: { name, args: filled } } : undefined;
  };
  return { element: form.isEmpty ? el("p.hint", {}, "It has no arguments.") : element, read };
}

/** Without a schema, an argument has the type of its value. */
const typesOf = (args) => Object.fromEntries(Object.entries(args).map(([key, value]) => [key, typeOf(value)]));
const typeOf = (value) => (Array.isArray(value) && value.length ? { type: "array", items: typeOf(value[0]) } : { type: typeof value });

function said(type, label, required) {
  const words = el("textarea", { id: newId("words"), rows: 2, required });
  const read = () => (words.reportValidity() ? { type, ...(words.value && { message: words.value }) } : undefined);
  return { element: el("div.field", {}, el("label", { for: words.id }, label), words), read };
}

/** What may be said to a question of a graph's own. */
const ANSWERS = [{ label: "Yes", make: () => ({ read: () => true }) }, { label: "No", make: () => ({ read: () => false }) }, { label: "Answer in words or JSON", make: free }];

function free() {
  const words = el("textarea", { rows: 2, required: true, "aria-label": "Your answer" });
  const read = () => {
    if (!words.reportValidity()) return undefined;
    try {
      return JSON.parse(words.value);
    } catch {
      return words.value;
    }
  };
  return { element: words, read };
}

/** A question that says what an answer looks like. */
function form(schema) {
  const element = el("div");
  const fields = new SchemaForm(element);
  fields.make(schema);
  return { label: "Answer", make: () => ({ element, read: () => fields.read() ?? undefined }) };
}

export class InterruptView {
  #place;
  #start;
  #review;
  #print = "";

  /** @param {HTMLFormElement} place @param {(request: object) => Promise<boolean>} start gives whether the server took it
   * @param {{look: () => void, told: (done: number, of: number) => void, pages: object}} review what a review needs beside that
   */
  constructor(place, start, review) {
    this.#place = place;
    this.#start = start;
    this.#review = review;
    place.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && place.requestSubmit());
  }

  /** Show what a run waits for: decisions of a person, or the results of calls that are carried out elsewhere. What was filled in stays
   * until the server has taken it.
   * @param {{id?: string, value: any, response_schema?: object}[]} interrupts @param {{id: string, name: string, args: object}[]} [pending]
   * @param {import("./run_types.js").Run} run that waits
   * @returns {number} how many fields a review asks for
   */
  show(interrupts, pending, { thread, messages }) {
    this.#place.hidden = interrupts.length + pending.length === 0;
    // Beside a call that is carried out elsewhere, a person may say something else.
    this.#place.dataset.kind = interrupts.length ? "decisions" : "results";
    const print = JSON.stringify([interrupts, pending]);
    const asked = isReview(interrupts) ? interrupts.reduce((count, { value }) => count + Object.keys(value.fields).length, 0) : 0;
    if (this.#place.hidden || print === this.#print) return asked;
    this.#print = print;
    this.#place.onkeydown = null;
    if (asked) new ReviewView(this.#place, interrupts, { ...this.#review, messages, send: (command) => this.#sendReview(thread, interrupts, command) });
    else this.#place.replaceChildren(...this.#parts(interrupts, pending));
    return asked;
  }

  /** Send what was decided, unless somebody else was faster: then a decision would answer another question. */
  async #sendReview(thread, interrupts, command) {
    const { created_at: at, tasks = [], interrupts: still = tasks.flatMap((task) => task.interrupts ?? []) } = await api.state(thread);
    const waits = new Set([...still, ...tasks.flatMap((task) => task.interrupts ?? [])].map(({ id }) => id));
    if (!interrupts.every(({ id }) => waits.has(id))) {
      const look = button("Show the run as it is", () => location.reload(), { kind: "primary" });
      this.#place.replaceChildren(el("p", { role: "alert" }, `Decided by another person at ${moment(at)}. Nothing of yours was sent.`), el("div.row", {}, look));
      look.focus();
    } else if (await this.#start({ command })) this.#print = "";
  }

  #parts(interrupts, pending) {
    const asked = interrupts.length ? interrupts.map(requestOf) : pending.map(resultOf);
    const questions = asked.flatMap((request) => request.questions);
    const count = questions.length;
    const send = el("button.primary", { type: "submit" }, count === 1 ? "Send" : `Send ${count} ${interrupts.length ? "decisions" : "results"}`);
    const left = el("span.hint", { role: "status" });
    const tell = () => {
      const open = questions.filter(({ isDecided }) => !isDecided()).length;
      left.textContent = open && count > 1 ? `${open} of ${count} not decided yet.` : "";
    };
    this.#place.onchange = tell;
    this.#place.onsubmit = (event) => {
      event.preventDefault();
      this.#send(asked, (read) => (interrupts.length ? { command: { resume: resumption(interrupts, read) } } : { input: { messages: read } }));
    };
    tell();
    const approves = questions.map(({ approve }) => approve).filter(Boolean);
    const all = count > 1 && approves.length === count && button("Approve all", () => (approves.forEach((approve) => approve()), tell()), { kind: "small" });
    const header = el("div.row", {}, el("h2", { "data-tone": "you" }, interrupts.length ? heading(asked, count) : "The run waits for results from elsewhere"), all);
    return [header, ...questions.map(({ element }) => element), el("div.row", {}, send, el("span.hint", {}, "Nothing happens before you send."), left)];
  }

  async #send(asked, request) {
    const read = asked.map(({ questions, answer }) => {
      const decisions = questions.map((question) => question.read());
      return decisions.includes(undefined) ? undefined : answer(decisions);
    });
    if (read.includes(undefined) || !(await this.#start(request(read)))) return;
    this.#print = "";
  }
}

const heading = (asked, count) =>
  asked.every(({ isApproval }) => isApproval) ? `${plural(count, "call")} ${count === 1 ? "waits" : "wait"} for your decision` : "The run waits for you";

/** What one interrupt asks: its questions, and what their answers become. */
function requestOf(interrupt) {
  const approval = approvalOf(interrupt);
  if (approval) return { isApproval: true, questions: approval.calls.map(aboutCall), answer: approval.answer };
  const { value, response_schema: schema } = interrupt;
  const options = Object.keys(schema?.properties ?? {}).length ? [form(schema)] : ANSWERS;
  const element = typeof value === "string" ? textBlock(value) : value && typeof value === "object" ? valueTree(value) : textBlock(shown(value));
  return { questions: [question("Question", options, [element])], answer: ([answer]) => answer };
}

/** The result of a call that is carried out elsewhere, as the message that the run goes on with. */
function resultOf({ id, name, args }) {
  const words = el("textarea", { rows: 2, required: true, "aria-label": `Result of ${name}` });
  const read = () => (words.reportValidity() ? words.value : undefined);
  const about = valueTree(args ?? {});
  return {
    questions: [question(`Result of ${name}`, [{ label: "Result", make: () => ({ element: words, read }) }], [about])],
    answer: ([content]) => ({ role: "tool", tool_call_id: id, name, content }),
  };
}

function aboutCall(call) {
  const args = valueTree(call.args);
  const options = call.allowed.filter((type) => type in DECISIONS).map((type) => ({ ...DECISIONS[type], type, make: () => DECISIONS[type].make(call) }));
  return question(call.name, options.length ? options : ANSWERS, [...[call.description, call.hint].map((text) => text && el("p.hint", {}, text)), args], (option) => (args.hidden = Boolean(option.hidesArguments)));
}

/** One thing to decide: what it is about, the options, and below them the fields of the one that is chosen. */
function question(title, options, about, chosen = () => {}) {
  const place = el("div");
  const group = newId("decision");
  let fields = null;
  const radios = options.map((option) => {
    let made = null;
    const choose = () => {
      made ??= option.make();
      fields = made;
      place.replaceChildren(...(made.element ? [made.element] : []));
      chosen(option);
    };
    const radio = el("input", { type: "radio", name: group, required: true, onchange: choose });
    const pick = () => ((radio.checked = true), choose());
    return { type: option.type, pick, element: el("label.choice", {}, radio, option.label) };
  });
  if (options.length === 1) radios[0].pick();
  const choices = options.length > 1 && el("div.row", {}, ...radios.map(({ element }) => element));
  return {
    element: el("fieldset.interrupt", {}, el("legend", {}, title), ...about, choices, place),
    isDecided: () => fields !== null,
    read: () => fields?.read(),
    approve: radios.find(({ type }) => type === "approve")?.pick,
  };
}

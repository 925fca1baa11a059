// A review: the doubtful fields alone, one after the other. Nothing is chosen beforehand, and nothing is sent before all is decided.

import { resumption } from "./approvals.js";
import { fieldWords } from "./coverage.js";
import { breakable, button, el, icon, plural, shown } from "./dom.js";
import { DocumentView, stripOf, whereIs } from "./document_view.js";
import { fieldKey } from "./answers.js";
import { layOut, proofsOfReview, withTexts } from "./record.js";
import { decisionsOf, lookUp, partsOf, questionsOf, sumText } from "./review.js";
import { SchemaForm } from "./schema_form.js";

const KEYS_OFF = "answergraph.review.keys_off";
const LETTERS = "abcdefgh";
const HELP = [["a b", "choose"], ["t", "type"], ["x", "leave out"], ["r", "ask again"], ["s", "later"], ["j k", "next, previous"], ["u", "undo"], ["o", "whole document"], ["Ctrl Enter", "send"]];

export class ReviewView {
  #place;
  #interrupts;
  #questions;
  /** @type {Map<object, {decision: object, said: string}>} */
  #decided = new Map();
  #at = 0;
  #list = el("ul", { "aria-label": "Fields to decide" });
  #field = el("div.decide");
  #whole = el("div.doc", { role: "region", "aria-label": "Document", hidden: true });
  #document;
  /** What is known of the documents, one for each interrupt. @type {Promise<object[]>} */
  #laid;
  #with;
  #bar = el("div.row");
  #said = el("p.hint", { role: "status" });
  #form = null;

  /** @param {HTMLFormElement} place @param {object[]} interrupts
   * @param {{send: (command: object) => Promise<void>, look: () => void, told: Function, messages: object[], pages: object}} more
   */
  constructor(place, interrupts, more) {
    const { send, look, messages, pages } = more;
    this.#place = place;
    this.#with = more;
    this.#document = new DocumentView(this.#whole, pages.picture);
    this.#laid = Promise.all(
      interrupts.map(async ({ value }) => {
        const proofs = proofsOfReview(value, messages);
        return layOut({ ...proofs, documents: await withTexts(proofs.documents, pages) });
      }),
    );
    this.#interrupts = interrupts;
    this.#questions = interrupts.flatMap(questionsOf);
    this.#restore();
    place.onsubmit = (event) => {
      event.preventDefault();
      if (this.#openOnes().length) this.#say(`${plural(this.#openOnes().length, "field")} not decided yet.`);
      else send({ resume: resumption(interrupts, decisionsOf(interrupts, this.#questions, this.#decided)) }).catch((error) => this.#say(`Not sent: ${error.message}`));
    };
    place.onkeydown = (event) => this.#key(event);
    const problems = interrupts.flatMap(({ value }) => value.problem ?? []);
    place.replaceChildren(
      ...problems.map((problem) => el("p.problem", {}, icon("cross"), problem)),
      el(
        "div.review",
        {},
        el("div.queue", {}, this.#list, el("p.hint", {}, "No other field is asked for. ", button("See the run", look, { kind: "quiet" }))),
        el("div", {}, this.#field, this.#whole),
      ),
      this.#bar,
      this.#said,
    );
    this.#show(Math.max(0, this.#questions.findIndex((question) => !this.#decided.has(question))));
  }

  #openOnes = () => this.#questions.filter((question) => !this.#decided.has(question));

  #show(at) {
    this.#at = at;
    const question = this.#questions[at];
    const { tone, icon: sign, word } = fieldWords(question.status);
    const done = this.#decided.get(question);
    const isAlone = question.readings.length < 2;
    const nearest = question.nearest?.unit && [el("p.hint", {}, "Nearest in the document:"), passage(question.nearest)];
    this.#whole.hidden = true;
    this.#field.replaceChildren(
      ...[
        el("h2", { tabindex: "-1" }, `Field ${at + 1} of ${this.#questions.length}: `, el("code", {}, ...breakable(question.path || "whole answer"))),
        el("p", {}, el("span.sign", { "data-tone": tone }, icon(sign), word), " ", question.schema.description ?? ""),
        question.problem && el("p.problem", {}, icon("cross"), el("span", {}, question.problem)),
        el("div.readings", {}, ...question.readings.map((reading, index) => this.#card(question, reading, index, done, isAlone && nearest)), isAlone && this.#typing(question)),
        ...question.passages.map((piece) => this.#strip(piece)),
        ...((!isAlone && nearest) || []),
        !isAlone && this.#typing(question),
        this.#others(question),
        done && el("p.row", {}, el("b", {}, done.said), button("Undo", () => this.#undo(), { kind: "quiet" })),
        this.#help(),
      ].filter(Boolean),
    );
    this.#frame();
  }

  /** The readings look alike: who read which is no evidence. */
  #card(question, reading, index, done, nearest) {
    const letter = LETTERS[index];
    const take = () => this.#decide(question.decide("take", reading.value), `${reading.text}, chosen`);
    const isChosen = done?.said === `${reading.text}, chosen`;
    return el(
      "section.reading",
      { "aria-label": `Reading ${letter}`, "data-on": isChosen || null },
      el("header", {}, el("span.value", {}, reading.text), reading.of > 1 && el("span.hint", {}, `${reading.readers} of ${plural(reading.of, "reading")}`), el("button", { type: "button", "data-choose": letter, onclick: take }, `Choose ${letter}`)),
      ...reading.passages.map((piece) => this.#strip(piece)),
      !reading.passages.length && el("p.hint", {}, question.status === "not_found" ? "It stands nowhere." : "No place is known for it."),
      el("ul", {}, ...reading.sums.map((sum) => el("li", {}, el("span.sign", { "data-tone": sum.is_equal ? "ok" : "no" }, icon(sum.is_equal ? "check" : "cross")), " ", sumText(sum)))),
      ...(nearest || []),
    );
  }

  /** The unit of a value at once; where it stands, and the strip of its page, as soon as the document is read. */
  #strip(piece) {
    const unit = passage(piece);
    const whole = el("div", {}, unit);
    this.#laid.then((laid) => {
      const places = laid.flatMap(({ fields }) => fields.flatMap((field) => field.places));
      const place = places.find((each) => each.piece === piece);
      if (place?.document.pages) whole.prepend(stripOf(place, places, this.#with.pages.picture));
      else if (place) unit.before(el("p.hint", {}, whereIs(place)));
    });
    return whole;
  }

  /** Show the document with the places of all that is asked, those of this field lit. */
  async #showWhole() {
    const laid = await this.#laid;
    if ((this.#whole.hidden = !this.#whole.hidden)) return this.#heading();
    this.#document.show(laid.flatMap(({ documents }) => documents), laid.flatMap(({ fields }) => fields));
    const mark = this.#document.light([fieldKey(this.#questions[this.#at].path)]) ?? this.#whole.querySelector(".lines, .sheets");
    mark?.scrollIntoView({ block: "nearest" });
    mark?.focus({ preventScroll: true });
  }

  #typing(question) {
    const element = el("div");
    this.#form = new SchemaForm(element);
    const { default: _, ...schema } = question.schema;
    this.#form.make({ properties: { value: { ...schema, title: "Or type what is right", description: undefined } }, $defs: schema.$defs ?? {} });
    const take = () => {
      const read = this.#form.read();
      if (read && "value" in read) this.#decide(question.decide("type", read.value), `${shown(read.value)}, typed`);
    };
    const said = el("p.hint", { role: "status" });
    const look = async ({ target }) => {
      const found = lookUp(target.value, (await this.#laid).flatMap(({ documents }) => documents));
      said.textContent = target.value.trim() && (found ? `It stands in the document: ${whereIs(found)}.` : "As typed it stands nowhere; it is kept as given by you.");
    };
    return el("section.typing", { "aria-label": "Type what is right", onchange: look }, element, button("Take it", take, { kind: "small" }), said);
  }

  #others(question) {
    const { leave_out: why } = question.choices;
    const leaves = why === null && button("Leave out", () => this.#decide(question.decide("leave_out"), "left out"), { kind: "small" });
    const again = question.choices.reject === null && button("Ask the model again", () => this.#decide(question.decide("reject"), "asked for again"), { kind: "small" });
    return el("div.row", {}, leaves, again, button("Later", () => this.#next(1), { kind: "small" }), button("Whole document", () => this.#showWhole(), { kind: "small" }), typeof why === "string" && el("span.hint", {}, why));
  }

  #help() {
    const isOff = localStorage.getItem(KEYS_OFF) !== null;
    const turn = () => {
      if (isOff) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "1");
      this.#show(this.#at);
    };
    const keys = isOff ? [] : HELP.map(([key, word]) => el("span", {}, ...key.split(" ").map((each) => el("kbd", {}, each)), ` ${word}`));
    return el("p.keys", {}, ...keys, button(isOff ? "Turn single keys on" : "Turn single keys off", turn, { kind: "quiet" }));
  }

  #frame() {
    const open = this.#openOnes();
    this.#list.replaceChildren(
      ...this.#questions.map((question, index) => {
        const { tone, icon: sign, word } = fieldWords(question.status);
        const done = this.#decided.get(question);
        const told = [word, question.readings.map(({ text }) => text).join(" or ")].filter(Boolean).join(": ");
        const see = () => (this.#show(index), this.#heading());
        return el("li", {}, el("button.bare", { type: "button", "aria-current": index === this.#at ? "true" : null, onclick: see }, el("span.sign", { "data-tone": done ? "ok" : tone }, icon(done ? "edit" : sign)), el("b", {}, ...breakable(question.path || "whole answer")), el("small", {}, done?.said ?? told)));
      }),
    );
    const canLeave = open.length > 0 && open.every(({ choices }) => choices.leave_out === null);
    const leave = () => {
      for (const question of open) this.#decided.set(question, { decision: question.decide("leave_out"), said: "left out" });
      this.#place.requestSubmit();
    };
    const count = this.#questions.length;
    this.#with.told(count - open.length, count);
    this.#bar.replaceChildren(
      ...[
        el("button.primary", { type: "submit", disabled: open.length > 0 }, `Send ${plural(count, "decision")}`),
        canLeave && button(`Leave ${["", "it", "both"][open.length] ?? `all ${open.length}`} out and send`, leave),
        el("span.hint", {}, open.length ? `${count - open.length} of ${plural(count, "field")} decided. Nothing happens before you send.` : "All are decided; sending sends all at once."),
      ].filter(Boolean),
    );
  }

  #decide(decision, said) {
    const question = this.#questions[this.#at];
    this.#decided.set(question, { decision, said });
    this.#keep();
    const next = this.#questions.findIndex((each, index) => index > this.#at && !this.#decided.has(each));
    const first = this.#questions.findIndex((each) => !this.#decided.has(each));
    const to = next >= 0 ? next : first;
    this.#show(to >= 0 ? to : this.#at);
    const path = this.#questions[this.#at].path;
    this.#say(`${question.path}: ${said}. ${to >= 0 ? `Field ${this.#at + 1} of ${this.#questions.length}, ${path}.` : "All fields are decided."}`);
    if (to >= 0) this.#heading();
    else this.#bar.querySelector("button").focus();
  }

  #undo() {
    this.#decided.delete(this.#questions[this.#at]);
    this.#keep();
    this.#show(this.#at);
    this.#heading();
  }

  #next(step) {
    const { length } = this.#questions;
    this.#show((this.#at + step + length) % length);
    this.#heading();
  }

  #heading = () => this.#field.querySelector("h2").focus();
  #say = (text) => (this.#said.textContent = text);

  #key(event) {
    const { key, target } = event;
    if (key === "Escape" && target.closest("input, select, textarea, .doc")) return (this.#whole.hidden = true), this.#heading();
    if (key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey && target.matches(".typing :is(input, textarea)"))
      return event.preventDefault(), this.#field.querySelector(".typing > button").click();
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea") || localStorage.getItem(KEYS_OFF) !== null) return;
    const { leave_out: leave, reject } = this.#questions[this.#at].choices;
    const actions = {
      t: () => this.#field.querySelector(".typing :is(input, select, textarea)")?.focus(),
      x: () => leave === null && this.#decide(this.#questions[this.#at].decide("leave_out"), "left out"),
      r: () => reject === null && this.#decide(this.#questions[this.#at].decide("reject"), "asked for again"),
      s: () => this.#next(1),
      j: () => this.#next(1),
      k: () => this.#next(-1),
      u: () => this.#undo(),
      o: () => this.#showWhole(),
    };
    const card = this.#field.querySelector(`[data-choose="${CSS.escape(key)}"]`);
    if (!card && !Object.hasOwn(actions, key)) return;
    event.preventDefault();
    if (card) card.click();
    else actions[key]();
  }

  /** Kept in the tab until they are sent, for the very fields that were asked. */
  #keep() {
    const kept = [...this.#decided].map(([{ id, path }, done]) => [id, path, done]);
    sessionStorage.setItem(this.#name(), JSON.stringify(kept));
  }

  #restore() {
    for (const [id, path, done] of JSON.parse(sessionStorage.getItem(this.#name()) ?? "[]")) {
      const question = this.#questions.find((each) => each.id === id && each.path === path);
      if (question) this.#decided.set(question, done);
    }
  }

  #name = () => `answergraph.review.${this.#interrupts.map(({ id, value }) => `${id}.${value.version}`).join()}`;
}

const passage = (piece) => el("pre.unit", {}, ...partsOf(piece).map(([text, isMarked]) => (isMarked ? el("mark", {}, text) : text)));

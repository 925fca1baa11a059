// What a run waits for, as something to click. Knows the requests of LangChain's human approval; to anything else a person answers
// yes, no, or in words.

import { el, newId, shown, textBlock } from "./dom.js";

/** Show what a run waits for.
 * @param {HTMLElement} place
 * @param {{id?: string, value: any}[]} interrupts
 * @param {(resume: any) => void} resume
 */
export function showInterrupts(place, interrupts, resume) {
  const answers = new Map();
  const answer = (interrupt, value) => {
    answers.set(interrupt, value);
    if (answers.size === interrupts.length) resume(resumption(interrupts, answers));
  };
  place.hidden = interrupts.length === 0;
  place.replaceChildren(...interrupts.map((interrupt) => card(interrupt, (value) => answer(interrupt, value))));
}

/** One answer goes as it is, several by the id of what they answer. */
function resumption(interrupts, answers) {
  if (interrupts.length === 1) return answers.get(interrupts[0]);
  return Object.fromEntries(interrupts.map((interrupt) => [interrupt.id, answers.get(interrupt)]));
}

function card({ value }, answer) {
  const parts = isApproval(value) ? approvals(value, answer) : anything(value, answer);
  const element = el("article.interrupt", {}, el("h3", {}, "The run waits for you"), ...parts);
  return element;
}

const isApproval = (value) => Array.isArray(value?.action_requests) && value.action_requests.length > 0;

function approvals({ action_requests, review_configs }, answer) {
  const decisions = new Map();
  return action_requests.map((action, index) => {
    const allowed = review_configs?.find(({ action_name }) => action_name === action.name)?.allowed_decisions ?? ["approve", "reject"];
    const decide = (decision) => {
      decisions.set(index, decision);
      for (const button of group.querySelectorAll("button")) button.disabled = true;
      if (decisions.size === action_requests.length) answer({ decisions: action_requests.map((_, at) => decisions.get(at)) });
    };
    const args = el("textarea.json", { rows: 3, "aria-label": `Arguments of ${action.name}` });
    args.value = shown(action.args);
    const words = el("input", { type: "text", "aria-label": "What to tell the model" });
    const group = el("div", { role: "group", "aria-label": action.name },
      el("p", {}, el("code.tool", {}, action.name), " ", action.description ?? ""),
      allowed.includes("edit") ? args : textBlock(shown(action.args)),
      el("div.row", {},
        allowed.includes("approve") && button("Approve", () => decide({ type: "approve" }), "primary"),
        allowed.includes("edit") && button("Run as edited", () => edited(args, action.name, decide)),
        allowed.includes("reject") && button("Reject", () => decide({ type: "reject", ...(words.value && { message: words.value }) })),
        allowed.includes("reject") && words));
    return group;
  });
}

function edited(control, name, decide) {
  try {
    decide({ type: "edit", edited_action: { name, args: JSON.parse(control.value) } });
  } catch (error) {
    control.setCustomValidity(`This is no JSON: ${error.message}`);
    control.reportValidity();
    control.setCustomValidity("");
  }
}

function anything(value, answer) {
  const id = newId("reply");
  const words = el("textarea", { id, rows: 2 });
  const said = () => {
    try {
      return JSON.parse(words.value);
    } catch {
      return words.value;
    }
  };
  return [
    textBlock(shown(value)),
    el("div.row", {}, button("Yes", () => answer(true), "primary"), button("No", () => answer(false))),
    el("label", { for: id }, "Or answer in words or JSON"), words,
    el("div.row", {}, button("Send", () => answer(said()))),
  ];
}

const button = (text, onclick, kind = "plain") => el(`button.${kind}`, { type: "button", onclick }, text);

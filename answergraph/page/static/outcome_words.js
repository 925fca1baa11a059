// What the page says of a run: a word, a tone, and the sentence that says why. Knows no elements.

import { answersIn, BARE, countOf, verdictOf } from "./answers.js";
import { coverageOf, worstOf } from "./coverage.js";
import { counted, lasted, moment, plural } from "./dom.js";
import { isReview } from "./review.js";
import { amount, tokensOf } from "./step_usage.js";
import { wrongWith } from "./timeline.js";

/** Of each status: tone, icon, and the words of the head. */
const STATUSES = {
  answered: ["ok", "check", "Answered"],
  abstained: ["honest", "check", "No answer: abstained"],
  invalid: ["no", "cross", "No answer: invalid"],
  unanswered: ["no", "cross", "No answer: unanswered"],
  truncated: ["no", "cross", "No answer: cut off"],
  empty: ["no", "cross", "No answer: empty"],
  refused: ["refused", "stop", "No answer: refused"],
  out_of_budget: ["limit", "warning", "No answer: out of budget"],
  deferred: ["away", "away", "Waiting for external calls"],
  queued: ["idle", "clock", "Queued"],
  sending: ["idle", "clock", "Sending"],
  running: ["running", "play", "Running"],
  stopping: ["idle", "stop", "Stopping"],
  waiting: ["you", "pause", "Waiting for you"],
  resumed: ["idle", "pause", "Waited for you"],
  failed: ["no", "cross", "Failed"],
  stopped: ["idle", "stop", "Stopped"],
  ended: ["idle", "ring", "Ended"],
  busy: ["running", "play", "Running"],
  interrupted: ["you", "pause", "Waiting for you"],
  error: ["no", "cross", "Failed"],
  idle: ["idle", "ring", "Ended"],
};
const ORDINALS = ["no", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const ordinal = (number) => ORDINALS[number] ?? `${number}th`;

/** What `langgraph dev` says of an error that is not its own; the failed step says more. */
const UNSAID = "An internal error occurred";

/** How a status looks and what it is called. */
export function statusWords(status) {
  const [tone, icon, word] = STATUSES[status] ?? ["idle", "ring", status];
  return { tone, icon, word };
}

/** The status of a run as the head tells it: an outcome says more than that the run has ended. */
export const toldStatus = ({ status, outcome }) => (status === "ended" && outcome ? outcome.status : status);

/** @param {import("./run_types.js").Run} run @returns {{tone: string, icon: string, word: string, rest: string, why: string[]}} */
export function headOf(run) {
  const status = toldStatus(run);
  return { ...statusWords(status), ...(TELLERS[status]?.(run) ?? failure(run)) };
}

const TELLERS = {
  answered: answered,
  sending: () => ({ rest: "", why: ["The run is on its way to the server."] }),
  queued: () => ({ rest: "", why: ["The server has accepted the run but not started it yet, because it is busy with other runs."] }),
  running: (run) => ({ rest: run.steps.length ? `, step ${top(run).at(-1)?.number ?? 1}` : "", why: [doing(run), ...sentBack(run)] }),
  stopping: () => ({ rest: "", why: ["The server has not reported yet that the run has stopped."] }),
  waiting: ({ interrupts, endedAt }) => ({
    rest: endedAt ? ` since ${moment(endedAt)}` : "",
    why: isReview(interrupts) ? [reviewOf(interrupts)] : [
      `${interrupts.length === 1 ? "A step waits" : `${plural(interrupts.length, "step")} wait`} for your decision. Nothing is carried out before you send it.`,
    ],
  }),
  deferred: ({ outcome }) => ({ rest: "", why: [outcome?.reason ?? "The run continues as soon as the last result arrives."] }),
  failed: (run) => {
    const step = run.steps.findLast(({ state }) => state === "failed");
    const { error, message } = run.error ?? {};
    const said = message && !(message === UNSAID && step?.error) ? `${error ? `${error}: ` : ""}${message}` : (step?.error ?? "The server gives no details.");
    return {
      rest: step ? ` in ${step.node}${run.olderSteps ? "" : `, step ${step.number}`}` : "",
      why: [said, step?.checkpoint ? "The state before this step is kept; you can continue from there." : ""],
    };
  },
  resumed: () => ({ rest: "", why: ["A later run of this thread continued from there."] }),
  stopped: (run) => ({ rest: top(run).length ? ` in step ${top(run).at(-1).number}` : "", why: ["Everything written until then is kept."] }),
  ended: (run) => {
    const answers = answersIn(run.values);
    if (answers.length === 1 && answers[0].outcome === BARE)
      return { ...statusWords("answered"), rest: "", why: ["The graph keeps no record of its attempts and of what supports the answer."] };
    const all = answers.map((record) => verdictOf(record) ?? record.outcome.status.replaceAll("_", " "));
    const decided = all.length ? null : decisionIn(run.values);
    if (decided) return { rest: `: ${decided.word}`, why: [decided.why] };
    if (all.length)
      return {
        rest: `: ${plural(all.length, "answer")}`,
        why: [`${[...Map.groupBy(all, (verdict) => verdict)].map(([verdict, { length }]) => `${length} ${verdict}`).join(", ")}.`],
      };
    return {
      rest: top(run).length ? `: ${plural(top(run).length, "step")}, no error` : "",
      why: ["This graph declares no answer. Its results are its state and its last message."],
    };
  },
  none: (run) => ({ word: run.checkpoint ? "A checkpoint" : "Nothing has run here yet", rest: "", why: [] }),
};

function reviewOf(interrupts) {
  const count = interrupts.reduce((all, { value }) => all + Object.keys(value.fields).length, 0);
  return `${plural(count, "field")} could not be settled. Nothing is sent before you send it; what you decide is kept in this tab.`;
}

/** What a graph without an answer says of its end: a judge, a workflow, or one that names its problems. */
function decisionIn(values) {
  const judgment = Object.values(values).find((value) => typeof value?.reason === "string" && "label" in value);
  if (judgment) return { word: judgment.label ?? "no rule holds", why: judgment.reason };
  const { status, reason, problems } = values;
  if (typeof status === "string" && typeof reason === "string") return { word: status, why: reason };
  if (!Array.isArray(problems) || !problems.length || problems.some((each) => typeof each !== "string")) return null;
  return { word: plural(problems.length, "problem"), why: problems.join(" ") };
}

/** The steps of the outermost graph; they are not counted before all of them are there. */
const top = ({ steps, olderSteps, isReadingSteps }) => (olderSteps || isReadingSteps ? [] : steps.filter(({ space, isAgain }) => !space && !isAgain));

function doing({ steps }) {
  const now = [...new Set(steps.filter(({ state }) => state === "running").map(({ node }) => node))];
  return now.length ? `At work: ${now.slice(0, 4).join(", ")}.` : "";
}

function sentBack({ outcome, growing }) {
  if (outcome?.attempts?.length) return told(outcome.attempts);
  return growing
    .filter(({ status, reason }) => status === "rejected" && reason)
    .map(({ attempt, reason }) => `Attempt ${attempt} was sent back: ${reason}`);
}

const isAccepted = ({ status }) => status === "answered" || status === "abstained";
const told = (attempts) =>
  attempts.flatMap((attempt, index) => (isAccepted(attempt) ? [] : [`Attempt ${index + 1}: ${ended(wrongWith(attempt, Infinity))}`]));
const ended = (text) => (/[.!?…]$/.test(text) ? text : `${text.replace(/:$/, "")}.`);

function answered({ outcome }) {
  const attempts = outcome.attempts ?? [];
  const before = told(attempts);
  const which = attempts.length ? ` on the ${ordinal(attempts.length)} attempt` : "";
  return {
    rest: which,
    but: worst(outcome, ", but "),
    why: [...(before.length > 4 ? [before[0], `${before.length - 2} more were sent back.`, before.at(-1)] : before), supportOf(outcome)],
  };
}

/** Whether the caller's own words are what supports it. */
const readsInput = ({ fields }) => Object.values(fields ?? {}).some(({ evidence }) => evidence?.some(({ source }) => source.kind === "input"));
const worst = (outcome, before) => {
  const found = readsInput(outcome) && worstOf(fieldsOf(outcome));
  return found ? { ...found, text: before + found.text } : null;
};
const fieldsOf = ({ fields }) => Object.entries(fields ?? {}).map(([path, { status }]) => ({ path, status }));

/** What was checked against the results of tools, and what was not. */
function supportOf(outcome) {
  if (!Object.keys(outcome.fields ?? {}).length)
    return "No field was checked: the answer has no values, or the agent has no check of evidence.";
  if (readsInput(outcome)) return coverageOf(fieldsOf(outcome));
  const supported = countOf(outcome, "supported", "derived", "judged", "given");
  if (!supported) return "No field was checked against a tool result.";
  const told = [
    [supported, "was found in the results of tools", "were found in the results of tools"],
    [countOf(outcome, "unchecked"), "was not checked", "were not checked"],
    [countOf(outcome, "disputed", "ambiguous", "unsupported", "not_found"), "is doubtful", "are doubtful"],
  ];
  return `${told
    .filter(([number]) => number)
    .map(([number, one, many]) => `${plural(number, "field")} ${number === 1 ? one : many}`)
    .join("; ")}.`;
}

function failure({ outcome }) {
  const attempts = outcome?.attempts ?? [];
  const rest = attempts.length ? ` after ${attempts.length === 1 ? "one attempt" : `${plural(attempts.length, "attempt")}`}` : "";
  const last = attempts.findLast((attempt) => !isAccepted(attempt));
  const said = outcome?.reason ?? "";
  const wrong = last && wrongWith(last, Infinity);
  const isSaid =
    !wrong || said.includes(wrong.replace(/[.…]$/, "")) || Object.entries(last.fields ?? {}).some(([path, sentence]) => said.includes(path) && said.includes(sentence.slice(0, 30)));
  return { rest, but: outcome && worst(outcome, ": "), why: [said, !isSaid ? `Attempt ${attempts.indexOf(last) + 1}: ${ended(wrong)}` : ""] };
}

/** What was used, beside the limit if there is one. */
const used = (count, limit) => (limit ? `${counted(count)} of ${counted(limit)}` : counted(count));

/** What a run has used, as figure, word, and whether that was the limit that ended it. */
export function usageOf(run) {
  const { outcome, steps, messages, begunAt, createdAt, endedAt } = run;
  const { usage, limits = {}, attempts = [] } = outcome ?? {};
  const named = (count, limit, noun, name) => [used(count, limit), (limit ?? count) === 1 ? noun : `${noun}s`, name];
  const last = Math.max(...steps.map(({ ended }) => ended ?? 0), endedAt ?? 0);
  const first = begunAt ?? top(run).find(({ began }) => began)?.began ?? createdAt;
  const tokens = usage?.total_tokens ?? tokensOf(messages);
  const calls = usage ?? {
    model_calls: messages.filter(({ type, growing }) => type === "ai" && !growing).length,
    tool_calls: messages.filter(({ type }) => type === "tool").length,
  };
  const facts = [
    limits.seconds ? [`${lasted(1000 * usage.seconds)} of ${lasted(1000 * limits.seconds)}`, "", "seconds"] : first && last > first && [lasted(last - first), ""],
    usage && named(calls.model_calls, limits.model_calls, "model call", "model_calls"),
    usage && named(calls.tool_calls, limits.tool_calls, "tool call", "tool_calls"),
    !usage && top(run).length > 0 && named(top(run).length, null, "step"),
    tokens && named(tokens, limits.total_tokens, "token", "total_tokens"),
    (usage?.cost > 0 || limits.cost) && [`${amount(usage.cost ?? 0)}${limits.cost ? ` of ${limits.cost}` : ""}`, "cost", "cost"],
    attempts.length > 0 && limits.answer_attempts && named(attempts.length, limits.answer_attempts, "attempt", "answer_attempts"),
  ].filter(Boolean).map(([figure, word, name]) => [figure, word, Boolean(name) && name === outcome?.limit]);
  const corrections = usage?.by_cause?.correction?.total_tokens ?? 0;
  return { facts, corrections: tokens ? corrections / tokens : 0, isUnknown: !tokens && calls.model_calls > 0 };
}

const SENTENCES = {
  sending: "The run is sent.",
  queued: "The server has accepted the run.",
  running: "The run goes on.",
  stopping: "Stopping.",
  waiting: "The run waits for you.",
  deferred: "The run waits for external calls.",
  resumed: "The run waited for you.",
  failed: "The run failed.",
  stopped: "The run was stopped.",
};

/** What is said of a run to those who do not see the page. */
export function statusLine(run) {
  if (run.status !== "ended") return SENTENCES[run.status] ?? "";
  return run.outcome ? `The run has ended: ${run.outcome.status}.` : "The run has ended.";
}

// A report of `answergraph eval`: how right each field is, the worst first, and the runs of the cases, with what is wrong in each.

import { el, icon, plural } from "./dom.js";
import { statusWords } from "./outcome_words.js";

const MARKS = ["right", "wrong", "missing", "extra"];
const percent = (share) => `${Math.round(100 * share)} %`;
const nameOf = (field) => field || "the answer";

/** @param {{runs: object[], fields: Record<string, object>}} report @returns {HTMLElement[]} */
export function evaluationParts({ runs, fields }) {
  const scores = Object.entries(fields).map(([field, score]) => ({ field, ...score, all: sumOf(score) }));
  const [right, all] = [scores.reduce((sum, each) => sum + each.right, 0), scores.reduce((sum, each) => sum + each.all, 0)];
  const cases = new Set(runs.map((run) => run.case)).size;
  const faulty = runs.filter((run) => wrongIn(run).length).length;
  const told = faulty ? `${faulty} of ${plural(runs.length, "run")} ${faulty === 1 ? "has" : "have"} something wrong` : "no run has anything wrong";
  return [
    el("h1", {}, `${percent(all ? right / all : 0)} of the fields are right; ${told}`),
    el("p.hint", {}, [plural(cases, "case"), plural(runs.length, "run"), ...figures(runs)].join(" · ")),
    el("h2", {}, "Fields, the least right first"),
    table(scores.toSorted((one, other) => one.right / one.all - other.right / other.all)),
    el("h2", {}, "Cases, those with something wrong first"),
    el("div", { role: "list" }, ...rows(runs)),
  ];
}

const sumOf = (score) => MARKS.reduce((sum, mark) => sum + score[mark], 0);
const wrongIn = ({ fields }) => fields.filter(({ mark }) => mark !== "right");

/** What all runs used, where each of them knows it. */
function figures(runs) {
  const total = (name) => (runs.every(({ usage }) => typeof usage[name] === "number") ? runs.reduce((sum, { usage }) => sum + usage[name], 0) : null);
  const [calls, tokens, cost] = ["model_calls", "total_tokens", "cost"].map(total);
  return [calls !== null && plural(calls, "model call"), tokens !== null && plural(tokens, "token"), cost !== null && `cost ${Number(cost.toPrecision(4))}`].filter(Boolean);
}

function table(scores) {
  const heads = ["field", ...MARKS, "supported", "right of all", "95 % interval"];
  const cells = ({ field, all, interval, ...score }) => [
    ...MARKS.map((mark) => score[mark]), score.supported, percent(all ? score.right / all : 0), `${percent(interval[0])} to ${percent(interval[1])}`,
  ];
  const row = (score) => el("tr", {}, el("th", { scope: "row" }, nameOf(score.field)), ...cells(score).map((cell) => el("td", {}, String(cell))));
  return el("div.scores", { tabindex: "0", role: "region", "aria-label": "Fields" },
    el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...scores.map(row))));
}

function rows(runs) {
  const counts = new Map();
  const numbered = runs.map((run) => {
    counts.set(run.case, (counts.get(run.case) ?? 0) + 1);
    return { ...run, number: counts.get(run.case) };
  });
  const isRepeated = [...counts.values()].some((count) => count > 1);
  return numbered.toSorted((one, other) => wrongIn(other).length - wrongIn(one).length).map((run) => caseRow(run, isRepeated));
}

function caseRow(run, isRepeated) {
  const [wrong, { tone, icon: sign, word }] = [wrongIn(run), statusWords(run.status)];
  const why = run.status === "answered" ? (wrong.length ? `${wrong.length} of ${plural(run.fields.length, "field")} not right` : `${plural(run.fields.length, "field")} right`) : run.reason;
  const summary = el("summary", {}, el("span.title", {}, isRepeated ? `${run.case}, run ${run.number}` : run.case), el("span.badge", { "data-tone": tone }, icon(sign), word), el("span.why", {}, why));
  const lines = wrong.map(({ field, mark, problem }) => el("li", {}, el("b", {}, nameOf(field)), ` ${mark}${problem ? `: ${problem}` : ""}`));
  const open = lines.length ? el("ul", {}, ...lines) : el("p", {}, run.reason);
  return el("div", { role: "listitem" }, el("details.case", { "data-status": run.status }, summary, open));
}

// A value's place in the result that supports it: numbered lines, the span marked; and where there is none, word against word.

import { cutAt } from "./answers.js";
import { button, el, plural } from "./dom.js";

/** How many lines are shown on either side of the span. */
const AROUND = 4;
/** How many words are compared at most. */
const MAX_WORDS = 120;

/** The number of the line that holds a character. */
export const lineOf = (text, start) => cutAt(text, start, start)[0].split("\n").length;

/** Show a passage.
 * @param {{source: {tool: string, text: string, args?: object, message?: object}, start: number, end: number, answer?: string, sentence?: string}} what
 * @param {(messageId: string) => void} goTo shows the message it comes from
 */
export function evidence({ source, start, end, answer, sentence }, goTo) {
  if (!source) return [el("p", {}, "The result of that call is not shown here.")];
  const { text, tool, args, message } = source;
  const [before, marked, after] = cutAt(text, start, end);
  const lines = markedLines(before, marked, after);
  const hits = lines.flatMap(({ hit }, index) => (hit ? [index] : []));
  const list = el("ol", { tabindex: "0", role: "list", "aria-label": "The tool's result" });
  const show = (from, to) => list.replaceChildren(...lines.slice(from, to).map(row));
  const [from, to] = [Math.max(0, hits[0] - AROUND), hits.at(-1) + AROUND + 1];
  show(from, to);
  const isCut = from > 0 || to < lines.length;
  const all =
    isCut &&
    button(
      `Show all ${plural(lines.length, "line")}`,
      (event) => {
        show(0, lines.length);
        event.currentTarget.remove();
        list.querySelector("mark")?.scrollIntoView({ block: "nearest" });
      },
      { kind: "quiet" },
    );
  return [
    answer === undefined
      ? el("p", {}, "Found word for word in ", el("code", {}, call(tool, args)), ".")
      : compared(answer, marked, sentence),
    el("div.passage", {}, el("p", {}, el("span", {}, `${tool ?? "tool"}, ${plural(lines.length, "line")}`), el("span", {}, `line ${hits[0] + 1}`)), list),
    el("div.row", {}, all, message && button("Go to the message", () => goTo(message.id), { kind: "quiet" })),
  ];
}

const call = (tool, args) => (args ? `${tool} ${JSON.stringify(args)}` : (tool ?? "a tool"));
const row = ({ number, parts, hit }) =>
  el(`li${hit ? ".hit" : ""}`, { "data-line": number }, el("code", {}, ...parts.map(([text, isMarked]) => (isMarked ? el("mark", {}, text) : text))));

/** The text's lines, each in parts that are marked or not. */
function markedLines(before, marked, after) {
  const lines = [{ number: 1, parts: [], hit: false }];
  for (const [text, isMarked] of [[before, false], [marked, true], [after, false]])
    for (const [index, piece] of text.split("\n").entries()) {
      if (index) lines.push({ number: lines.length + 1, parts: [], hit: false });
      if (piece) lines.at(-1).parts.push([piece, isMarked]);
      if (isMarked) lines.at(-1).hit = true;
    }
  return lines;
}

function compared(answer, found, sentence) {
  const [own, theirs] = differences(answer.split(/(?<=\s)/).slice(0, MAX_WORDS), found.split(/(?<=\s)/).slice(0, MAX_WORDS));
  return el(
    "div",
    {},
    el("p", {}, sentence ?? "", " The nearest passage is shown to help; similarity alone never makes a quote acceptable."),
    el(
      "dl.words",
      {},
      el("dt", {}, "answer"),
      el("dd", {}, ...own.map(([word, isShared]) => (isShared ? word : el("del", {}, word)))),
      el("dt", {}, "result"),
      el("dd", {}, ...theirs.map(([word, isShared]) => (isShared ? word : el("ins", {}, word)))),
    ),
  );
}

/** Which words two lists share in the same order: their longest common part. */
function differences(one, other) {
  const same = (a, b) => a.trim() === b.trim();
  const lengths = Array.from({ length: one.length + 1 }, () => new Array(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i][j] = same(one[i], other[j]) ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const [own, theirs] = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && same(one[i], other[j]))
      (own.push([one[i++], true]), theirs.push([other[j++], true]));
    else if (j >= other.length || (i < one.length && lengths[i + 1][j] >= lengths[i][j + 1])) own.push([one[i++], false]);
    else theirs.push([other[j++], false]);
  }
  return [own, theirs];
}

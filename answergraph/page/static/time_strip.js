// The strip above the timeline: when each node was at work. Screen readers have the same in the rows.

import { el, lasted, svg } from "./dom.js";

const MAX_LANES = 8;

/** Draw spans of time as one line each. @param {{began: number, ended: number}[]} spans @param {number} begin @param {number} whole */
export function spansIn(spans, begin, whole) {
  const at = (time) => ((time - begin) / whole) * 1000;
  return spans.map(({ began, ended }) => `M${at(began)},7H${Math.max(at(ended), at(began) + 3)}`).join("");
}

/** Fill the strip. @param {HTMLElement} place @param {object[]} rows @param {(row: object) => void} jump a moment was clicked */
export function drawStrip(place, rows, jump) {
  const timed = rows.filter(({ took }) => took !== null);
  place.hidden = timed.length < 2;
  if (timed.length < 2) return;
  const begin = Math.min(...timed.map(({ step }) => step.began));
  const whole = Math.max(1, Math.max(...timed.map(({ step }) => step.ended)) - begin);
  const byName = Map.groupBy(timed, ({ step }) => step.node);
  const lanes = [...(byName.size > MAX_LANES ? Map.groupBy(timed, ({ kind }) => kind) : byName)];
  const clicked = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const time = begin + ((event.clientX - box.left) / box.width) * whole;
    const nearest = timed.findLast(({ step }) => step.began <= time);
    if (nearest) jump(nearest);
  };
  const lane = ([name, members]) => [
    el("span", {}, name),
    svg(
      "svg",
      { viewBox: "0 0 1000 14", preserveAspectRatio: "none", onclick: clicked },
      svg("path", { "data-kind": members[0].kind, d: spansIn(members.map(({ step }) => step), begin, whole) }),
    ),
  ];
  const scale = [0, 0.25, 0.5, 0.75, 1].map((part) => el("span", {}, part ? lasted(part * whole) : "0"));
  place.replaceChildren(...lanes.flatMap(lane), el("div.scale", {}, ...scale));
}

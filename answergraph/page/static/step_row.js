// One row of the timeline.

import { counted, el, icon, lasted } from "./dom.js";
import { amount } from "./step_usage.js";

const SIGNS = { ok: "check", no: "cross", you: "pause", honest: "check", away: "away" };

/** Make the element of a row. @param {object} row @param {number} at its place among all rows @param {boolean} isSelected
 * @param {() => void} onclick
 */
export function stepRow(row, at, isSelected, onclick) {
  const sign = row.tone && SIGNS[row.tone];
  const isNow = row.step.state === "running" && row.kind !== "fold";
  const fold = row.hasMore ? (row.isOpened ? " ▾" : " ▸") : "";
  const element = el(
    `div.step${row.kind === "fold" ? ".folded" : ""}`,
    {
      role: "row",
      "data-id": row.id,
      "data-depth": row.depth,
      "data-kind": row.kind,
      "data-state": row.step.state,
      "data-tone": row.tone,
      "aria-rowindex": at + 1,
      "aria-level": row.depth + 1,
      tabindex: isSelected ? "0" : "-1",
      "aria-selected": String(isSelected),
      "aria-expanded": row.hasMore ? String(Boolean(row.isOpened)) : null,
      "data-parallel": row.isParallel,
      onclick,
    },
    el("span.number", { role: "gridcell" }, row.number ?? ""),
    el(
      "span.named",
      { role: "gridcell" },
      el("i.glyph", { "data-kind": row.kind, "data-now": isNow, "data-tone": row.tone }),
      el("span", { title: row.name }, row.name, fold),
    ),
    el("span.what", { role: "gridcell", "data-tone": row.tone, title: row.what }, sign && icon(sign), sign && " ", row.what),
    el("span.figure.tokens", { role: "gridcell" }, row.tokens ? counted(row.tokens) : ""),
    el("span.figure.cost", { role: "gridcell" }, row.cost ? amount(row.cost) : ""),
    el("span.figure", { role: "gridcell" }, lasted(row.took)),
    el("span.then", { role: "gridcell", title: row.then }, row.then),
  );
  element.style.setProperty("--at", at);
  element.style.setProperty("--depth", row.depth);
  return element;
}

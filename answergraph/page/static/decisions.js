// What a judge and a workflow decided, by what their nodes wrote. Knows no elements.

const isJudgment = (value) => Array.isArray(value?.stages) && "label" in value;
const judgmentIn = (wrote) => Object.values(wrote ?? {}).find(isJudgment);

/** Of each stage of a judge, by its node. The judgment names them all; the stages themselves write what no caller sees.
 * @param {object[]} steps of one graph
 */
export function stagesOf(steps) {
  const judgment = steps.map(({ wrote }) => judgmentIn(wrote)).findLast(Boolean);
  return new Map((judgment?.stages ?? []).map((stage) => [stage.method, stage]));
}

/** A row of a stage. */
export function stageRow({ status, usage }) {
  return { kind: "model", tone: status === "matched" ? null : status === "no_match" ? "honest" : "no", tokens: usage?.total_tokens ?? 0 };
}

/** What a step decided: a judgment, where a workflow goes next, or how it ended; undefined for any other step. */
export function decisionOf(wrote) {
  const judgment = judgmentIn(wrote);
  if (judgment) return `${judgment.label ?? "no rule holds"}: ${judgment.reason}`;
  const { transitions, status, reason } = wrote ?? {};
  const last = Array.isArray(transitions) && transitions.at(-1);
  if (last?.rule) return `${last.rule} → ${last.next}: ${last.reason}`;
  return typeof status === "string" && typeof reason === "string" ? `${status}: ${reason}` : undefined;
}

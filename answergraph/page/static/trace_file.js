// A run as a file of OpenTelemetry: spans in one line of OTLP, as JSON, which viewers of traces take in. Names as in `answergraph.telemetry`.

import { saveText } from "./saved_file.js";
import { messagesIn } from "./steps.js";
import { kindOf } from "./timeline.js";

const OPERATIONS = { model: "chat", tool: "execute_tool" };
const [INTERNAL, ERROR] = [1, 2];

/** @param {import("./run_types.js").Run} run that is over @param {string} graph */
export function saveTrace(run, graph) {
  const [begin, end] = [run.begunAt ?? run.createdAt ?? Date.now(), run.endedAt ?? Date.now()];
  const traceId = (run.id ?? crypto.randomUUID()).replaceAll("-", "");
  const span = (at, parent, name, began, ended, known, wrong) => ({
    traceId, spanId: idOf(at), parentSpanId: parent, name, kind: INTERNAL, startTimeUnixNano: nanoseconds(began), endTimeUnixNano: nanoseconds(Math.max(began, ended)),
    attributes: attributesOf(known), status: wrong ? { code: ERROR, message: wrong } : {},
  });
  const { status, reason } = run.outcome ?? {};
  const wrong = run.error?.message ?? (["answered", "abstained", "deferred", undefined].includes(status) ? null : reason);
  const whole = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": graph, "answergraph.status": status, "answergraph.reason": reason };
  const around = new Map(run.steps.map(({ childSpace }, index) => [childSpace, index + 1]));
  const spans = run.steps.map((step, index) => {
    const [began, known] = [step.began ?? step.ended ?? begin, attributesOfStep(step)];
    const name = [known["gen_ai.operation.name"] ?? step.node, known["gen_ai.response.model"], known["gen_ai.tool.name"]].filter(Boolean).join(" ");
    return span(index + 1, idOf(step.space ? (around.get(step.space) ?? 0) : 0), name, began, step.ended ?? began, known, step.error);
  });
  const scopeSpans = [{ scope: { name: "answergraph" }, spans: [span(0, "", `invoke_agent ${graph}`, begin, end, whole, wrong), ...spans] }];
  saveText(`${graph || "graph"}-trace.jsonl`, JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf({ "service.name": graph }) }, scopeSpans }] }) + "\n");
}

function attributesOfStep(step) {
  const messages = messagesIn(step.wrote);
  const [said, tools] = [messages.findLast(({ type }) => type === "ai"), messages.filter(({ type }) => type === "tool")];
  const { input_tokens: input, output_tokens: output } = said?.usage_metadata ?? {};
  const [model, tool] = [said?.response_metadata?.model_name, tools.map(({ name }) => name).join(", ") || undefined];
  return { "langgraph.node": step.node, "gen_ai.operation.name": OPERATIONS[kindOf(step)], "gen_ai.response.model": model, "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output, "gen_ai.tool.name": tool };
}

const idOf = (at) => (at + 1).toString(16).padStart(16, "0");
const nanoseconds = (milliseconds) => `${Math.round(milliseconds)}000000`;
const attributesOf = (known) =>
  Object.entries(known).flatMap(([key, value]) => (value === undefined || value === null ? [] : [{ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: String(value) } }]));

// A2A's own client in JavaScript: takes steps one after another, and prints the task after each as a line of JSON.
import { randomUUID } from "node:crypto";
import { ClientFactory } from "@a2a-js/sdk/client";
import { taskStateToJSON } from "@a2a-js/sdk";

const [url, steps] = process.argv.slice(2);
const client = await new ClientFactory().createFromUrl(url);
let task = null;

function request({ text, data }, returnImmediately = false) {
  const content = text === undefined ? { $case: "data", value: data } : { $case: "text", value: text };
  return {
    message: {
      messageId: randomUUID(), role: 1, taskId: task?.id ?? "", contextId: task?.contextId ?? "",
      parts: [{ content, metadata: {}, filename: "", mediaType: "" }], extensions: [], referenceTaskIds: [], metadata: {},
    },
    tenant: "", metadata: {},
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined, returnImmediately },
  };
}

async function streamed(step) {
  const artifacts = [];
  for await (const { payload } of client.sendMessageStream(request(step))) {
    if (payload.$case === "task") task = payload.value;
    if (payload.$case === "artifactUpdate") artifacts.push(payload.value.artifact.parts[0].content.value);
  }
  return { artifacts };
}

async function cancelled(step) {
  task = await client.sendMessage(request(step, true));
  await client.cancelTask({ id: task.id, tenant: "", metadata: {} });
  return {};
}

for (const step of JSON.parse(steps)) {
  let more = {};
  if (step.stream) more = await streamed(step);
  else if (step.cancel) more = await cancelled(step);
  else task = await client.sendMessage(request(step));
  task = await client.getTask({ id: task.id, tenant: "", historyLength: undefined });
  const parts = (of) => (of?.parts ?? []).map(({ content }) => content.value);
  console.log(JSON.stringify({
    ...more, state: taskStateToJSON(task.status.state), artifact: parts(task.artifacts[0]), message: parts(task.status.message),
    outcome: task.artifacts[0]?.metadata?.["answergraph/outcome"] ?? null,
  }));
}

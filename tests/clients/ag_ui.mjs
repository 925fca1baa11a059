// A page with AG-UI's own client: takes steps one after another, and prints what it knows after each as a line of JSON.
import { HttpAgent } from "@ag-ui/client";

const [url, steps] = process.argv.slice(2);
const agent = new HttpAgent({ url, threadId: "page" });

for (const [index, step] of JSON.parse(steps).entries()) {
  const seen = { events: [], answers: [], questions: [], error: null };
  if (step.message) agent.addMessage({ id: `${index}`, role: "user", content: step.message });
  if (step.results) {
    for (const [id, content] of Object.entries(step.results)) {
      agent.addMessage({ id: `${index}-${id}`, role: "tool", content, toolCallId: id });
    }
  }
  if (step.state) agent.setState(step.state);
  const subscriber = {
    onEvent: ({ event }) => {
      seen.events.push(event.type);
      if (event.type === step.leaveAt) agent.abortRun();
    },
    onStateChanged: ({ state }) => seen.answers.push(structuredClone(state.structured_response ?? null)),
    onCustomEvent: ({ event }) => seen.questions.push(JSON.parse(event.value)),
    onRunErrorEvent: ({ event }) => { seen.error = event.message; },
  };
  const forwardedProps = step.resume === undefined ? {} : { command: { resume: step.resume } };
  try {
    await agent.runAgent({ forwardedProps }, subscriber);
  } catch (error) {
    seen.error ??= String(error);
  }
  console.log(JSON.stringify({ ...seen, state: agent.state }));
}

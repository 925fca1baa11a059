// A file opened without a LangGraph server, by `answergraph page FILE`.

import { HeadView } from "./head_view.js";
import { RecordView } from "./record_view.js";
import { Theme } from "./theme.js";

const at = (id) => document.getElementById(id);

/** What a view needs of a run that is over and not stored on a server. @returns {import("./run_types.js").Run} */
const runOf = ({ answer, outcome, messages = [], steps = [] }) => ({
  status: "ended", thread: null, runs: [], checkpoint: null, steps, messages, growing: [], interrupts: [], error: null, olderSteps: null, connection: { state: "idle" },
  values: { structured_response: answer, outcome }, outcome,
});

const SHOWN = {
  proofs(saved) {
    const run = runOf(saved);
    new HeadView(at("head"), at("left"), {}).show(run, {});
    at("record").hidden = false;
    new RecordView(at("record")).show(saved);
  },
};

async function begin() {
  const response = await fetch("opened");
  if (!response.ok) throw new Error(`The file cannot be read: ${response.status}.`);
  const opened = await response.json();
  at("description").textContent = opened.name;
  document.title = `${opened.name} · answergraph`;
  await SHOWN[opened.kind](opened);
}

new Theme(at("theme"), () => {});
begin()
  .catch((error) => ((at("error").textContent = error.message), (at("error").hidden = false)))
  .finally(() => (document.body.dataset.ready = "true"));

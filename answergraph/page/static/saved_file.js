// What the page saves as a file, which `answergraph page FILE` opens without a server.

/** @param {{answer: any, outcome: object, documents: object[]}} proofs of an answer @param {string} graph */
export const saveProofs = (proofs, graph) => save("answergraph-proofs/1", `${graph || "answer"}-proofs.json`, { graph, ...proofs });

/** @param {import("./run_types.js").Run} run that is over, with its steps as far as they were read
 * @param {Map<string, string[]>} reasons of its graph's edges @param {string} graph
 */
export function saveRun({ status, steps, messages, values, outcome, error, interrupts, createdAt, begunAt, endedAt }, reasons, graph) {
  const run = { status, steps, messages, values, outcome, error, interrupts, createdAt, begunAt, endedAt };
  save("answergraph-run/1", `${graph || "graph"}-run.json`, { graph, run, reasons: [...reasons] });
}

const save = (format, name, content) => saveText(name, JSON.stringify({ format, saved: new Date().toISOString(), ...content }, null, 1));

/** @param {string} name of the file @param {string} text */
export function saveText(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

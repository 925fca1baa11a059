// An answer with its proofs as a file, which `answergraph page FILE` opens without a server.

export const FORMAT = "answergraph-proofs/1";

/** @param {{answer: any, outcome: object, documents: object[]}} proofs @param {string} graph */
export function saveProofs(proofs, graph) {
  const text = JSON.stringify({ format: FORMAT, graph, saved: new Date().toISOString(), ...proofs }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${graph || "answer"}-proofs.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

// The path a run has taken through its graph, and the reasons on the edges. Knows no elements.

import { edgeKey } from "./graph_layout.js";

/** The reasons on the edges of a graph, by level and ends; several between the same two nodes stand side by side. */
export function reasonsOf(graph) {
  const reasons = new Map();
  for (const { source, target, data } of graph?.edges ?? []) {
    if (!data) continue;
    for (const key of levels(String(source), String(target))) {
      const known = reasons.get(key) ?? [];
      if (!known.includes(String(data))) reasons.set(key, [...known, String(data)]);
    }
  }
  return reasons;
}

/** An edge out of a subgraph, or into one, belongs to the level that holds both. */
function levels(source, target) {
  const [from, to] = [source.split(":"), target.split(":")];
  let shared = 0;
  while (shared < from.length - 1 && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  return [edgeKey(from.slice(0, shared).join(":"), from[shared], to[shared])];
}

/** What the drawn edges tell of a run. */
export class DrawnEdges {
  /** @type {Map<string, {inside: string, from: string, to: string}>} */
  #edges = new Map();
  #drawn = new Set();

  constructor(graph) {
    for (const { source, target } of graph?.edges ?? [])
      for (const key of levels(String(source), String(target))) {
        const [inside, from, to] = JSON.parse(key);
        this.#edges.set(key, { inside, from, to });
        this.#drawn.add(edgeKey(inside, from, ""));
      }
  }

  /** Whether an edge leads from one node to another; where no edge of a node is drawn, any may. */
  leads = (inside, from, to) => !this.#drawn.has(edgeKey(inside, from, "")) || this.#edges.has(edgeKey(inside, from, to));

  /** The node where edges join that lies between two steps, if it can be only one. @param {string[]|null} after null if nobody knows */
  joinBetween(inside, before, after) {
    const into = Map.groupBy([...this.#edges.values()].filter((edge) => edge.inside === inside), ({ to }) => to);
    const found = [...into].filter(([node, edges]) =>
      edges.length > 1 && edges.some(({ from }) => before.includes(from)) && (!after || after.some((to) => this.leads(inside, node, to))));
    return found.length === 1 ? found[0][0] : null;
  }
}

/** What the graph shows of a run: how often each node was visited and each edge taken. */
export function lightsOf(steps) {
  const [nodes, edges] = [new Map(), new Map()];
  const take = (...ends) => edges.set(edgeKey(...ends), (edges.get(edgeKey(...ends)) ?? 0) + 1);
  for (const { node, inside, state, next, isAgain } of steps) {
    if (isAgain) continue;
    const path = inside ? `${inside}:${node}` : node;
    const { running = 0, done = 0, failed = false } = nodes.get(path) ?? {};
    nodes.set(path, {
      running: running + (state === "running"),
      done: done + (state !== "running" && state !== "waits"),
      failed: failed || state === "failed",
      waits: state === "waits",
    });
    for (const target of next) take(inside, node, target);
  }
  const firsts = steps.filter(({ number, isAgain }) => number === 1 && !isAgain);
  for (const { inside, node } of firsts) take(inside, "__start__", node);
  return { nodes, edges };
}

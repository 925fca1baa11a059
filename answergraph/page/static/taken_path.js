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

/** Tells whether an edge leads from one node to another; where no edge of a node is drawn, any may. */
export function leadsOf(graph) {
  const edges = new Set();
  for (const { source, target } of graph?.edges ?? [])
    for (const key of levels(String(source), String(target))) {
      const [inside, from] = JSON.parse(key);
      edges.add(key).add(edgeKey(inside, from, ""));
    }
  return (inside, from, to) => !edges.has(edgeKey(inside, from, "")) || edges.has(edgeKey(inside, from, to));
}

/** What the graph shows of a run: how often each node was visited and each edge taken. */
export function lightsOf(steps) {
  const [nodes, edges] = [new Map(), new Map()];
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
    for (const target of next) edges.set(edgeKey(inside, node, target), (edges.get(edgeKey(inside, node, target)) ?? 0) + 1);
  }
  const firsts = steps.filter(({ number }) => number === 1);
  for (const { inside, node } of firsts) edges.set(edgeKey(inside, "__start__", node), 1);
  return { nodes, edges };
}

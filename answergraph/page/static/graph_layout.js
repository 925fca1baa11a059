// Where the parts of a graph lie. Each subgraph is laid out alone and then stands as one node in the graph around it, so that no line
// crosses a frame. Knows no elements.

import { Graph, layout } from "./vendor/dagre.js";

const NODE_HEIGHT = 30;
const LABEL_HEIGHT = 18;
/** Room for "×99" beside a name, in pixels. */
const COUNT_WIDTH = 26;
const PADDING = 14;
const TITLE_HEIGHT = 24;
const LOOP_WIDTH = 26;
const LONGEST_NAME = 40;

/** The last part of a path: `case:explore:model` is `model`. */
export const nameOf = (path) => path.slice(path.lastIndexOf(":") + 1).replace(/^__(start|end)__$/, "$1");
export const isTerminal = (path) => /(^|:)__(start|end)__$/.test(path);
export const shortened = (text) => (text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text);

/** What an edge is called: its level and both ends. */
export const edgeKey = (inside, source, target) => JSON.stringify([inside, source, target]);

/** The paths of all subgraphs that the graph shows the inside of. */
export function groupsOf({ nodes }) {
  const groups = new Set();
  for (const { id } of nodes)
    for (let at = String(id).indexOf(":"); at >= 0; at = String(id).indexOf(":", at + 1)) groups.add(String(id).slice(0, at));
  return groups;
}

/** What a part is called in the layout, which keeps parts as keys of plain objects: a node may be called `__proto__`. */
const keyOf = (name) => `part ${name}`;

/** Place a graph.
 * @param {{nodes: {id: string}[], edges: {source: string, target: string, conditional?: boolean, data?: string}[]}} graph
 * @param {(path: string) => boolean} isOpen whether a subgraph shows its inside
 * @param {(text: string) => number} widthOf a text's width in pixels
 * @returns {{width: number, height: number, nodes: object[], edges: object[]}} a node that is open has `inner`, the same again
 */
export function place(graph, isOpen, widthOf, level = "") {
  const prefix = level && `${level}:`;
  const groups = groupsOf(graph);
  const childOf = (id) => (id.startsWith(prefix) ? prefix + id.slice(prefix.length).split(":")[0] : null);
  const drawn = new Graph({ multigraph: true }).setGraph({ rankdir: "TB", nodesep: 30, ranksep: 26, edgesep: 18, marginx: 8, marginy: 8 });
  for (const path of new Set(graph.nodes.map(({ id }) => childOf(String(id))))) {
    if (path === null) continue;
    const inner = groups.has(path) && isOpen(path) ? place(graph, isOpen, widthOf, path) : null;
    const width = widthOf(shortened(nameOf(path))) + (isTerminal(path) ? 0 : COUNT_WIDTH) + 2 * PADDING;
    const size = inner
      ? { width: Math.max(width, inner.width), height: inner.height + TITLE_HEIGHT }
      : { width, height: NODE_HEIGHT };
    drawn.setNode(keyOf(path), { ...size, path, inner, isGroup: groups.has(path) });
  }
  for (const edge of edgesAt(graph, childOf, groups)) {
    const width = edge.label ? widthOf(shortened(edge.label)) + COUNT_WIDTH : 0;
    drawn.setEdge(keyOf(edge.source), keyOf(edge.target), { ...edge, level, width, height: width ? LABEL_HEIGHT : 0, labelpos: "c" }, `reason ${edge.label}`);
  }
  layout(drawn);
  return framed(drawn);
}

/** The edges between the children of one level, each once. */
function* edgesAt({ edges }, childOf, groups) {
  const seen = new Set();
  for (const { source, target, conditional = false, data } of edges) {
    const [from, to] = [childOf(String(source)), childOf(String(target))];
    // An edge that stays inside a subgraph is drawn there.
    if (from === null || to === null || (from === to && groups.has(from))) continue;
    const label = data ? String(data) : "";
    const key = JSON.stringify([from, to, label]);
    if (!seen.has(key)) yield { source: from, target: to, label, conditional: Boolean(conditional) };
    seen.add(key);
  }
}

function framed(drawn) {
  const nodes = drawn.nodes().map((id) => drawn.node(id));
  const edges = drawn.edges().map((id) => routed(drawn.edge(id), drawn.node(id.v), drawn.node(id.w)));
  const far = edges.map(({ x = 0, width }) => x + width / 2 + 8);
  return { width: Math.max(drawn.graph().width, ...far), height: drawn.graph().height, nodes, edges };
}

function routed(edge, from, to) {
  if (from === to) return looped(edge, from);
  const inner = edge.points.slice(1, -1);
  const first = inner[0] ?? { x: (from.x + to.x) / 2 };
  const last = inner.at(-1) ?? first;
  const down = from.y < to.y ? 1 : -1;
  const points = [edgeOf(from, first.x, down), ...inner, edgeOf(to, last.x, -down)];
  return { ...edge, points, line: line(points), tip: { ...points.at(-1), down } };
}

/** A point on the upper or lower side of a node, as near as can be to where the line comes from. */
function edgeOf({ x, y, width, height }, wanted, down) {
  const room = Math.max(0, width / 2 - 12);
  return { x: Math.min(x + room, Math.max(x - room, wanted)), y: y + (down * height) / 2 };
}

/** From point to point, upright at each of them. */
function line(points) {
  const parts = points.slice(1).map((point, index) => {
    const middle = (points[index].y + point.y) / 2;
    return `C${points[index].x},${middle} ${point.x},${middle} ${point.x},${point.y}`;
  });
  return `M${points[0].x},${points[0].y}${parts.join("")}`;
}

/** The layout keeps room at the right of a node that leads to itself; its points there cannot be used. */
function looped(edge, { x, y, width, height }) {
  const [side, top, bottom] = [x + width / 2, y - height / 4, y + height / 4];
  const far = side + LOOP_WIDTH;
  return {
    ...edge,
    isLoop: true,
    x: far + edge.width / 2 - 4,
    y,
    points: [],
    tip: { x: side, y: bottom, down: 0 },
    line: `M${side},${top}C${far},${top - 8} ${far},${bottom + 8} ${side},${bottom}`,
  };
}

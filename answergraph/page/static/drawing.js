// The graph as a drawing: the server's JSON to mermaid's words, and the lights on it.

import { el } from "./dom.js";

/* global mermaid */

/** What would mean something to mermaid, and the sign that looks like it in the drawing. Chips and edges in words show the real one. */
const LOOKALIKES = { '"': "″", "<": "‹", ">": "›", "&": "＆", "#": "＃", "`": "ʼ", "\\": "＼" };

/** Write a text so that mermaid takes none of it for its own syntax. */
export const quoted = (text) => `"${text.replace(/["<>&#`\\]/g, (sign) => LOOKALIKES[sign]).replace(/\s+/g, " ")}"`;

/** The last part of a node's path, without the names of the subgraphs around it. */
const ownName = (id) => id.slice(id.lastIndexOf(":") + 1).replace(/^__(start|end)__$/, "$1");

/** Return mermaid's words for a graph, and the nodes in the order of their names n0, n1, … there.
 * @param {{nodes: {id: string}[], edges: {source: string, target: string, conditional?: boolean, data?: string}[]}} graph
 */
export function mermaidText({ nodes, edges }) {
  const ids = [...new Set(nodes.map(({ id }) => String(id)))];
  const names = new Map(ids.map((id, index) => [id, `n${index}`]));
  const lines = ["flowchart TD", ...boxes(ids, names)];
  for (const { source, target, conditional, data } of edges) {
    const arrow = conditional ? "-.->" : "-->";
    const label = data ? `|${quoted(String(data))}|` : "";
    if (names.has(String(source)) && names.has(String(target)))
      lines.push(`${names.get(String(source))} ${arrow}${label} ${names.get(String(target))}`);
  }
  return { text: lines.join("\n"), ids };
}

/** The nodes, each subgraph's in a box of its own. */
function boxes(ids, names, prefix = "", depth = 0) {
  const lines = [];
  const inner = new Map();
  for (const id of ids) {
    const rest = id.slice(prefix.length).split(":");
    if (rest.length > 1) inner.set(rest[0], [...(inner.get(rest[0]) ?? []), id]);
    else lines.push(`${names.get(id)}${shape(id)}`);
  }
  for (const [name, members] of inner)
    lines.push(
      `subgraph s${depth}_${names.get(members[0])}[${quoted(name)}]`,
      ...boxes(members, names, `${prefix}${name}:`, depth + 1),
      "end",
    );
  return lines;
}

const shape = (id) => (/(^|:)__(start|end)__$/.test(id) ? `([${quoted(ownName(id))}])` : `[${quoted(ownName(id))}]`);

/** How small a large graph is drawn at most, so that it can still be read; beyond that its place scrolls. */
const SMALLEST = 0.65;

export class Drawing {
  #place;
  #text;
  #graph = null;
  #boxes = new Map();
  #lights = new Map();
  #drawn = 0;

  /** @param {HTMLElement} place for the picture @param {HTMLElement} text for the same in words */
  constructor(place, text) {
    this.#place = place;
    this.#text = text;
  }

  /** Draw a graph; drawn again in other colours it keeps its lights. */
  async draw(graph, name, dark) {
    if (graph !== this.#graph) this.#lights.clear();
    this.#graph = graph;
    const turn = ++this.#drawn;
    const { text, ids } = mermaidText(graph);
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "neutral", htmlLabels: false,
      flowchart: { useMaxWidth: true, htmlLabels: false, nodeSpacing: 90, rankSpacing: 70 } });
    const { svg } = await mermaid.render(`drawing-${turn}`, text);
    if (turn !== this.#drawn) return;
    const parsed = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
    parsed.setAttribute("role", "img");
    parsed.setAttribute("aria-label", `The graph ${name}`);
    parsed.style.minWidth = `${parsed.viewBox.baseVal.width * SMALLEST}px`;
    this.#place.replaceChildren(parsed);
    this.#boxes = new Map(ids.map((id, index) => [id, boxOf(parsed, `n${index}`)]));
    this.#text.replaceChildren(...graph.edges.map(edgeInWords));
    for (const [id, light] of this.#lights) this.#show(id, light);
  }

  /** Show which nodes run and how often each has run.
   * @param {Map<string, {running: number, done: number, failed: boolean, waits: boolean}>} lights
   */
  light(lights) {
    for (const id of this.#lights.keys()) if (!lights.has(id)) this.#show(id, { running: 0, done: 0 });
    this.#lights = new Map(lights);
    for (const [id, light] of lights) this.#show(id, light);
  }

  #show(id, { running, done, failed, waits }) {
    const box = this.#boxes.get(id);
    if (!box) return;
    if (running && !box.classList.contains("running")) this.#bringIntoView(box);
    box.classList.toggle("running", running > 0);
    box.classList.toggle("done", done > 0 && running === 0);
    box.classList.toggle("failed", Boolean(failed));
    box.classList.toggle("waits", Boolean(waits));
  }

  /** Scroll the drawing, and nothing around it. */
  #bringIntoView(box) {
    const [inner, outer] = [box.getBoundingClientRect(), this.#place.getBoundingClientRect()];
    const by = (start, end, first, last) => (start < first + 20 || end > last - 20 ? (start + end - first - last) / 2 : 0);
    this.#place.scrollBy(by(inner.left, inner.right, outer.left, outer.right), by(inner.top, inner.bottom, outer.top, outer.bottom));
  }
}

function boxOf(svg, name) {
  return [...svg.querySelectorAll("g.node")].find((node) => new RegExp(`flowchart-${name}-\\d+$`).test(node.id));
}

function edgeInWords({ source, target, data }) {
  const why = data ? `: ${data}` : "";
  return el("li", {}, `${source} → ${target}${why}`);
}

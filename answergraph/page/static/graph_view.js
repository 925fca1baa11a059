// The graph as a drawing of our own elements, and the path that a run has taken on it.

import { button, el, icon, svg } from "./dom.js";
import { edgeKey, groupsOf, isTerminal, nameOf, place, shortened } from "./graph_layout.js";

const ZOOMS = { least: 0.5, most: 2, step: 1.25 };
/** From how many nodes and edges on a subgraph stays folded although it runs. */
const MANY = 16;

const measuring = document.createElement("canvas").getContext("2d");
const widthOf = (text) => {
  measuring.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
  return measuring.measureText(text).width;
};

export class GraphView {
  #place;
  #words;
  #list;
  #select;
  #graph = null;
  #name = "";
  #groups = new Set();
  #folds = new Map();
  #parts = new Map();
  #lights = { nodes: new Map(), edges: new Map() };
  #selected = null;
  #zoom = 1;
  #size = { width: 0, height: 0 };

  /** @param {{place: HTMLElement, words: HTMLElement, tools: HTMLElement, list: HTMLElement}} places for the drawing, the edges in words,
   * the buttons, and the nodes that have run in words
   * @param {(what: {inside: string, node: string, target?: string}) => void} select a node or an edge was chosen
   */
  constructor({ place, words, tools, list }, select) {
    this.#place = place;
    this.#words = words;
    this.#list = list;
    this.#select = select;
    tools.append(
      button("", () => this.#zoomTo(this.#zoom / ZOOMS.step), { kind: "bare", icon: "minus", label: "Draw smaller" }),
      button("", () => this.#zoomTo(this.#zoom * ZOOMS.step), { kind: "bare", icon: "plus", label: "Draw larger" }),
      button("", () => this.#fit(), { kind: "bare", icon: "fit", label: "Fit the graph" }),
      button("", () => this.#toggleWhole(), { kind: "bare", icon: "whole", label: "Graph in the whole window" }),
    );
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.#zoomTo(this.#zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
      },
      { passive: false },
    );
    new ResizeObserver(() => this.#size.width && this.#zoom === this.#fitted && this.#fit()).observe(place);
  }

  #fitted = 1;

  /** Show no graph: another one is asked for, or cannot be drawn. @param {string} [why] */
  clear(why = "") {
    this.#parts.clear();
    this.#groups = new Set();
    this.#selected = null;
    this.#size = { width: 0, height: 0 };
    this.#words.replaceChildren();
    this.#place.replaceChildren(why && el("p.hint", { role: "alert" }, why));
  }

  draw(graph, name) {
    this.#graph = graph;
    this.#name = name;
    this.#groups = groupsOf(graph);
    this.#folds.clear();
    this.#selected = null;
    this.#words.replaceChildren(...graph.edges.map(({ source, target, data }) => el("li", {}, `${source} → ${target}${data ? `: ${data}` : ""}`)));
    this.#draw();
    this.#fit();
    this.#place.scrollTo(0, 0);
  }

  /** Show what a run has done. @param {{nodes: Map<string, object>, edges: Map<string, number>}} lights */
  light(lights) {
    const opened = [...lights.nodes]
      .filter(([path, { running, failed }]) => (running || failed) && path.includes(":"))
      .map(([path]) => path.slice(0, path.lastIndexOf(":")))
      .filter((path) => this.#groups.has(path) && !this.#folds.has(path));
    this.#lights = lights;
    this.#list.replaceChildren(...[...lights.nodes].map(nodeInWords));
    if (opened.length && this.#parts.size < MANY) {
      for (const path of opened)
        for (let at = path.length; at > 0; at = path.lastIndexOf(":", at - 1)) this.#folds.set(path.slice(0, at), true);
      this.#draw();
      this.#fit();
    }
    for (const part of this.#parts.values()) this.#lightPart(part);
  }

  /** Mark the node or the edge that a step belongs to. */
  select(path, edge) {
    this.#selected = { path, edge };
    for (const part of this.#parts.values()) this.#lightPart(part);
    this.#bringIntoView(this.#parts.get(edge) ?? this.#parts.get(path));
  }

  /** Go to the part that is selected, or to the first. */
  focus() {
    const { path, edge } = this.#selected ?? {};
    (this.#parts.get(edge) ?? this.#parts.get(path) ?? this.#parts.values().next().value)?.element.focus();
  }

  #draw() {
    const placed = place(this.#graph, (path) => this.#folds.get(path) ?? false, widthOf);
    this.#size = { width: placed.width, height: placed.height };
    this.#parts.clear();
    const { width, height } = this.#size;
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `The graph ${this.#name}` }, this.#level(placed));
    this.#place.replaceChildren(drawing);
    this.#parts.values().next().value?.element.setAttribute("tabindex", "0");
    this.#zoomTo(this.#zoom);
    for (const part of this.#parts.values()) this.#lightPart(part);
  }

  #level({ nodes, edges }) {
    return svg(
      "g",
      {},
      ...nodes.filter(({ inner }) => inner).map((node) => this.#node(node)),
      ...edges.map((edge) => this.#edge(edge)),
      ...nodes.filter(({ inner }) => !inner).map((node) => this.#node(node)),
    );
  }

  #node({ path, x, y, width, height, inner, isGroup }) {
    const [left, top] = [x - width / 2, y - height / 2];
    const text = svg("text", { x, y: inner ? top + 13 : y }, shortened(nameOf(path)));
    const toggles = isGroup
      ? svg("path", { class: "fold", d: inner ? `M${left + 8},${top + 10}l4,5l4,-5` : `M${left + 8},${y - 4}l5,4l-5,4` })
      : null;
    const element = svg(
      "g",
      { class: `node${inner ? " group" : ""}${isGroup ? " opens" : ""}`, tabindex: "-1", role: inner ? "group" : "button" },
      svg("title", {}, path),
      svg("rect", { x: left, y: top, width, height, rx: isTerminal(path) ? height / 2 : 6 }),
      toggles,
      text,
      inner && svg("g", { transform: `translate(${x - inner.width / 2},${top + 22})` }, this.#level(inner)),
    );
    element.addEventListener("click", (event) => (event.stopPropagation(), this.#choose(path, isGroup)));
    this.#parts.set(path, { kind: "node", path, element, text, isGroup, isOpen: Boolean(inner) });
    return element;
  }

  #edge({ level, source, target, label, conditional, line, tip, x, y, width, height }) {
    const text = label ? svg("text", { x, y }, shortened(label)) : null;
    const [ends, key] = [[nameIn(source), nameIn(target)], edgeKey(level, nameIn(source), nameIn(target))];
    const element = svg(
      "g",
      { class: `edge${conditional ? " conditional" : ""}`, tabindex: "-1", role: "button" },
      svg("title", {}, `${ends.join(" → ")}${label ? `: ${label}` : ""}`),
      svg("path", { d: line }),
      svg("path", { class: "tip", d: tipAt(tip) }),
      label && svg("rect", { x: x - width / 2, y: y - height / 2, width, height }),
      text,
    );
    element.addEventListener("click", (event) => (event.stopPropagation(), this.#select({ inside: level, node: ends[0], target: ends[1] })));
    this.#parts.set(this.#parts.has(key) ? JSON.stringify([key, label]) : key, { kind: "edge", key, ends, label, element, text });
    return element;
  }

  #choose(path, isGroup) {
    if (isGroup) {
      this.#folds.set(path, !this.#folds.get(path));
      this.#draw();
      this.#fit();
      this.#parts.get(path).element.focus();
    }
    const at = path.lastIndexOf(":");
    this.#select({ inside: path.slice(0, Math.max(at, 0)), node: nameIn(path) });
  }

  #lightPart(part) {
    if (part.kind === "edge") this.#lightEdge(part);
    else this.#lightNode(part);
  }

  #lightNode({ path, element, text, isGroup, isOpen }) {
    const { running = 0, done = 0, failed = false, waits = false } = this.#lights.nodes.get(path) ?? {};
    const count = done + running;
    const state = running ? "running" : failed ? "failed" : waits ? "waits" : done ? "done" : "";
    const isSelected = this.#selected?.path === path;
    const counted = `${shortened(nameOf(path))}${count > 1 ? ` ×${count}` : ""}`;
    if (text.textContent !== counted) text.textContent = counted;
    if (running && !element.classList.contains("running")) this.#bringIntoView({ element });
    for (const name of ["running", "failed", "waits", "done"]) element.classList.toggle(name, name === state);
    element.classList.toggle("selected", isSelected);
    // An open subgraph holds other buttons, so it is a group and none itself.
    if (isGroup && !isOpen) element.setAttribute("aria-expanded", "false");
    element.setAttribute("aria-label", [path, state, count > 1 && `${count} times`, isOpen && "unfolded", isSelected && "selected"].filter(Boolean).join(", "));
  }

  #lightEdge({ key, ends, label, element, text }) {
    const count = this.#lights.edges.get(key) ?? 0;
    const isSelected = this.#selected?.edge === key;
    element.classList.toggle("taken", count > 0);
    element.classList.toggle("selected", isSelected);
    if (text) text.textContent = `${shortened(label)}${count > 1 ? ` ×${count}` : ""}`;
    const taken = count ? `taken ${count === 1 ? "once" : `${count} times`}` : "not taken";
    element.setAttribute("aria-label", [ends.join(" to "), label, taken, isSelected && "selected"].filter(Boolean).join(", "));
  }

  /** Scroll the drawing, and nothing around it. */
  #bringIntoView(part) {
    if (!part) return;
    const [inner, outer] = [part.element.getBoundingClientRect(), this.#place.getBoundingClientRect()];
    const by = (start, end, first, last) => (start < first || end > last ? (start + end - first - last) / 2 : 0);
    this.#place.scrollBy(by(inner.left, inner.right, outer.left, outer.right), by(inner.top, inner.bottom, outer.top, outer.bottom));
  }

  #zoomTo(zoom) {
    this.#zoom = Math.min(ZOOMS.most, Math.max(ZOOMS.least, zoom));
    const drawing = this.#place.firstElementChild;
    drawing?.setAttribute("width", String(this.#size.width * this.#zoom));
    drawing?.setAttribute("height", String(this.#size.height * this.#zoom));
  }

  /** As large as the width allows, and never so small that the words cannot be read. */
  #fit() {
    const room = this.#place.clientWidth - 4;
    this.#zoomTo(room > 0 ? Math.min(this.#place.classList.contains("whole") ? 1.5 : 1, Math.max(0.75, room / this.#size.width)) : 1);
    this.#fitted = this.#zoom;
  }

  #toggleWhole() {
    const isWhole = this.#place.classList.toggle("whole");
    this.#place.focus();
    if (isWhole) this.#place.append(button("Close", () => this.#toggleWhole(), { icon: "cross" }));
    else this.#place.querySelector("button")?.remove();
    this.#fit();
  }

  #key(event) {
    if (event.key === "Escape" && this.#place.classList.contains("whole")) return this.#toggleWhole();
    const parts = [...this.#parts.values()].map(({ element }) => element);
    const at = parts.indexOf(document.activeElement);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") parts[at].dispatchEvent(new MouseEvent("click"));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) {
      const next = parts.at((at + step) % parts.length);
      parts[at].setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    }
    if (step || event.key === "Enter" || event.key === " ") event.preventDefault();
  }
}

function nodeInWords([path, { running, done, failed, waits }]) {
  const state = running ? "running" : failed ? "failed" : waits ? "waits" : "done";
  return el("li", { "data-node": path, "data-state": state }, path, done > 1 ? ` × ${done}` : "", state === "done" ? "" : ` ${state}`);
}

const nameIn = (path) => path.slice(path.lastIndexOf(":") + 1);

function tipAt({ x, y, down }) {
  if (!down) return `M${x},${y}l7,-4.5l-1.5,8z`;
  return `M${x},${y}l-4,${-8 * down}h8z`;
}

// The line between the run and the graph beside it: drawn, or moved by the arrow keys, it changes the width of the graph.

const KEY = "answergraph.side";
const LEAST = 280;
/** How much is left to the run, in pixels, and how far a key moves the line. */
const KEPT = 480;
const STEP = 40;

/** @param {HTMLElement} line a separator @param {HTMLElement} side what it makes wider */
export function divide(line, side) {
  const set = (width) => {
    const [most, least] = [Math.max(LEAST, innerWidth - KEPT), LEAST];
    const wide = Math.round(Math.min(most, Math.max(least, width)));
    document.body.style.setProperty("--side", `${wide}px`);
    localStorage.setItem(KEY, wide);
    for (const [name, value] of Object.entries({ valuenow: wide, valuemin: least, valuemax: most })) line.setAttribute(`aria-${name}`, value);
  };
  const kept = Number(localStorage.getItem(KEY));
  if (kept) set(kept);
  line.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (by) set(side.offsetWidth + by);
  });
  line.addEventListener("pointerdown", ({ pointerId }) => line.setPointerCapture(pointerId));
  line.addEventListener("pointermove", ({ pointerId, clientX }) => line.hasPointerCapture(pointerId) && set(side.getBoundingClientRect().right - clientX));
}

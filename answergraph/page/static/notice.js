// What the page says of the connection, above the message box: it stays until it is untrue, and says what goes on.

import { button, el } from "./dom.js";

const TELLERS = {
  unsure: () => ["The server has not said whether your message arrived.", "It is being asked; nothing is sent twice."],
  lost: ({ tries = 0, retryAt }, { begunAt }) => [
    tries > 5 ? "The server does not answer." : begunAt ? "Connection lost. The run goes on." : "Connection lost.",
    `${begunAt ? "Missed steps are fetched then." : "Whether the run continues is unknown until the server answers."} Tried ${tries} ${tries === 1 ? "time" : "times"}${retryAt ? `, next at ${new Date(retryAt).toLocaleTimeString()}` : ""}.`,
  ],
  back: ({ missed = 0 }) => ["Connected again.", `Fetched ${missed} missed ${missed === 1 ? "step" : "steps"}.`],
  restarted: () => ["The server was started again.", "It has resumed the run."],
};

/** @param {HTMLElement} place @param {import("./run_types.js").Run} run @param {() => void} retry */
export function showNotice(place, run, retry) {
  const { connection, unsent } = run;
  const told = unsent
    ? unsent.request.command
      ? ["Your decision was not sent.", `${unsent.message} It is still in the form.`]
      : ["Your message was not sent.", `${unsent.message} It is still in the box.`]
    : TELLERS[connection.state]?.(connection, run);
  const print = JSON.stringify(told ?? null);
  if (place.dataset.print === print) return;
  place.dataset.print = print;
  place.hidden = !told;
  if (told)
    place.replaceChildren(
      el("p", {}, el("b", {}, told[0]), " ", told[1]),
      connection.state === "lost" ? button("Try now", retry, { kind: "small" }) : "",
    );
}

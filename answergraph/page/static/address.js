// What is open, as the page's address: `#assistant=…&thread=…&run=…&step=…&tab=…&compare=…`. Each choice of a person is an entry of the
// browser's history; following a run makes none.

const NAMES = ["assistant", "thread", "run", "checkpoint", "step", "tab", "compare"];

export const read = () =>
  Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([name]) => NAMES.includes(name)));

/** Change a part of the address. @param {Record<string, string|null>} change null takes a name out
 * @param {boolean} isChoice whether Back leads to what was before
 */
export function write(change, isChoice = false) {
  const open = new URLSearchParams(Object.entries({ ...read(), ...change }).filter(([, value]) => value));
  const hash = `#${open}`;
  if (hash === location.hash) return;
  if (isChoice) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

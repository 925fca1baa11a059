// Reads what a server holds of a thread. Knows no elements.

import * as api from "./api.js";
import { lastCheckpoint } from "./past_run.js";

/** Read a thread with one of its runs, and the state that the run left. @param {string} thread @param {string} [wanted] the newest by default
 * @returns {Promise<{record?: object, runs: object[], leftAt: string|null, state: object}>}
 */
export async function readThread(thread, wanted) {
  // The state after the runs: that of a run which ends meanwhile is then the one it left.
  const runs = await api.runs(thread);
  const current = runs.find(({ status }) => status === "running") ?? runs.findLast(({ status }) => status === "pending") ?? runs[0];
  const record = wanted ? (runs.find(({ run_id: id }) => id === wanted) ?? (await api.run(thread, wanted))) : current;
  const leftAt = record && record !== current ? await lastCheckpoint(thread, record.run_id) : null;
  return { record, runs, leftAt, state: await api.state(thread, leftAt) };
}

/** How long until what nobody has answered is asked again, in milliseconds. */
const AGAIN = 2000;

/** Ask until the server answers; what a proxy says of one that does not is no answer. @param {() => Promise<any>} ask
 * @param {(error: Error) => void} [tell] called where it does not
 */
export async function atLast(ask, tell = () => {}) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error.status < 500) throw error;
      tell(error);
      await new Promise((resume) => setTimeout(resume, AGAIN));
    }
  }
}

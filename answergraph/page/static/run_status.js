// How a run stands, by the state it left and by the server's word. Knows no elements.

/** How a run stands that is not over. */
export const BUSY = ["sending", "queued", "running", "stopping"];

/** By a state alone. @param {object} state @param {string|null} leftAt where the run left the thread to a later one */
export function standsAs({ values, tasks, interrupts }, leftAt) {
  if (tasks?.some(({ error }) => error)) return "failed";
  if (interrupts?.length || tasks?.some((task) => task.interrupts?.length)) return leftAt ? "resumed" : "waiting";
  if (values?.outcome?.status === "deferred") return "deferred";
  return Object.keys(values ?? {}).length ? "ended" : "none";
}

/** At the end of a run. @param {object|null} record the server's word on it @param {object|null} state which it left
 * @param {{status: string, leftAt: string|null}} known @param {{interrupts: object[], error: any}} told by the stream
 */
export function endedAs(record, state, { status, leftAt }, { interrupts, error }) {
  if (interrupts.length && status !== "stopping") return leftAt ? "resumed" : "waiting";
  if (record?.status === "interrupted") return "stopped";
  if (error || ["error", "timeout"].includes(record?.status)) return "failed";
  return state ? standsAs(state, leftAt) : "ended";
}

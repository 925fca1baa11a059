// What an interrupt asks, as far as it can be told: calls of tools that wait for a decision, in the two ways that LangChain's middleware
// asks for one or as the agent inbox does, or something of the graph's own. No elements.

/** @typedef {{name: string, args: object, description: string, allowed: string[], schema: object|null, hint?: string}} Call `schema` is that of the arguments */

/** Said where a server leaves out which decisions are allowed: each may be. */
const UNTOLD = "The server does not say which decisions are allowed here. One that is not allowed fails the run.";
const EVERY = ["approve", "edit", "reject", "respond"];
const USUAL = ["approve", "reject"];
/** The words of the agent inbox, `langgraph.prebuilt.interrupt`, for the decisions. */
const INBOX = {
  approve: { flag: "allow_accept", answer: () => ({ type: "accept", args: null }) },
  edit: { flag: "allow_edit", answer: ({ edited_action: { name, args } }) => ({ type: "edit", args: { action: name, args } }) },
  ignore: { flag: "allow_ignore", answer: () => ({ type: "ignore", args: null }) },
  respond: { flag: "allow_respond", answer: ({ message }) => ({ type: "response", args: message }) },
};

/** Tell the calls that an interrupt asks about, and how their decisions are sent; null for a question of another kind.
 * @param {{value: any, response_schema?: object}} interrupt
 * @returns {{calls: Call[], answer: (decisions: object[]) => any}|null}
 */
export function approvalOf({ value, response_schema: schema }) {
  if (Array.isArray(value?.action_requests) && value.action_requests.length)
    return { calls: value.action_requests.map((call) => batched(call, value.review_configs)), answer: (decisions) => ({ decisions }) };
  const inbox = [value].flat();
  if (inbox.length && inbox.every((each) => each?.action_request))
    return { calls: inbox.map(fromInbox), answer: (decisions) => decisions.map((decision) => INBOX[decision.type].answer(decision)) };
  if (value?.type === "tool_approval") return { calls: [single(value, schema)], answer: ([decision]) => decision };
  return null;
}

/** Put the answers together: one goes as it is, several by the id of what they answer. */
export const resumption = (interrupts, answers) =>
  interrupts.length === 1 ? answers[0] : Object.fromEntries(interrupts.map(({ id }, index) => [id, answers[index]]));

const fromInbox = ({ action_request: { action, args }, config, description }) =>
  callOf({ name: action, args, description }, Object.keys(INBOX).filter((type) => config?.[INBOX[type].flag]));

function batched(call, configs) {
  const config = configs?.find(({ action_name: name }) => name === call.name);
  return callOf(call, config?.allowed_decisions, config?.args_schema);
}

function single(call, schema) {
  if (!schema) return { ...callOf(call, EVERY), hint: UNTOLD };
  const resolved = (part) => (part?.$ref ? schema.$defs?.[part.$ref.split("/").at(-1)] : part);
  const decisions = (schema?.oneOf ?? schema?.anyOf ?? [schema]).map(resolved).filter(Boolean);
  const typeOf = ({ properties }) => properties?.type?.const;
  const edit = decisions.find((decision) => typeOf(decision) === "edit");
  const args = resolved(resolved(edit?.properties.edited_action)?.properties?.args);
  return callOf(call, decisions.map(typeOf).filter(Boolean), args && { ...args, $defs: schema.$defs });
}

function callOf({ name, args, description }, allowed, schema) {
  return {
    name,
    args: args ?? {},
    // The middleware's own description repeats the name and the arguments.
    description: (description ?? "").split("\n\nTool: ")[0],
    allowed: allowed?.length ? allowed : USUAL,
    schema: schema ?? null,
  };
}

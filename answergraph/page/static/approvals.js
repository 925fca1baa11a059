// What an interrupt asks, as far as it can be told: calls of tools that wait for a decision, in the two ways that LangChain's middleware
// asks for one, or something of the graph's own. No elements.

/** @typedef {{name: string, args: object, description: string, allowed: string[], schema: object|null}} Call `schema` is that of the arguments */

const USUAL = ["approve", "reject"];

/** Tell the calls that an interrupt asks about, and how their decisions are sent; null for a question of another kind.
 * @param {{value: any, response_schema?: object}} interrupt
 * @returns {{calls: Call[], answer: (decisions: object[]) => any}|null}
 */
export function approvalOf({ value, response_schema: schema }) {
  if (Array.isArray(value?.action_requests) && value.action_requests.length)
    return { calls: value.action_requests.map((call) => batched(call, value.review_configs)), answer: (decisions) => ({ decisions }) };
  if (value?.type === "tool_approval") return { calls: [single(value, schema)], answer: ([decision]) => decision };
  return null;
}

/** Put the answers together: one goes as it is, several by the id of what they answer. */
export const resumption = (interrupts, answers) =>
  interrupts.length === 1 ? answers[0] : Object.fromEntries(interrupts.map(({ id }, index) => [id, answers[index]]));

function batched(call, configs) {
  const config = configs?.find(({ action_name: name }) => name === call.name);
  return callOf(call, config?.allowed_decisions, config?.args_schema);
}

function single(call, schema) {
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

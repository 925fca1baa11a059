// What messages have used. Knows no elements.

const sumOf = (messages, read) => messages.reduce((sum, message) => sum + (read(message) ?? 0), 0);

/** The tokens of messages. `langgraph dev` gives some stored messages with their usage among the additional arguments. */
export const tokensOf = (messages) =>
  sumOf(messages, ({ usage_metadata: usage, additional_kwargs: more }) => (usage ?? more?.usage_metadata)?.total_tokens);

/** The tokens, and the cost where the run counts it; a price that is not known is none. */
export const usageIn = (messages) => ({ tokens: tokensOf(messages), cost: sumOf(messages, ({ response_metadata: metadata }) => metadata?.answergraph?.cost) });

/** An amount of money in few digits. */
export const amount = (cost) => String(Number(cost.toPrecision(3)));

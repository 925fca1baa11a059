// Which answers a state holds, each with its outcome and what supports it; and where in a text a piece of evidence stands.

/** Return the answers of a state.
 *
 * An agent writes `structured_response` and `outcome`, or `<key>` and `<key>_outcome`; the triage writes a list of reports, each with
 * the sources it cites.
 */
export function answersIn(values) {
  const found = [];
  for (const [key, value] of Object.entries(values)) {
    if (key === "outcome" && isOutcome(value)) found.push(record("structured_response", values, value));
    else if (key.endsWith("_outcome") && isOutcome(value)) found.push(record(key.slice(0, -"_outcome".length), values, value));
    else if (Array.isArray(value)) found.push(...value.filter(isReport).map((report, index) => fromReport(report, key, index)));
  }
  return found;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isOutcome = (value) => isObject(value) && typeof value.status === "string" && "attempts" in value;
const isReport = (value) => isObject(value) && typeof value.status === "string" && "answer" in value && isObject(value.sources);

const record = (key, values, outcome) => ({ title: key, answer: values[key] ?? null, outcome, sources: {} });

function fromReport({ answer, sources, case: name, test, ...outcome }, key, index) {
  return { title: test ?? name ?? `${key}[${index}]`, answer, outcome, sources };
}

/** Cut a text into before, the span, and after. A span counts characters as Python does, where an emoji is one. */
export function cutAt(text, start, end) {
  const [from, to] = [start, end].map((count) => utf16Offset(text, count));
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

function utf16Offset(text, count) {
  let offset = 0;
  for (let passed = 0; passed < count && offset < text.length; passed++) offset += text.codePointAt(offset) > 0xffff ? 2 : 1;
  return offset;
}

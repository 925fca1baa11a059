// The fields of a JSON Schema: one control for a simple value, a group for an object, a list for an array, as deep as the schema goes. What
// is left empty is not sent. A field reads its value, undefined if it is empty, and says at its control what it cannot hold.

import { button, el, newId } from "./dom.js";

/** How deep a value is asked for by its fields. A schema may hold itself; what is deeper is JSON. */
const DEEPEST = 4;

/** The kinds of field, the first that fits and can hold the value. Each makes a control, writes a value as its text, and reads it. */
const KINDS = [
  {
    fits: ({ enum: values }) => values,
    holds: (value, { enum: values }) => values.includes(value),
    make: choice,
    write: JSON.stringify,
    read: ({ value }) => JSON.parse(value),
  },
  {
    fits: ({ type }) => type === "boolean",
    holds: (value) => typeof value === "boolean",
    make: (schema) => choice({ ...schema, enum: [true, false] }),
    write: JSON.stringify,
    read: ({ value }) => JSON.parse(value),
  },
  {
    fits: ({ type }) => type === "integer" || type === "number",
    holds: (value) => typeof value === "number",
    make: number,
    write: String,
    read: ({ value }) => Number(value),
  },
  {
    fits: ({ type }) => type === "string",
    holds: (value) => typeof value === "string",
    make: () => el("textarea", { rows: 1 }),
    write: String,
    read: ({ value }) => value,
    canBeEmpty: true,
  },
  {
    fits: () => true,
    holds: () => true,
    make: () => el("textarea.json", { rows: 3, spellcheck: "false" }),
    write: (value) => JSON.stringify(value, null, 2),
    read: parsed,
  },
];

function choice({ enum: values, default: usual }) {
  const options = values.map((value) => el("option", { value: JSON.stringify(value) }, String(value)));
  return el("select", {}, el("option", { value: "" }, usual === undefined || usual === null ? "not set" : `${usual} (the default)`), ...options);
}

function number({ type, minimum, maximum }) {
  return el("input", { type: "number", step: type === "integer" ? "1" : "any", min: minimum, max: maximum });
}

/** Read a field as JSON; what is none is said at the field. */
export function parsed(control) {
  try {
    control.setCustomValidity("");
    return JSON.parse(control.value);
  } catch (error) {
    control.setCustomValidity(`This is no JSON: ${error.message}`);
    return undefined;
  }
}

/** Follow references and leave out `null`: a field that may be null is one that may stay empty. */
function plain(schema, definitions, depth = 0) {
  if (typeof schema !== "object" || depth > 20) return {};
  const { $ref, anyOf, allOf, const: constant, ...rest } = schema;
  if ($ref) return { ...plain(definitions[$ref.split("/").at(-1)] ?? {}, definitions, depth + 1), ...rest };
  const kinds = (anyOf ?? (allOf?.length === 1 ? allOf : [])).filter(({ type }) => type !== "null");
  if (kinds.length === 1) return { ...plain(kinds[0], definitions, depth + 1), ...rest };
  return constant === undefined ? schema : { ...rest, enum: [constant] };
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isGroup = ({ properties }, value) =>
  Object.keys(properties ?? {}).length > 0 && (value === undefined || (isObject(value) && Object.keys(value).every((key) => key in properties)));
const isList = ({ type, items }, value) => type === "array" && isObject(items) && Object.keys(items).length > 0 && (value === undefined || Array.isArray(value));

/** Make the field of a value. @param {object} schema @param {any} value what it holds at first, undefined for nothing
 * @returns {{name: string, element: HTMLElement, read: () => any, reportValidity: () => boolean}}
 */
export function fieldOf(name, schema, value, definitions, depth = 0) {
  const own = plain(schema, definitions);
  if (depth >= DEEPEST) return single(name, own, value);
  if (isGroup(own, value)) return group(name, own, value, definitions, depth);
  return isList(own, value) ? list(name, own, value, definitions, depth) : single(name, own, value);
}

/** What is filled in, by the fields' names; undefined if nothing is. */
export function filledIn(fields) {
  const filled = fields.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== undefined);
  return filled.length ? Object.fromEntries(filled) : undefined;
}

export const areValid = (fields) => fields.every((field) => field.reportValidity());

function group(name, schema, value, definitions, depth) {
  const fields = Object.entries(schema.properties).map(([key, inner]) => fieldOf(key, inner, value?.[key], definitions, depth + 1));
  const element = fieldset(name, schema, [el("div.fields", {}, ...fields.map((field) => field.element))]);
  return asItCame({ name, element, read: () => filledIn(fields), reportValidity: () => areValid(fields) }, value);
}

function list(name, schema, value, definitions, depth) {
  const title = schema.title ?? name;
  let fields = [];
  let count = 0;
  const items = el("div");
  const add = (item) => {
    count += 1;
    const field = fieldOf(name, { ...plain(schema.items, definitions), title: `${title} ${count}` }, item, definitions, depth + 1);
    const remove = button("", () => ((fields = fields.filter((each) => each !== field)), row.remove()), { kind: "bare", icon: "cross", label: `Remove ${title} ${count}` });
    const row = el("div.item", {}, field.element, remove);
    fields.push(field);
    items.append(row);
    return row;
  };
  for (const item of value ?? []) add(item);
  const more = button(`Add to ${title}`, () => add().querySelector("input, select, textarea")?.focus(), { kind: "small", icon: "plus" });
  const read = () => {
    const filled = fields.map((field) => field.read()).filter((item) => item !== undefined);
    return filled.length || value !== undefined ? filled : undefined;
  };
  return asItCame({ name, element: fieldset(name, schema, [items, more]), read, reportValidity: () => areValid(fields) }, value);
}

function fieldset(name, { title, description }, parts) {
  const help = newId("help");
  const hint = description ? el("small.hint", { id: help }, description) : null;
  return el("fieldset.nested", { "aria-describedby": hint && help }, el("legend", {}, title ?? name), hint, ...parts);
}

/** A value that nobody changed is read as it came. */
function asItCame(field, value) {
  if (value === undefined) return field;
  const before = JSON.stringify(field.read());
  const read = () => {
    const now = field.read();
    return JSON.stringify(now) === before ? value : now;
  };
  return { ...field, read };
}

/** How the JSON of a field begins. */
const shapeOf = ({ type, properties }) =>
  properties ? `{${Object.keys(properties).map((name) => `"${name}": …`).join(", ")}}` : ({ array: "[…]", object: "{…}" }[type] ?? "");

function single(name, schema, value) {
  const kind = KINDS.find(({ fits, holds }) => fits(schema) && (value === undefined || holds(value, schema)));
  const control = kind.make(schema);
  const [id, help] = [newId("field"), newId("help")];
  control.id = id;
  control.name = name;
  const usual = schema.default ?? null;
  control.placeholder = usual === null ? (kind === KINDS.at(-1) ? shapeOf(schema) : "") : JSON.stringify(usual);
  const description = schema.description ?? "";
  if (description) control.setAttribute("aria-describedby", help);
  const label = el("label", { for: id }, schema.title ?? name);
  if (value !== undefined) control.value = kind.write(value);
  const before = control.value;
  const was = el("small.hint", { hidden: true }, "was ", el("code", {}, before));
  control.addEventListener("input", () => {
    // A field that is still called invalid would keep the form from being sent.
    control.setCustomValidity("");
    was.hidden = value === undefined || control.value === before;
  });
  const element = el("div.field", {}, label, control, was, description ? el("small.hint", { id: help }, description) : null);
  const read = () => {
    control.setCustomValidity("");
    if (value !== undefined && control.value === before) return value;
    return control.value !== "" || (kind.canBeEmpty && value !== undefined) ? kind.read(control) : undefined;
  };
  return { name, element, read, reportValidity: () => control.reportValidity() };
}

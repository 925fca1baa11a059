// A form from a JSON Schema: one field per property. What is left empty is not sent, and so has the schema's default. No field has to
// be filled in: a state's schema names every key of the state, those that nodes write among them. The server says what it misses.

import { el, newId } from "./dom.js";

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
  return el(
    "select",
    {},
    el("option", { value: "" }, usual === undefined || usual === null ? "not set" : `${usual} (the default)`),
    ...options,
  );
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

export class SchemaForm {
  #place;
  #fields = [];

  /** @param {HTMLElement} place */
  constructor(place) {
    this.#place = place;
  }

  get isEmpty() {
    return this.#fields.length === 0;
  }

  /** Make the fields of a schema's properties.
   * @param {object|null} schema @param {string[]} without properties asked for elsewhere @param {object} values what the fields hold at first
   */
  make(schema, without = [], values = {}) {
    const { properties = {}, $defs = {} } = schema ?? {};
    const names = Object.keys(properties).filter((name) => !without.includes(name));
    this.#fields = names.map((name) => field(name, plain(properties[name], $defs), values[name]));
    this.#place.replaceChildren(el("div.fields", {}, ...this.#fields.map(({ element }) => element)));
  }

  /** Return what was filled in, or null if a field holds something it cannot. A value that nobody changed is returned as it came. */
  read() {
    const entries = this.#fields.flatMap(({ name, control, kind, value, before }) => {
      control.setCustomValidity("");
      if (value !== undefined && control.value === before) return [[name, value]];
      const isFilled = control.value !== "" || (kind.canBeEmpty && value !== undefined);
      return isFilled ? [[name, kind.read(control)]] : [];
    });
    const isValid = this.#fields.every(({ control }) => control.reportValidity());
    return isValid ? Object.fromEntries(entries) : null;
  }
}

/** How the JSON of a field begins. */
const shapeOf = ({ type, properties }) =>
  properties ? `{${Object.keys(properties).map((name) => `"${name}": …`).join(", ")}}` : ({ array: "[…]", object: "{…}" }[type] ?? "");

function field(name, schema, value) {
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
  return { name, control, kind, value, before, element };
}

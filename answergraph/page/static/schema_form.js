// A form from a JSON Schema: one field per property. What is left empty is not sent, and so has the schema's default. No field has to
// be filled in: a state's schema names every key of the state, those that nodes write among them. The server says what it misses.

import { el } from "./dom.js";
import { areValid, fieldOf, filledIn } from "./schema_fields.js";

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
    this.#fields = names.map((name) => fieldOf(name, properties[name], values[name], $defs));
    this.#place.replaceChildren(el("div.fields", {}, ...this.#fields.map(({ element }) => element)));
  }

  /** Return what was filled in, or null if a field holds something it cannot. A value that nobody changed is returned as it came. */
  read() {
    const filled = filledIn(this.#fields) ?? {};
    return areValid(this.#fields) ? filled : null;
  }
}

// Asks for the token that a server demands. It goes to that server only and is kept until the tab is closed.

import { ServerError } from "./api.js";

export class TokenField {
  #dialog;
  #form;
  #field;
  #said;
  #cancel;

  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.#dialog = dialog;
    this.#form = dialog.querySelector("form");
    this.#field = dialog.querySelector("input");
    this.#said = dialog.querySelector("[role=alert]");
    this.#cancel = dialog.querySelector("button[type=button]");
  }

  /** Ask until there is a token, or nobody wants to give one.
   * @param {string} said what the server answered
   * @returns {Promise<string>}
   */
  ask(said) {
    this.#said.textContent = said;
    this.#field.value = "";
    this.#dialog.showModal();
    return new Promise((resolve, reject) => {
      this.#form.onsubmit = (event) => {
        event.preventDefault();
        resolve(this.#field.value.trim());
        this.#dialog.close();
      };
      this.#cancel.onclick = this.#dialog.oncancel = () => (this.#dialog.close(), reject(new ServerError(401, said)));
    });
  }
}

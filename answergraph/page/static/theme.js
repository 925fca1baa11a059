// Light or dark: as the system has it, until somebody says otherwise.

const KEY = "answergraph.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export class Theme {
  #control;

  /** @param {HTMLSelectElement} control @param {() => void} changed */
  constructor(control, changed) {
    this.#control = control;
    control.value = localStorage.getItem(KEY) ?? "auto";
    this.#apply();
    control.addEventListener("change", () => {
      localStorage.setItem(KEY, control.value);
      this.#apply();
      changed();
    });
    system.addEventListener("change", changed);
  }

  get isDark() {
    return this.#control.value === "auto" ? system.matches : this.#control.value === "dark";
  }

  #apply() {
    document.documentElement.dataset.theme = this.#control.value;
  }
}

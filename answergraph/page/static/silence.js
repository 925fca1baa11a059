// Since when nothing is heard of the server: any byte of any answer counts. Whoever is silent is asked, so that an answer ends it.

/** How long nothing is heard before the server is asked, and before it is told, in milliseconds. */
const ASK_AFTER = 5000;
export const SILENT = 10_000;
/** From when on it is called away, and asked less often. */
export const AWAY = 60_000;

let awaited = 0;
/** Since when something is awaited that did not come; null if nothing is. */
let since = null;

/** Something is asked of the server. @returns {(isAnswered: boolean) => void} to be called at its end */
export function awaits() {
  since ??= Date.now();
  awaited += 1;
  let isOpen = true;
  return (isAnswered) => {
    if (isOpen) awaited -= 1;
    isOpen = false;
    if (isAnswered) heard();
  };
}

/** A byte has come. */
export const heard = () => (since = awaited ? Date.now() : null);

/** Since when the server is silent, in milliseconds since 1970; null if it is not. */
export const silentSince = () => (since !== null && Date.now() - since >= SILENT ? since : null);

/** Look every second. @param {() => Promise<any>} ask a cheap question @param {(since: number|null) => void} tell */
export function watch(ask, tell) {
  let askedAt = 0;
  let isAsked = false;
  const look = async () => {
    const silence = since === null ? 0 : Date.now() - since;
    tell(silentSince());
    if (silence < ASK_AFTER || isAsked || Date.now() - askedAt < (silence < AWAY ? ASK_AFTER : 3 * ASK_AFTER)) return;
    isAsked = true;
    askedAt = Date.now();
    await ask().catch(() => {});
    isAsked = false;
    tell(silentSince());
  };
  setInterval(look, 1000);
  addEventListener("online", () => (askedAt = 0));
}

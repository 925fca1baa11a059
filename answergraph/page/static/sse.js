// What a stream of server-sent events is made of: bytes in, {event, data} out. `data` stays text, so that who needs only the newest
// of many large events parses only that one.

/** Yield the events of a response body.
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = [];
  let event = fresh();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    // A long line comes in many pieces: they are joined once, when it ends.
    const pieces = value.split("\n");
    for (const [index, piece] of pieces.entries()) {
      pending.push(piece);
      if (index === pieces.length - 1) break;
      const line = pending.join("").replace(/\r$/, "");
      pending = [];
      if (line) take(line, event);
      else if (event.lines.length) yield finished(event);
      if (!line) event = fresh();
    }
  }
}

const fresh = () => ({ event: "message", lines: [] });
const finished = ({ event, lines }) => ({ event, data: lines.join("\n") });

function take(line, event) {
  const colon = line.indexOf(":");
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "event") event.event = value;
  if (field === "data") event.lines.push(value);
}

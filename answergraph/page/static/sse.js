// What a stream of server-sent events is made of: bytes in, {event, data, id} out. `data` stays text, so that what nobody looks at
// is never parsed.

/** Yield the events of a response body.
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} [heard] called for whatever comes, comments that keep the connection alive included
 */
export async function* serverSentEvents(body, heard = () => {}) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = [];
  let event = fresh();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
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

const fresh = () => ({ event: "message", id: null, lines: [] });
const finished = ({ event, id, lines }) => ({ event, id, data: lines.join("\n") });

function take(line, event) {
  const colon = line.indexOf(":");
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "event") event.event = value;
  if (field === "id") event.id = value;
  if (field === "data") event.lines.push(value);
}

/** A `fetch` whose responses end with an error if one of their messages is too long: JSON whole, or one event of a stream. */

/** @param most maximum length of a message, in bytes */
export const fetching =
  (most: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, statusText, headers } = response
    // A redirect that was not followed has the status 0 and no body.
    if (body === null || status < 200) return response
    const isStream = headers.get("content-type")?.trim().toLowerCase().startsWith("text/event-stream") ?? false
    const bounded = body.pipeThrough(bounding(most, isStream))
    return new Response(bounded, { status, statusText, headers })
  }

const [LF, CR] = [10, 13]

/** Passes bytes on. @param isStream whether a blank line ends a message */
const bounding = (most: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> => {
  let length = 0
  let ofLine = 0
  let last = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      for (const byte of isStream ? chunk : []) {
        length++
        // The line feed of a line end that has two characters ends no other line.
        const isEnd = byte === CR || (byte === LF && last !== CR)
        if (isEnd && ofLine === 0) length = 0
        if (isEnd) ofLine = 0
        else if (byte !== LF) ofLine++
        last = byte
      }
      if (!isStream) length += chunk.length
      if (length > most) controller.error(new Error(`a message has more than ${most} bytes`))
      else controller.enqueue(chunk)
    },
  })
}

/** Causes of events, as far as they are among those that are known. */
import type { Entry, InferredCause, Why } from "../../wire/Chunk.ts"

/** An event with its causes, up to the first one that is not among some events. */
export const chainOf = (entries: ReadonlyArray<Entry>, position: number): Why => {
  const left = new Map(entries.map((entry) => [entry.position, entry]))
  const chain: Array<Why[number]> = []
  let inferred: InferredCause | undefined
  for (let next = left.get(position); next !== undefined; next = left.get(next.cause?.position ?? 0)) {
    chain.push(inferred === undefined ? next : { ...next, inferred })
    inferred = next.cause?.inferred
    // In a file that was altered, causes may go round.
    left.delete(next.position)
  }
  return chain
}

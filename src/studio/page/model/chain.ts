/** Chains of causes among known events. */
import type { Entry, InferredCause, Why } from "../../wire/CourseSlice.ts"

/** An event with its causes, up to the first one that is not among these events. */
export const chainOf = (entries: ReadonlyArray<Entry>, position: number): Why => {
  const left = new Map(entries.map((entry) => [entry.position, entry]))
  const chain: Array<Why[number]> = []
  let inferred: InferredCause | undefined
  for (let next = left.get(position); next !== undefined; next = left.get(next.cause?.position ?? 0)) {
    chain.push(inferred === undefined ? next : { ...next, inferred })
    inferred = next.cause?.inferred
    // An altered file may contain a cycle of causes.
    left.delete(next.position)
  }
  return chain
}

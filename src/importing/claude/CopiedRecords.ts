/**
 * Detects records that a session copied when it was forked (`--fork-session`) or, in early versions, resumed. Copies
 * keep their ids, and the session does not name its origin.
 */

import { field, listOf, textOf } from "../runs/Untrusted.ts"
import type { Relative } from "../Source.ts"

export class CopiedRecords {
  #relatives: ReadonlyArray<Relative>
  #parent: Relative | undefined

  /** @param relatives sessions that begin with the same message */
  constructor(relatives: ReadonlyArray<Relative>) {
    this.#relatives = relatives
  }

  /** Task of the session with the last copied record. */
  get parent(): string | undefined {
    return this.#parent?.taskId
  }

  /** Whether the next record is a copy. After the first one that is not, none is. */
  take(record: unknown): boolean {
    if (this.#relatives.length === 0) return false
    const keys = keysOf(record)
    // A record without events follows the one before it.
    if (keys.length === 0) return this.#parent !== undefined
    const found = this.#relatives.find(({ has }) => keys.some(has))
    if (found === undefined) this.#relatives = []
    else this.#parent = found
    return found !== undefined
  }
}

/** Possible event keys of a record; empty for records that may have no event. */
const keysOf = (record: unknown): ReadonlyArray<string> => {
  const uuid = textOf(record, "uuid")
  if (uuid === undefined || field(record, "isMeta") === true) return []
  const own = ["said", "kept", "compacted", "spoke", "answered"].map((kind) => `${kind}:${uuid}`)
  const message = field(record, "message")
  const answer = textOf(message, "id")
  if (field(record, "type") === "assistant") return answer === undefined ? own : [...own, `answered:${answer}`]
  if (field(record, "type") !== "user") return own
  const results = listOf(message, "content").flatMap((block) => textOf(block, "tool_use_id") ?? [])
  return [
    ...own,
    ...results.flatMap((id) => [`outcome:${id}`, `unknown:${id}`]),
    ...results.map((_, index) => `kept:${uuid}:${index}`),
  ]
}

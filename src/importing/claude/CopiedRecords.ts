/**
 * The records that a session copied from another one when it was forked from it (`--fork-session`) or, by early versions, resumed: they have
 * the same ids there, and the session does not name the other one.
 */

import { field, listOf, textOf } from "../runs/Untrusted.ts"
import type { Relative } from "../Source.ts"

export class CopiedRecords {
  #relatives: ReadonlyArray<Relative>
  #parent: Relative | undefined

  /** @param relatives the sessions that begin with the same message */
  constructor(relatives: ReadonlyArray<Relative>) {
    this.#relatives = relatives
  }

  /** The task of the session that has the last record that was copied. */
  get parent(): string | undefined {
    return this.#parent?.taskId
  }

  /** Whether the next record was copied. After the first one that was not, none is. */
  take(record: unknown): boolean {
    if (this.#relatives.length === 0) return false
    const keys = keysOf(record)
    // What makes no event tells nothing, and goes with what comes before it.
    if (keys.length === 0) return this.#parent !== undefined
    const found = this.#relatives.find(({ has }) => keys.some(has))
    if (found === undefined) this.#relatives = []
    else this.#parent = found
    return found !== undefined
  }
}

/** The keys of the events that may stand for a record; none where there need not be one. */
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

/** Tracks which message each record of a session follows, to find duplicates, missing messages and rewinds. */

import { IdSet, idOf } from "../runs/EventIds.ts"

/** Maximum number of missing messages to track. */
const MAX_MISSING = 1_000

export class MessageOrder {
  readonly #seen = new IdSet()
  readonly #messages = new IdSet()
  /** Followed messages that had not been read by then. */
  readonly #missing = new Set<string>()
  /** The last record, and the last message of the main conversation. */
  #lastRecord: string | undefined
  #last: string | undefined

  /** Registers a record; returns whether it is new. */
  add(uuid: string): boolean {
    this.#lastRecord = uuid
    return this.#seen.add(idOf(uuid))
  }

  follows(parent: string | undefined): void {
    // Fast path: most records follow the one before.
    if (parent === undefined || parent === this.#lastRecord) return
    if (this.#missing.size >= MAX_MISSING || this.#seen.has(idOf(parent))) return
    this.#missing.add(parent)
  }

  said(uuid: string): void {
    this.#last = uuid
    this.#messages.add(idOf(uuid))
  }

  /**
   * Whether a prompt with this parent is a rewind: the parent is not the last message. Records of other types in
   * between do not count, and neither do parents that are not in the file.
   */
  branchesAt(parent: string): boolean {
    return this.#last !== undefined && parent !== this.#last && this.#messages.has(idOf(parent))
  }

  /** For each such message: whether it came later or never. */
  get misplaced(): ReadonlyArray<"later" | "nowhere"> {
    return [...this.#missing].map((parent) => (this.#seen.has(idOf(parent)) ? "later" : "nowhere"))
  }
}

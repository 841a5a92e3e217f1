/** Which message each record of a session follows: what was read before, what is missing, and where a person went back. */

import { IdSet, idOf } from "../runs/EventIds.ts"

/** Most messages that are followed and not there that are counted. */
const MAX_MISSING = 1_000

export class MessageOrder {
  readonly #seen = new IdSet()
  /** The messages of the main conversation. */
  readonly #messages = new IdSet()
  /** The messages that records follow which were not read before them. */
  readonly #missing = new Set<string>()
  /** The last record, and the last message of the main conversation. */
  #lastRecord: string | undefined
  #last: string | undefined

  /** Takes the id of a record. Returns whether it is new. */
  add(uuid: string): boolean {
    this.#lastRecord = uuid
    return this.#seen.add(idOf(uuid))
  }

  /** Takes the id of what a record follows. */
  follows(parent: string | undefined): void {
    // Most records follow the one before them.
    if (parent === undefined || parent === this.#lastRecord) return
    if (this.#missing.size >= MAX_MISSING || this.#seen.has(idOf(parent))) return
    this.#missing.add(parent)
  }

  /** Takes the id of a message of the main conversation. */
  said(uuid: string): void {
    this.#last = uuid
    this.#messages.add(idOf(uuid))
  }

  /**
   * Whether a prompt that follows a message branches off: that one is not the last. Records of other types may stand between, and a
   * message that is not in the file is no branch.
   */
  branchesAt(parent: string): boolean {
    return this.#last !== undefined && parent !== this.#last && this.#messages.has(idOf(parent))
  }

  /** What is to be said of the records that follow what was not read before them: where each message is, one for each. */
  get misplaced(): ReadonlyArray<"later" | "nowhere"> {
    return [...this.#missing].map((parent) => (this.#seen.has(idOf(parent)) ? "later" : "nowhere"))
  }
}

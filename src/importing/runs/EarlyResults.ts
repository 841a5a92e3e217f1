/** Holds results that precede their calls in a file: concurrent writers do not keep the order. */

import { IdSet, idOf } from "./EventIds.ts"

const MAX_WAITING = 1_000

interface Waiting {
  readonly callId: string
  readonly what: () => void
  readonly otherwise: () => void
}

export class EarlyResults {
  readonly #called = new IdSet()
  #waiting: Array<Waiting> = []

  /** Holds a result without a pending call. Runs `otherwise` at once if the call already had its result. */
  add(callId: string, what: () => void, otherwise: () => void): void {
    if (this.#called.has(idOf(callId))) {
      otherwise()
      return
    }
    this.#waiting.push({ callId, what, otherwise })
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.otherwise()
  }

  /** Releases the results of a call that has appeared. */
  called(callId: string): void {
    this.#called.add(idOf(callId))
    if (this.#waiting.length === 0) return
    const own = this.#waiting.filter((one) => one.callId === callId)
    if (own.length === 0) return
    this.#waiting = this.#waiting.filter((one) => one.callId !== callId)
    for (const [index, one] of own.entries()) (index === 0 ? one.what : one.otherwise)()
  }

  end(): void {
    for (const { otherwise } of this.#waiting.splice(0)) otherwise()
  }
}

/** Results that stand before their calls in a file: programs that write both at the same time do not keep their order. */

import { IdSet, idOf } from "./EventIds.ts"

/** Most results that wait for their calls. */
const MAX_WAITING = 1_000

interface Waiting {
  readonly callId: string
  readonly what: () => void
  readonly otherwise: () => void
}

export class EarlyResults {
  readonly #called = new IdSet()
  #waiting: Array<Waiting> = []

  /** Takes a result whose call has none under way: the call comes later, or has had its result. */
  add(callId: string, what: () => void, otherwise: () => void): void {
    if (this.#called.has(idOf(callId))) {
      otherwise()
      return
    }
    this.#waiting.push({ callId, what, otherwise })
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()?.otherwise()
  }

  /** The call is there: its results are done. */
  called(callId: string): void {
    this.#called.add(idOf(callId))
    if (this.#waiting.length === 0) return
    const own = this.#waiting.filter((one) => one.callId === callId)
    if (own.length === 0) return
    this.#waiting = this.#waiting.filter((one) => one.callId !== callId)
    for (const [index, one] of own.entries()) (index === 0 ? one.what : one.otherwise)()
  }

  /** No more calls come. */
  end(): void {
    for (const { otherwise } of this.#waiting.splice(0)) otherwise()
  }
}

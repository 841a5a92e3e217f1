/** Takes long synchronous work in short steps, so that others on the same thread get their turns. */

/** Work that yields between its steps. Each step is short. */
export type Steps<A> = Generator<undefined, A, undefined>

/** Takes all steps at once. */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Takes the steps in slices of a few milliseconds. Between them, timers and sockets of Node's event loop have their turn. */
export const inTurns = async <A>(steps: Steps<A>): Promise<A> => {
  for (;;) {
    const startedAt = performance.now()
    do {
      const { done, value } = steps.next()
      if (done === true) return value
    } while (performance.now() - startedAt < SLICE_MS)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

const SLICE_MS = 4

/** Limits the silence of a server while its answer arrives. */

import { Effect, type Either } from "effect"
import { LONGEST_MS } from "../../../values/Options.ts"

/** Tells that something arrived. Returns false once nobody waits any more. */
export type Progress = () => boolean

/**
 * Runs a promise until it ends, or until nothing has arrived for so many milliseconds. A left result is a failure; a
 * rejection is a defect. One timer and no fiber serve all pieces of an answer.
 */
export const limited = <A>(
  steps: (progress: Progress) => Promise<Either.Either<A, unknown>>,
  timeoutMs: number,
): Effect.Effect<A, { readonly error: unknown }> =>
  Effect.async((resume) => {
    let isOver = false
    const end = (result: Effect.Effect<A, { readonly error: unknown }>) => {
      isOver = true
      clearTimeout(timer)
      resume(result)
    }
    const timer = setTimeout(() => end(Effect.fail({ error: new Silence(timeoutMs) })), Math.min(timeoutMs, LONGEST_MS))
    const progress = () => {
      if (!isOver) timer.refresh()
      return !isOver
    }
    steps(progress).then(
      (result) => end(result._tag === "Right" ? Effect.succeed(result.right) : Effect.fail({ error: result.left })),
      (defect: unknown) => end(Effect.die(defect)),
    )
    return Effect.sync(() => {
      isOver = true
      clearTimeout(timer)
    })
  })

class Silence extends Error {
  override readonly name = "TimeoutError"
  constructor(timeoutMs: number) {
    super(`The server sent nothing for ${timeoutMs} ms`)
  }
}

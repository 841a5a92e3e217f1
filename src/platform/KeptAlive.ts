/**
 * What keeps the process of a recorded program alive: work that is under way, and not the timers of the kernel beside it. A
 * program that forgets to end its run exits as it would without.
 */

import { Clock, Duration, Effect, Layer } from "effect"
import { LONGEST_MS } from "../values/Options.ts"

const usual = Clock.make()

/** The usual clock, except that its timers keep no process alive. */
const clock: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => usual.unsafeCurrentTimeMillis(),
  unsafeCurrentTimeNanos: () => usual.unsafeCurrentTimeNanos(),
  currentTimeMillis: usual.currentTimeMillis,
  currentTimeNanos: usual.currentTimeNanos,
  sleep: (duration) =>
    Effect.async<void>((resume) => {
      const timer = setTimeout(() => resume(Effect.void), Math.min(Duration.toMillis(duration), LONGEST_MS)).unref()
      return Effect.sync(() => clearTimeout(timer))
    }),
}

/** Runs a kernel by that clock. */
export const layer: Layer.Layer<never> = Layer.setClock(clock)

/** Keeps the process alive until work is done. */
export const during = <A>(work: Promise<A>): Promise<A> => {
  timer ??= setInterval(() => {}, LONGEST_MS)
  if (underWay++ === 0) timer.ref()
  return work.finally(() => {
    if (--underWay === 0) timer?.unref()
  })
}

/** One timer for all work: to make one costs more than all else of it. */
let timer: ReturnType<typeof setInterval> | undefined
let underWay = 0

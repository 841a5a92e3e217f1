/**
 * Keeps a recorded program's process alive for work in progress, but not for the timers of the kernel next to it. A
 * program that never ends its run still exits.
 */

import { Clock, Duration, Effect, Layer } from "effect"
import { LONGEST_MS } from "../../values/Options.ts"

const usual = Clock.make()

/** The usual clock, with timers that keep no process alive. */
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

/** Runs a kernel on that clock. */
export const layer: Layer.Layer<never> = Layer.setClock(clock)

/** Whether the caller runs on that clock. */
export const isLayered: Effect.Effect<boolean> = Effect.clockWith((now) => Effect.succeed(now === clock))

/** Keeps the process alive until the work settles. */
export const during = <A>(work: Promise<A>): Promise<A> => {
  begin()
  return work.finally(end)
}

/** Keeps the process alive until the matching `end`. */
export const begin = (): void => {
  timer ??= setInterval(() => {}, LONGEST_MS)
  if (underWay++ === 0) timer.ref()
}

export const end = (): void => {
  if (--underWay === 0) timer?.unref()
}

/** One timer for all work: creating one costs more than everything else. */
let timer: ReturnType<typeof setInterval> | undefined
let underWay = 0

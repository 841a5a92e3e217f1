/** Decides when a command stops: at its time limit, or when an interrupting input arrives. */
import { Effect } from "effect"
import { INTERRUPTED, OUT_OF_TIME, type Stop } from "../acting/Command.ts"
import type * as Inputs from "./Inputs.ts"

export interface StopOptions {
  readonly withinMs: number | undefined
  readonly interruptible: boolean | undefined
}

const INTERRUPTING: Inputs.InputOptions = { deliveries: ["interrupting"] }

/** Whether an interrupting input waits, and when the next one arrives. */
export const interruptionBy = (inputs: Pick<Inputs.Inputs, "has" | "awaited">) => ({
  waits: inputs.has(INTERRUPTING),
  arrives: inputs.awaited(INTERRUPTING),
})

/** The stop of a command, if any. Its time begins now. */
export const stopOf = (
  { withinMs = Number.POSITIVE_INFINITY, interruptible = false }: StopOptions,
  { arrives }: Pick<ReturnType<typeof interruptionBy>, "arrives">,
): Stop | undefined => {
  if (!Number.isFinite(withinMs) && !interruptible) return undefined
  const until = performance.now() + withinMs
  const late = Effect.as(
    Effect.suspend(() => Effect.sleep(Math.max(0, until - performance.now()))),
    OUT_OF_TIME,
  )
  // If the log cannot be read, the command itself fails.
  const input = Effect.as(
    Effect.catchAll(arrives, () => Effect.never),
    INTERRUPTED,
  )
  if (!interruptible) return { signal: late }
  // A race takes two fibers of its own.
  return { signal: Number.isFinite(withinMs) ? Effect.raceFirst(late, input) : input }
}

/** When a command of a task is stopped: when its time is up, or when an interrupting input arrives. */
import { Effect } from "effect"
import { INTERRUPTED, OUT_OF_TIME, type Stop } from "../acting/Command.ts"
import type * as Inputs from "./Inputs.ts"

/** When a command is stopped, as `ActOptions` says. */
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

/** What stops a command; undefined if nothing does. Its time begins now. */
export const stopOf = (
  { withinMs = Number.POSITIVE_INFINITY, interruptible = false }: StopOptions,
  { arrives }: Pick<ReturnType<typeof interruptionBy>, "arrives">,
): Stop | undefined => {
  if (!Number.isFinite(withinMs) && !interruptible) return undefined
  const until = performance.now() + withinMs
  const late = Effect.suspend(() =>
    Number.isFinite(until) ? Effect.sleep(Math.max(0, until - performance.now())) : Effect.never,
  )
  // Where the log cannot be read, the command itself fails.
  const input = interruptible ? Effect.catchAll(arrives, () => Effect.never) : Effect.never
  return { signal: Effect.raceFirst(Effect.as(late, OUT_OF_TIME), Effect.as(input, INTERRUPTED)) }
}

/** Decides when a command stops: at its time limit, or when an interrupting input arrives. */
import { LONGEST_MS } from "../../values/Options.ts"
import { INTERRUPTED, OUT_OF_TIME, type Stop } from "../acting/Command.ts"
import type * as Inputs from "./Inputs.ts"
import type { Interruption } from "./ModelCalls.ts"

export interface StopOptions {
  readonly withinMs: number | undefined
  readonly interruptible: boolean | undefined
}

const INTERRUPTING: Inputs.InputOptions = { deliveries: ["interrupting"] }

/** Whether an interrupting input waits, and when the next one arrives. */
export const interruptionBy = (inputs: Pick<Inputs.Inputs, "has" | "awaited" | "listen">): Interruption => ({
  waits: inputs.has(INTERRUPTING),
  arrives: inputs.awaited(INTERRUPTING),
  listen: (stop) => inputs.listen(INTERRUPTING, stop),
})

/** The stop of a command, if any. Its time begins now. */
export const stopOf = (
  { withinMs = Number.POSITIVE_INFINITY, interruptible = false }: StopOptions,
  { listen }: Pick<Interruption, "listen">,
): Stop | undefined => {
  if (!Number.isFinite(withinMs) && !interruptible) return undefined
  const until = performance.now() + withinMs
  return {
    listen: (stop) => {
      const leftMs = Math.max(0, until - performance.now())
      // Work that may take longer has no time limit.
      const timer = leftMs <= LONGEST_MS ? setTimeout(stop, leftMs, OUT_OF_TIME) : undefined
      // If the log cannot be read, the command itself fails.
      const end = interruptible ? listen(() => stop(INTERRUPTED)) : undefined
      return () => {
        clearTimeout(timer)
        end?.()
      }
    },
  }
}

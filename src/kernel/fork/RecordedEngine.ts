/**
 * The JavaScript engine that a world was recorded under. The last bits of `Math.sin` and similar functions depend on
 * it, so a world may develop differently under another one. Worlds run in Deno.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"

/** The engines that a world was recorded under, and the current one; null if unknown. */
export type EngineChange = NonNullable<PayloadOf<"EnvironmentRestored">["engine"]>

/**
 * Undefined if this kernel's engine computed everything. Each kernel records its engine at its start, and the last one
 * is this kernel, which holds the lease.
 *
 * @param positions of recorded results of the world, on any timeline
 */
export const changeSince = (
  { readPage }: Pick<EventLog.Service, "readPage">,
  positions: ReadonlyArray<number>,
): Effect.Effect<EngineChange | undefined, LogError> =>
  Effect.gen(function* () {
    const kernels: Array<{ readonly position: number; readonly engine: string | null }> = []
    yield* Pages.forEach(readPage, { types: ["KernelStarted"] }, (page) => {
      for (const event of page) {
        if (is(event, "KernelStarted")) kernels.push({ position: event.position, engine: named(event.payload.deno) })
      }
    })
    const at = (position: number) => kernels.findLast((kernel) => kernel.position <= position)?.engine ?? null
    const recorded = [...new Set(positions.map(at))]
    const now = kernels.at(-1)?.engine ?? null
    return recorded.every((engine) => engine !== null && engine === now) ? undefined : { recorded, now }
  })

/** A kernel records an empty version if it could not determine Deno's. */
const named = (deno: string): string | null => (deno === "" ? null : `Deno ${deno}`)

export const words = (plugin: string, { recorded, now }: EngineChange): string => {
  const known = recorded.filter((engine) => engine !== null)
  const unknown = known.length === recorded.length ? [] : ["an engine that the log does not name"]
  return (
    `The world of ${plugin} was recorded under ${[...known, ...unknown].join(" and ")} and continues under ${now ?? "an unknown engine"}: ` +
    "the last bits of Math.sin and similar functions may differ, and with them the world, unless it uses context.math."
  )
}

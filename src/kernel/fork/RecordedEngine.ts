/**
 * The JavaScript engine that a world was recorded under. The last bits of `Math.sin` and its like depend on it, so that a
 * world which computes with them may leave its recorded course under another one. Worlds run in Deno.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"

/** The engines that a world was recorded under, and the one that it goes on under; null: nobody knows. */
export type EngineChange = NonNullable<PayloadOf<"EnvironmentRestored">["engine"]>

/**
 * Which engines a world was recorded under; undefined if it was this kernel's alone. Each kernel records its engine when it
 * starts, and the last to start is this one, which holds the lease.
 *
 * @param positions where the log has what the world computed, on any timeline
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

/** A kernel that did not find out Deno's version recorded none. */
const named = (deno: string): string | null => (deno === "" ? null : `Deno ${deno}`)

/** That a world goes on under another engine, in words. */
export const words = (plugin: string, { recorded, now }: EngineChange): string => {
  const known = recorded.filter((engine) => engine !== null)
  const unknown = known.length === recorded.length ? [] : ["an engine that the log does not name"]
  return (
    `The world of ${plugin} was recorded under ${[...known, ...unknown].join(" and ")} and goes on under ${now ?? "an engine that nobody knows"}: ` +
    "the last bits of Math.sin and its like may differ, and with them its course, unless it takes them from context.math."
  )
}

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import { newId } from "../../src/events/vocabulary/Event.ts"
import * as Fence from "../../src/kernel/recovery/Fence.ts"

const note = (stream: string) => ({
  ...{ stream, actor: "kernel" },
  events: [{ type: "NoteAdded", payload: { about: "", text: "" } }] as const,
})

/** A lease that stays this kernel's. */
const kept = { check: Effect.void, held: Effect.void, takenFrom: null, lostBy: null, identity: newId() }

describe("a fence", () => {
  it.effect(
    "a fence that moved while its kernel kept the lease lets everything through that met it, not only the first",
    () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const fenced = yield* Fence.fencedLog(log, "test", kept)
        yield* log.append(note(Fence.STREAM))
        const streams = ["a", "b", "c"]
        const appended = yield* Effect.forEach(streams, (stream) => fenced.append(note(stream)), {
          concurrency: "unbounded",
        })
        expect(appended.flatMap(({ events }) => events.map(({ stream }) => stream))).toEqual(streams)
      }).pipe(Effect.provide(MemoryEventLog.layer())),
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AppendRequest, EventLog, Exact, LeaseLost } from "../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import { newId } from "../../src/events/vocabulary/Event.ts"
import * as Fence from "../../src/kernel/recovery/Fence.ts"

const note = (stream: string) => ({
  stream,
  actor: "kernel",
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

  it.effect("of a lease that was lost refuses to begin", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const lost = { ...kept, check: new LeaseLost({ log: "memory", owner: "test" }), takenFrom: "another" }
      expect(yield* Effect.flip(Fence.fencedLog(log, "test", lost))).toMatchObject({ _tag: "LeaseLost" })
      expect((yield* log.head).position).toBe(0)
    }).pipe(Effect.provide(MemoryEventLog.layer())),
  )

  it.effect("that another kernel moved lets nothing through once the lease is lost", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      let isLost = false
      const check = Effect.suspend(() => (isLost ? new LeaseLost({ log: "memory", owner: "test" }) : Effect.void))
      const fenced = yield* Fence.fencedLog(log, "test", { ...kept, check })
      yield* fenced.append(note("a"))
      isLost = true
      // The one that took over shuts the other out before it does anything else.
      const other = yield* Fence.fencedLog(log, "other", { ...kept, takenFrom: "test" })
      const [taken] = yield* log.readPage({ stream: Fence.STREAM }, 10)
      expect(taken).toMatchObject({ type: "LeaseTakenOver", payload: { owner: "other", from: "test" } })
      for (const stream of ["a", Fence.STREAM]) {
        expect(yield* Effect.flip(fenced.append(note(stream)))).toMatchObject({ _tag: "LeaseLost" })
      }
      yield* other.append(note("a"))
      expect((yield* log.head).position).toBe(3)
    }).pipe(Effect.provide(MemoryEventLog.layer())),
  )

  it.effect("leaves a conflict of the kernels' own stream to whoever expected another version of it", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const fenced = yield* Fence.fencedLog(log, "test", kept)
      yield* fenced.append(note(Fence.STREAM))
      const stale = fenced.append({ ...note(Fence.STREAM), expected: Exact(0) })
      expect(yield* Effect.flip(stale)).toMatchObject({ _tag: "VersionConflict", stream: Fence.STREAM, actual: 1 })
    }).pipe(Effect.provide(MemoryEventLog.layer())),
  )

  it.effect("moves with its kernel's own events in the kernels' stream, without a second try", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      let tries = 0
      const counted = {
        ...log,
        append: (request: AppendRequest) =>
          Effect.suspend(() => {
            tries += 1
            return log.append(request)
          }),
      }
      const fenced = yield* Fence.fencedLog(counted, "test", kept)
      yield* fenced.append(note(Fence.STREAM))
      yield* fenced.append(note("a"))
      expect(tries).toBe(2)
    }).pipe(Effect.provide(MemoryEventLog.layer())),
  )
})

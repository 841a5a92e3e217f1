import { it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as Recorder from "../../src/events/log/Recorder.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"

const STREAM = "task/t1"

const note = (text: string): CoreNewEvent => ({ type: "NoteAdded", payload: { about: "", text } })

const recording = Effect.map(EventLog, (log) => ({
  recorder: Recorder.make(log, { stream: STREAM, taskId: "t1", actor: "kernel" }),
  other: (text: string) => log.append({ stream: STREAM, taskId: "t1", actor: "human:ada", events: [note(text)] }),
}))

const provided = Effect.provide(MemoryEventLog.layer())

/** The texts of the events that an append missed. */
const missedBy = <A, E>(appending: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(appending), (error) => {
    const { missed } = error as unknown as { readonly missed: ReadonlyArray<{ readonly payload: { text: string } }> }
    return missed.map(({ payload }) => payload.text)
  })

describe("an event that no other program's may precede", () => {
  it.effect("is recorded after those of its own recorder, all at once", () =>
    Effect.gen(function* () {
      const { recorder } = yield* recording
      yield* recorder.recordFirst(note("opened"))
      yield* recorder.recordAll([note("one"), note("two"), note("three")])
      const ten = Array.from({ length: 10 }, (_, index) => recorder.recordAfter(2, note(`after ${index}`)))
      const recorded = yield* Effect.all(ten, { concurrency: "unbounded" })
      expect(recorded.map(({ version }) => version)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    }).pipe(provided),
  )

  it.effect("is refused where another program appended since, also where the recorder has met its event", () =>
    Effect.gen(function* () {
      const { recorder, other } = yield* recording
      yield* recorder.recordFirst(note("opened"))
      yield* other("cancelled")
      expect(yield* missedBy(recorder.recordAfter(1, note("after")))).toEqual(["cancelled"])
      yield* recorder.record(note("own"))
      expect(yield* missedBy(recorder.recordAfter(1, note("after")))).toEqual(["cancelled", "own"])
      expect((yield* recorder.recordAfter(2, note("after"))).version).toBe(4)
    }).pipe(provided),
  )

  it.effect("is refused where another program's events may stand in the place of some that were refused", () =>
    Effect.gen(function* () {
      const { recorder, other } = yield* recording
      yield* recorder.recordFirst(note("opened"))
      expect(Exit.isFailure(yield* Effect.exit(recorder.record(note("\ud800"))))).toBe(true)
      yield* other("cancelled")
      // It stands where the recorder expects its own.
      expect((yield* recorder.record(note("own"))).version).toBe(3)
      expect(yield* missedBy(recorder.recordAfter(1, note("after")))).toEqual(["cancelled", "own"])
    }).pipe(provided),
  )

  it.effect("is refused where another was recorded after an event that it does not know", () =>
    Effect.gen(function* () {
      const { recorder, other } = yield* recording
      yield* recorder.recordFirst(note("opened"))
      yield* recorder.record(note("own"))
      yield* other("cancelled")
      // Who was told of it goes on after it.
      expect((yield* recorder.recordAfter(3, note("first"))).version).toBe(4)
      expect(yield* missedBy(recorder.recordAfter(1, note("second")))).toEqual(["own", "cancelled", "first"])
    }).pipe(provided),
  )

  it.effect("is refused after events of an earlier recorder", () =>
    Effect.gen(function* () {
      const { recorder, other } = yield* recording
      yield* other("opened")
      yield* other("allowed")
      yield* other("cancelled")
      yield* recorder.recordAfter(3, note("resumed"))
      expect(yield* missedBy(recorder.recordAfter(2, note("after")))).toEqual(["cancelled", "resumed"])
      expect((yield* recorder.recordAfter(3, note("after"))).version).toBe(5)
    }).pipe(provided),
  )
})

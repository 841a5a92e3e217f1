import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as Recorder from "../../src/events/log/Recorder.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import { temporaryDirectory } from "../temporary.ts"

const STREAM = "task/t1"

const note = (text: string): CoreNewEvent => ({ type: "NoteAdded", payload: { about: "", text } })

/** A note that no log stores. */
const broken = note("\ud800")

const recording = Effect.map(EventLog, (log) => {
  const recorder = Recorder.make(log, { stream: STREAM, taskId: "t1", actor: "kernel" })
  const other = (text: string) => log.append({ stream: STREAM, taskId: "t1", actor: "human:ada", events: [note(text)] })
  const recorded = Effect.map(log.readPage({ stream: STREAM }, 100), (events) =>
    events.map(({ payload, actor }) => `${(payload as { readonly text: string }).text} by ${actor}`),
  )
  return { recorder, agent: recorder.as("agent:walker@1"), other, recorded }
})

const provided = Effect.provide(MemoryEventLog.layer())

describe("an event that is held", () => {
  it.effect("is recorded before the next one of any actor, under its own actor, and is no part of its answer", () =>
    Effect.gen(function* () {
      const { recorder, agent, recorded } = yield* recording
      const id = agent.hold(note("decided"))
      expect(yield* recorded).toEqual([])
      const event = yield* recorder.record({ ...note("asked"), causationId: id }, note("allowed"))
      expect(event).toMatchObject({ position: 2, version: 2, payload: { text: "asked" }, causationId: id })
      agent.hold(note("decided again"))
      expect((yield* recorder.recordAll([note("one"), note("two")])).map(({ position }) => position)).toEqual([5, 6])
      expect(yield* recorded).toEqual([
        "decided by agent:walker@1",
        "asked by kernel",
        "allowed by kernel",
        "decided again by agent:walker@1",
        "one by kernel",
        "two by kernel",
      ])
    }).pipe(provided),
  )

  it.effect("keeps its place where another program was faster", () =>
    Effect.gen(function* () {
      const { recorder, agent, other, recorded } = yield* recording
      yield* recorder.recordFirst(note("opened"))
      yield* other("paused")
      agent.hold(note("decided"))
      expect(yield* recorder.recordUndisturbed([note("asked")], Effect.succeed(true))).toBeUndefined()
      expect(yield* recorded).toEqual(["opened by kernel", "paused by human:ada"])
      yield* other("continued")
      yield* recorder.record(note("asked"))
      expect((yield* recorded).slice(2)).toEqual([
        "continued by human:ada",
        "decided by agent:walker@1",
        "asked by kernel",
      ])
    }).pipe(provided),
  )

  it.effect("comes with events that nobody may disturb, which are answered without it", () =>
    Effect.gen(function* () {
      const { recorder, agent, recorded } = yield* recording
      yield* recorder.recordFirst(note("opened"))
      agent.hold(note("decided"))
      const events = yield* recorder.recordUndisturbed([note("asked")], Effect.succeed(true))
      expect(events).toMatchObject([{ position: 3, payload: { text: "asked" } }])
      expect(yield* recorded).toHaveLength(3)
    }).pipe(provided),
  )

  it.effect("is recorded although the one that brings it is refused, interrupted or has an id of its own", () =>
    Effect.gen(function* () {
      const { recorder, agent, recorded } = yield* recording
      agent.hold(note("decided"))
      expect(yield* Effect.flip(recorder.record(broken))).toMatchObject({ _tag: "InvalidEvent" })
      agent.hold(note("decided again"))
      const fiber = yield* Effect.fork(recorder.record(note("asked")))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      const id = agent.hold(note("once more"))
      const given = { ...note("given"), id: "0192f0c8-0000-7000-8000-000000000001" }
      yield* recorder.record(given)
      yield* recorder.record({ ...note("told"), causationId: id })
      expect(yield* recorded).toEqual([
        "decided by agent:walker@1",
        "decided again by agent:walker@1",
        "asked by kernel",
        "once more by agent:walker@1",
        "given by kernel",
        "told by kernel",
      ])
    }).pipe(provided),
  )

  it.effect("that is no event is refused once, and what comes later is recorded", () =>
    Effect.gen(function* () {
      const { recorder, agent, recorded } = yield* recording
      agent.hold(broken)
      const refused = yield* Effect.exit(recorder.record(note("asked")))
      expect(Exit.isFailure(refused)).toBe(true)
      recorder.as("").hold(note("of nobody"))
      expect(yield* Effect.flip(recorder.record(note("asked")))).toMatchObject({
        _tag: "InvalidEvent",
        reason: expect.stringContaining("actor: expected a name"),
      })
      yield* recorder.record(note("closed"))
      expect(yield* recorded).toEqual(["closed by kernel"])
    }).pipe(provided),
  )

  it.effect("is recorded once where the one that brings it has an id of its own, and is refused", () =>
    Effect.gen(function* () {
      const { recorder, agent, recorded } = yield* recording
      agent.hold(note("decided"))
      const given = { ...broken, id: "0192f0c8-0000-7000-8000-000000000001" }
      expect(yield* Effect.flip(recorder.record(given))).toMatchObject({ _tag: "InvalidEvent" })
      yield* recorder.record(note("told"))
      expect(yield* recorded).toEqual(["decided by agent:walker@1", "told by kernel"])
    }).pipe(provided),
  )

  it.scopedLive.each([false, true])(
    "is brought by the next one, if the first failed to be written; stored nevertheless: %s",
    (isStored) =>
      Effect.gen(function* () {
        const filename = `${yield* temporaryDirectory}/log.db`
        yield* Effect.gen(function* () {
          const { recorder, agent, recorded } = yield* recording
          yield* recorder.recordFirst(note("opened"))
          const id = agent.hold(note("decided"))
          fs.renameSync(filename, `${filename}.away`)
          expect(yield* Effect.flip(recorder.as("sensor").record(note("read")))).toMatchObject({
            _tag: "LogUnavailable",
          })
          fs.renameSync(`${filename}.away`, filename)
          const { append } = yield* EventLog
          const stored = { stream: STREAM, taskId: "t1", actor: "agent:walker@1", events: [{ ...note("decided"), id }] }
          if (isStored) yield* append(stored)
          agent.hold(note("decided again"))
          yield* recorder.record({ ...note("asked"), causationId: id })
          yield* recorder.record(note("allowed"))
          expect(yield* recorded).toEqual([
            "opened by kernel",
            "decided by agent:walker@1",
            "decided again by agent:walker@1",
            "asked by kernel",
            "allowed by kernel",
          ])
        }).pipe(Effect.provide(layerSqlite({ filename })))
      }),
  )
})

/** Conformance tests of recorders: several append to one stream, each in order, and none loses or repeats an event. */

import { Context, Effect, Either, Exit, Fiber, Scope } from "effect"
import { expect } from "vitest"
import { defined } from "../../../values/defined.ts"
import { EventLog } from "../../log/EventLog.ts"
import * as Recorder from "../../log/Recorder.ts"
import { ID_1, readAll, textOf } from "../given.ts"
import { type Backend, type BackendTest, newLog, twoOpen } from "./backend.ts"

/** Concurrent events of each of two recorders. */
const EACH = 40

const noted = (text: string, id?: string) => ({
  type: "NoteAdded" as const,
  payload: { about: "task", text },
  ...defined({ id }),
})

/** A recorder of the stream `task`. */
const recorderOf = (
  context: Context.Context<EventLog>,
  actor: string,
  noticed?: Parameters<typeof Recorder.make>[2],
): Recorder.Recorder =>
  Recorder.make(Context.get(context, EventLog), { stream: "task", taskId: "t1", actor: `agent:${actor}` }, noticed)

export const recording = <At>(test: BackendTest, backend: Backend<EventLog, At>): void => {
  test(
    "of two recorders of one stream at once, each event is stored once, in its recorder's order, and each recorder learns the other's",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const told: Array<string> = []
      const [here, there] = [
        recorderOf(one, "here", (events) => told.push(...events.map(({ actor, version }) => `${actor} ${version}`))),
        recorderOf(two, "there"),
      ]
      const numbers = Array.from({ length: EACH }, (_, index) => String(index))
      const answers = yield* Effect.all(
        [here, there].map((recorder) =>
          Effect.forEach(numbers, (text) => recorder.record(noted(text), noted(`${text} too`)), { concurrency: 4 }),
        ),
        { concurrency: "unbounded" },
      )
      const events = yield* readAll(Context.get(two, EventLog), { stream: "task" })
      expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1))
      for (const [index, actor] of ["agent:here", "agent:there"].entries()) {
        const own = events.filter((event) => event.actor === actor)
        expect(own.map(textOf)).toEqual(numbers.flatMap((text) => [text, `${text} too`]))
        expect(own.filter((_, at) => at % 2 === 0)).toEqual(answers[index])
      }
      expect(new Set(told).size).toBe(told.length)
      expect(told.every((line) => line.startsWith("agent:there "))).toBe(true)
      // One more event makes it meet everything that it has missed.
      yield* here.record(noted("last"))
      expect(told).toHaveLength(2 * EACH)
    }),
  )

  test(
    "of two recorders that begin one stream at once, one succeeds, and the other learns which events exist",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const answers = yield* Effect.all(
        [recorderOf(one, "here"), recorderOf(two, "there")].map((recorder) =>
          Effect.either(recorder.recordFirst(noted("first"))),
        ),
        { concurrency: "unbounded" },
      )
      const [begun] = answers.filter(Either.isRight).map(({ right }) => right)
      const refusals = answers.filter(Either.isLeft).map(({ left }) => left)
      expect(refusals).toMatchObject([{ _tag: "VersionConflict", stream: "task", actual: 1, missed: [begun] }])
    }),
  )

  test(
    "what must be undisturbed is not recorded after another recorder's event, and later events are recorded",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const [here, there] = [recorderOf(one, "here"), recorderOf(two, "there")]
      const first = yield* here.recordFirst(noted("first"))
      expect(yield* here.recordUndisturbed([noted("second")], Effect.succeed(true))).toMatchObject([{ version: 2 }])
      yield* there.record(noted("disturbs"))
      expect(yield* here.recordUndisturbed([noted("third")], Effect.succeed(true))).toBeUndefined()
      expect(yield* Effect.flip(here.recordAfter(first.version, noted("after the first")))).toMatchObject({
        _tag: "VersionConflict",
        stream: "task",
        actual: 3,
      })
      yield* here.record(noted("last"))
      const events = yield* readAll(Context.get(two, EventLog), { stream: "task" })
      expect(events.map(textOf)).toEqual(["first", "second", "disturbs", "last"])
    }),
  )

  test(
    "what is held comes before the next event in the same commit, and after another recorder's",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const [here, there] = [recorderOf(one, "here"), recorderOf(two, "there")]
      yield* here.record(noted("first"))
      const held = here.hold(noted("held"))
      yield* there.record(noted("disturbs"))
      yield* here.record(noted("brings it"))
      const events = yield* readAll(Context.get(two, EventLog), { stream: "task" })
      expect(events.map(textOf)).toEqual(["first", "disturbs", "held", "brings it"])
      expect(events[2]?.id).toBe(held)
    }),
  )

  test(
    "an event that is recorded again under its id, over another connection, is stored once",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const first = yield* recorderOf(one, "here").record(noted("once", ID_1))
      yield* recorderOf(one, "here").record(noted("meanwhile"))
      expect(yield* recorderOf(two, "here").record(noted("once", ID_1))).toEqual(first)
      expect(yield* Effect.flip(recorderOf(two, "here").record(noted("other", ID_1)))).toMatchObject({
        _tag: "IdReused",
      })
      expect(yield* readAll(Context.get(two, EventLog))).toHaveLength(2)
    }),
  )

  test(
    "of a recorder whose connection is closed while it records, all acknowledged events are stored, and another recorder continues",
    Effect.gen(function* () {
      const { open } = yield* newLog(backend)
      const two = yield* open
      const life = yield* Scope.make()
      const here = recorderOf(yield* Scope.extend(open, life), "here")
      const acknowledged: Array<string> = []
      const numbers = Array.from({ length: EACH }, (_, index) => String(index))
      const working = yield* Effect.fork(
        Effect.forEach(numbers, (text) => Effect.map(here.record(noted(text)), (event) => acknowledged.push(event.id))),
      )
      const there = recorderOf(two, "there")
      for (const text of numbers.slice(0, 5)) yield* there.record(noted(text))
      yield* Scope.close(life, Exit.void)
      yield* Fiber.interrupt(working)
      yield* there.record(noted("last"))
      const events = yield* readAll(Context.get(two, EventLog), { stream: "task" })
      const own = events.filter(({ actor }) => actor === "agent:here")
      expect(own.map(({ id }) => id).slice(0, acknowledged.length)).toEqual(acknowledged)
      expect(own.map(textOf)).toEqual(numbers.slice(0, own.length))
      expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1))
      expect(events.at(-1)).toMatchObject({ payload: { text: "last" } })
    }),
  )
}

/** Logs that tests write, and what hostile ones have in them. */
import { Effect } from "effect"
import { type CoreNewEvent, EventLog } from "../../../src/events/log/EventLog.ts"
import { Lease } from "../../../src/events/log/Lease.ts"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import type { Json } from "../../../src/values/Json.ts"
import { type Serving, serve } from "./watching.ts"

/** Appends to a log's file as another process would: it is opened and closed for it. */
export const append = (
  file: string,
  task: string,
  ...batches: ReadonlyArray<ReadonlyArray<CoreNewEvent>>
): Promise<void> => appendAs(file, task, {}, ...batches)

/** The same about a person, whose key encrypts the personal fields. */
export const appendAs = (
  file: string,
  task: string,
  about: { readonly subject?: string },
  ...batches: ReadonlyArray<ReadonlyArray<CoreNewEvent>>
): Promise<void> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    for (const events of batches)
      yield* log.append({ stream: `task/${task}`, taskId: task, actor: "kernel", ...about, events: [...events] })
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename: file })), Effect.runPromise)

/** The opening of a task. */
export const opening = (goal: string): CoreNewEvent => ({
  type: "TaskOpened",
  payload: { goal, measures: [], agent: "me@1", seed: 1 },
})

/** What a sensor said. */
export const reading = (value: Json, sensor = "room/view"): CoreNewEvent => ({
  type: "SensorRead",
  payload: { sensor, reading: value, priority: 0, latencyMs: 1 },
})

/** A log's file with a server, for as long as a test uses it. */
export const serving = async <A>(file: string, use: (studio: Serving) => Promise<A>): Promise<A> => {
  const studio = await serve(file)
  try {
    return await use(studio)
  } finally {
    await studio.stop()
  }
}

/** A text that would like to be more than a text. */
export const EVIL = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202Egnp.\u0007\u001b[31m`

/** What is not seen, or changes how what is around it is seen. Lines may be broken. */
export const UNSEEN = /\p{Cf}|(?!\n)\p{Cc}/u

/** An object in an object, and so on. */
export const deep = (levels: number): Json => (levels === 0 ? "bottom" : { down: deep(levels - 1) })

/** Holds the lease of a log, as the kernel of its open tasks does. */
export const asKernel = (file: string, use: () => Promise<void>): Promise<void> =>
  Effect.gen(function* () {
    yield* (yield* Lease).acquire("a test")
    yield* Effect.promise(use)
  }).pipe(Effect.scoped, Effect.provide(SqliteEventLog.layer({ filename: file })), Effect.runPromise)

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Layer, Schema } from "effect"
import * as EventLog from "../../src/events/index.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { eventType } from "../../src/events/vocabulary/EventType.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import type { Projection } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import type { Json } from "../../src/values/Json.ts"
import { event, requestOf, type Unplaced } from "./given.ts"

type Services = EventLog.EventLog | Projector.Projector | TimeTravel.TimeTravel

/** Runs on a new SQLite log in a directory of its own, with everything that reads it. */
export const onLog = <A, E>(body: Effect.Effect<A, E, Services>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-"))),
    (directory) =>
      Effect.provide(
        body,
        TimeTravel.layer.pipe(
          Layer.provideMerge(Projector.layer),
          Layer.provideMerge(EventLog.layerSqlite({ filename: path.join(directory, "log.db"), vocabulary })),
        ),
      ),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true })),
  )

const vocabulary = Vocabulary.extend(Vocabulary.core, [
  eventType("acme/Unheard", "A type that no fold here knows.", { a: Schema.Number }),
])

/** Appends events one by one, and answers with them as they stand in the log. */
export const append = (events: ReadonlyArray<Unplaced>) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const appended: Array<Event> = []
    for (const each of events) appended.push(...(yield* log.append(requestOf(each))).events)
    return appended
  })

/** A sensor's reading. */
export const read = (reading: Json, sensor = "room/look"): Unplaced =>
  event("SensorRead", { sensor, reading, priority: 0, latencyMs: 1 })

/** Counts readings; a projection value of its own for each caller. */
export const counter = (): Projection<number> => ({
  name: "Counter",
  version: 1,
  state: Schema.Number,
  initial: 0,
  evolve: (count, { type }) => (type === "SensorRead" ? count + 1 : count),
})

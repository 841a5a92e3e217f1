import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const SECRET = "Anna Karenina lives in Petersburg"

const reading = (index: number) => ({
  type: "SensorRead" as const,
  payload: { sensor: "room/heard", reading: `${SECRET}, and says ${index}`, priority: 0, latencyMs: 1 },
})

/** Enough to lay snapshots on. */
const EVENTS = 4000

const fill = Effect.gen(function* () {
  const log = yield* EventLog
  for (let start = 0; start < EVENTS; start += 1000) {
    const events = Array.from({ length: 1000 }, (_, index) => reading(start + index))
    yield* log.append({ stream: "room", actor: "plugin:room@1", subject: "anna", events })
  }
})

const open = (filename: string) => Layer.build(Projector.layer.pipe(Layer.provideMerge(layerSqlite({ filename }))))

const shred = Effect.flatMap(PersonalData, (personalData) =>
  personalData.shred({ subject: "anna", reason: "she asked", actor: "human:officer" }),
)

const current = Effect.flatMap(Projector.Projector, (projector) => projector.current(EnvironmentState.projection))

const bytesOf = (directory: string) =>
  Buffer.concat(fs.readdirSync(directory).map((file) => fs.readFileSync(path.join(directory, file))))

const countOf = (filename: string) =>
  Effect.sync(() => {
    const database = new Database(filename, { readonly: true })
    const count = database.prepare("SELECT count(*) FROM snapshots").pluck().get()
    database.close()
    return Number(count)
  })

describe("shredding", () => {
  it.scopedLive(
    "leaves nothing readable in states and snapshots, in this program and in any other that has the log",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const filename = path.join(directory, "log.db")
        // Closing it waits for its snapshots.
        yield* Effect.scoped(
          Effect.flatMap(open(filename), (context) => Effect.provide(Effect.zipRight(fill, current), context)),
        )
        expect(yield* countOf(filename)).toBeGreaterThan(0)
        expect(bytesOf(directory).includes(SECRET)).toBe(false)

        const [here, there] = yield* Effect.all([open(filename), open(filename)])
        for (const context of [here, there]) {
          expect(JSON.stringify(yield* Effect.provide(current, context))).toContain(SECRET)
        }
        yield* Effect.provide(shred, here)
        for (const context of [here, there]) {
          const state = yield* Effect.provide(current, context)
          const events = yield* Stream.runCollect(Context.get(context, EventLog).read())
          expect(state).toEqual(fold(EnvironmentState.projection, events))
          expect(state.shared.readings).toEqual({ "room/heard": null })
          const past = yield* Context.get(context, Projector.Projector).stateAt(EnvironmentState.projection, 2500)
          expect(past.shared.readings).toEqual({ "room/heard": null })
        }
        expect(bytesOf(directory).includes(SECRET)).toBe(false)
      }),
  )

  it.scopedLive("is seen by who watches a state change", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const context = yield* open(filename)
      yield* Effect.provide(fill, context)
      const live = yield* Deferred.make<void>()
      const watching = yield* Context.get(context, Projector.Projector)
        .changes(EnvironmentState.projection)
        .pipe(
          Stream.tap(() => Deferred.succeed(live, undefined)),
          Stream.take(2),
          Stream.runCollect,
          Effect.fork,
        )
      yield* Deferred.await(live)
      yield* Effect.provide(shred, context)
      const states = [...(yield* Fiber.join(watching))].map(({ state }) => state.shared.readings["room/heard"])
      expect(states).toEqual([`${SECRET}, and says ${EVENTS - 1}`, null])
    }),
  )
})

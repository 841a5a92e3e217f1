import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import type { Projection } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { temporaryDirectory } from "../temporary.ts"
import { event, requestOf } from "./given.ts"
import { counter, read } from "./onLog.ts"

/** A projector on a new log, the types by which it asked for pages, and what a fold that counts readings was shown. */
const watched = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  const log = yield* Layer.build(EventLog.layerSqlite({ filename }))
  const asked: Array<ReadonlyArray<string> | undefined> = []
  const watching = {
    ...Context.get(log, EventLog.EventLog),
    readPage: (...[query, limit]: Parameters<EventLog.Service["readPage"]>) => {
      asked.push(query.types)
      return Context.get(log, EventLog.EventLog).readPage(query, limit)
    },
  }
  const context = yield* Layer.build(
    Projector.layerWith({ checks: false }).pipe(
      Layer.provide(Layer.succeedContext(Context.add(log, EventLog.EventLog, watching))),
    ),
  )
  const shown: Array<string> = []
  const base = counter()
  const readings: Projection<number> = {
    ...base,
    types: ["SensorRead"],
    evolve: (count, event) => {
      shown.push(event.type)
      return base.evolve(count, event)
    },
  }
  return {
    log: watching,
    asked,
    shown,
    readings,
    personal: Context.get(log, PersonalData),
    projector: Context.get(context, Projector.Projector),
  }
})

const note = requestOf(event("NoteAdded", { about: "x", text: "y" }))

describe("a projection that names its types", () => {
  it.scopedLive("is shown the events of these types alone, and only the new ones the next time", () =>
    Effect.gen(function* () {
      const { log, asked, shown, readings, projector } = yield* watched
      for (const request of [note, requestOf(read(1)), note, requestOf(read(2)), note]) yield* log.append(request)
      expect(yield* projector.current(readings)).toBe(2)
      expect(shown.splice(0)).toEqual(["SensorRead", "SensorRead"])
      expect(new Set(asked.splice(0).flatMap((types) => types ?? ["all"]))).toEqual(new Set(["SensorRead"]))
      yield* log.append(note)
      expect(yield* projector.current(readings)).toBe(2)
      expect(shown).toEqual([])
      yield* log.append(requestOf(read(3)))
      expect(yield* projector.current(readings)).toBe(3)
      expect(shown).toEqual(["SensorRead"])
      expect(yield* projector.stateAt(readings, 3)).toBe(1)
    }),
  )

  it.scopedLive("is folded anew when the log's epoch has changed: what is personal reads otherwise then", () =>
    Effect.gen(function* () {
      const { log, readings, projector, shown, personal } = yield* watched
      yield* log.append({ ...requestOf(read("anna")), subject: "anna" })
      yield* log.append(requestOf(read("nobody")))
      const last: Projection<number> = {
        ...readings,
        name: "Personal",
        evolve: (count, { payload }) => {
          shown.push(String(payload.reading))
          return count + (payload.reading === "anna" ? 1 : 0)
        },
      }
      expect(yield* projector.current(last)).toBe(1)
      expect(shown.splice(0)).toEqual(["anna", "nobody"])
      yield* personal.shred({ subject: "anna", reason: "asked for", actor: "human:test" })
      expect(yield* projector.current(last)).toBe(0)
      expect(shown).toEqual(["null", "nobody"])
    }),
  )
})

describe("a projector whose log answers slowly", () => {
  it.scopedLive("tells nobody of a state that was current when an earlier caller asked", () =>
    Effect.gen(function* () {
      const log = yield* Effect.map(Layer.build(EventLog.layerMemory()), Context.get(EventLog.EventLog))
      let slowly = Effect.void
      // One that answers from memory is not slow.
      const { mayHave: _, ...asked } = log
      const slow = {
        ...asked,
        head: Effect.tap(log.head, () => {
          const waiting = slowly
          slowly = Effect.void
          return waiting
        }),
      }
      const { current } = yield* Effect.map(
        Layer.build(Layer.provide(Projector.layer, Layer.succeed(EventLog.EventLog, slow))),
        Context.get(Projector.Projector),
      )
      const readings = counter()
      // Only callers of the same turn could be misled.
      for (let count = 1; count <= 20; count++) {
        yield* log.append(requestOf(read(count)))
        expect(yield* current(readings)).toBe(2 * count - 1)
        const [asked, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        slowly = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(answered))
        const earlier = yield* Effect.fork(current(readings))
        yield* Deferred.await(asked)
        const later = yield* Effect.fork(Effect.zipRight(Deferred.await(answered), current(readings)))
        yield* log.append(requestOf(read(count)))
        yield* Deferred.succeed(answered, undefined)
        expect(yield* Fiber.join(later)).toBe(2 * count)
        yield* Fiber.join(earlier)
      }
    }),
  )
})

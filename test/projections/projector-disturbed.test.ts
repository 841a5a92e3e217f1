import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog, LogBusy, layerSqlite } from "../../src/events/index.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import type { Projection } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import type { Json } from "../../src/values/Json.ts"
import { temporaryDirectory } from "../temporary.ts"
import { requestOf } from "./given.ts"
import { counter, read } from "./onLog.ts"

type ReadPage = EventLog.Service["readPage"]

/** A projector whose pages pass through a function. */
const through = (change: (readPage: ReadPage) => ReadPage) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const context = yield* Layer.build(layerSqlite({ filename }))
    const log = Context.get(context, EventLog)
    const changed = Context.add(context, EventLog, { ...log, readPage: change(log.readPage) })
    const projecting = yield* Layer.build(
      Projector.layerWith({ checks: false, snapshots: false }).pipe(Layer.provide(Layer.succeedContext(changed))),
    )
    return {
      log,
      personal: Context.get(context, PersonalData),
      projector: Context.get(projecting, Projector.Projector),
    }
  })

/** What was read last. */
const latest: Projection<Json> = {
  name: "Latest",
  version: 1,
  state: Schema.Unknown as unknown as Projection<Json>["state"],
  initial: null,
  evolve: (state, { type, payload }) => (type === "SensorRead" ? (payload.reading ?? null) : state),
}

const spoken = (reading: string) => ({ ...requestOf(read(reading)), subject: "anna" })

describe("a projector whose log is disturbed while it folds", () => {
  it.scopedLive("folds what it could not read when it is asked again", () =>
    Effect.gen(function* () {
      let isBusy = false
      const { log, projector } = yield* through(
        (readPage) => (query, limit) =>
          Effect.suspend(() => (isBusy ? new LogBusy({ log: "log.db", waitedMs: 0 }) : readPage(query, limit))),
      )
      const counting = counter()
      yield* log.append(requestOf(read(1)))
      expect(yield* projector.current(counting)).toBe(1)
      yield* log.append(requestOf(read(2)))
      isBusy = true
      expect(yield* Effect.flip(projector.current(counting))).toMatchObject({ _tag: "LogBusy" })
      isBusy = false
      expect(yield* projector.currentWithPosition(counting)).toEqual({ position: 2, state: 2 })
    }),
  )

  it.scopedLive("keeps no state that it folded while the key of what it read was destroyed", () =>
    Effect.gen(function* () {
      const [reading, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let isHeld = true
      const { log, personal, projector } = yield* through(
        (readPage) => (query, limit) =>
          Effect.tap(readPage(query, limit), () => {
            if (!isHeld) return Effect.void
            isHeld = false
            return Effect.zipRight(Deferred.succeed(reading, undefined), Deferred.await(goOn))
          }),
      )
      yield* log.append(spoken("a secret"))
      const before = yield* Effect.fork(projector.current(latest))
      yield* Deferred.await(reading)
      yield* personal.shred({ subject: "anna", reason: "she asked", actor: "human:officer" })
      // This one finds that the key is gone, and waits for the other one to have folded.
      const after = yield* Effect.fork(projector.current(latest))
      yield* Effect.repeatN(Effect.yieldNow(), 100)
      yield* Deferred.succeed(goOn, undefined)
      expect(yield* Fiber.join(before)).toBe("a secret")
      expect(yield* Fiber.join(after)).not.toBe("a secret")
      expect(yield* projector.current(latest)).not.toBe("a secret")
    }),
  )
})

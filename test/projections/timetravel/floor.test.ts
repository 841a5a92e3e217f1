import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../../src/events/index.ts"
import { Archive } from "../../../src/events/maintenance/Archive.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { read } from "../onLog.ts"
import { appendAll } from "./naive.ts"

const LOOK = "/shared/readings/room~1look"

const above = (least: number): TimeTravel.Predicate => ({
  source: `look > ${least}`,
  reads: [LOOK],
  holds: ({ state }) => Number(state.shared.readings["room/look"]) > least,
})

describe("before the retained floor", () => {
  it.scopedLive("the past is read through what was archived, and is an error where that is not there", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const log = layerSqlite({ filename })
      const recorded = Effect.gen(function* () {
        yield* appendAll(Array.from({ length: 300 }, (_, index) => read(index + 1)))
        yield* (yield* Archive).archive({ until: 200, actor: "human:test" })
      })
      yield* Effect.provide(recorded, log)

      // Without the snapshots that would do instead of events.
      const layer = TimeTravel.layer.pipe(
        Layer.provideMerge(Projector.layerWith({ snapshots: false })),
        Layer.provideMerge(log),
      )
      const asked = Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        return {
          state: yield* Effect.either(travel.stateAt(150, LOOK)),
          blame: yield* Effect.either(Effect.map(travel.blame(LOOK, 150), ({ event }) => event?.position)),
          history: yield* Effect.either(Stream.runCount(travel.history(LOOK))),
          first: yield* Effect.either(Effect.map(travel.bisect(above(120)), ({ first }) => first)),
          watched: yield* Effect.either(Stream.runCount(travel.watch(LOOK, above(120)))),
          effects: yield* Effect.either(Effect.map(travel.effects(150), ({ events }) => events.length)),
        }
      })
      const whole = yield* Effect.provide(asked, layer)
      const right = { state: 150, blame: 150, history: 300, first: 121, watched: 1, effects: 1 }
      expect(
        Object.fromEntries(
          Object.entries(whole).map(([name, answer]) => [name, answer._tag === "Right" ? answer.right : answer]),
        ),
      ).toEqual(right)

      fs.rmSync(`${filename}.segments`, { recursive: true })
      const without = yield* Effect.provide(asked, layer)
      for (const [name, answer] of Object.entries(without)) {
        expect({ name, answer }).toMatchObject({
          name,
          answer: { left: { _tag: "SegmentUnavailable", first: 1, last: 200 } },
        })
      }
    }),
  )
})

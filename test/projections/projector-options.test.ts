import { it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { layerMemory } from "../../src/events/index.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { TimeTravel } from "../../src/projections/timetravel/TimeTravel.ts"
import { outside, wrongIn } from "../wrongOptions.ts"
import { append, onLog, read } from "./onLog.ts"

const always = { source: "always", holds: () => true }

describe("the options of time travel", () => {
  it.live("are refused, all that is wrong at once, with the nearest right key", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel
        yield* append([read("a"), read("b")])
        const history = (range: unknown) => wrongIn(Stream.runDrain(travel.history("", outside(range))))
        const watch = (range: unknown) => wrongIn(Stream.runDrain(travel.watch(null, always, outside(range))))
        const bisect = (options: unknown) => wrongIn(travel.bisect(always, outside(options)))
        const effects = (options: unknown) => wrongIn(travel.effects(1, outside(options)))
        const align = (a: unknown, b: unknown) => wrongIn(travel.align(outside(a), outside(b)))

        expect(yield* history({ sinc: 1, until: {} })).toEqual(["sinc: since?", "until"])
        expect(yield* watch({ until: null, onProgress: 1 })).toEqual(["until", "onProgress"])
        expect(yield* bisect({ form: 1, scan: "yes" })).toEqual(["form: from?", "scan"])
        expect(yield* bisect(7)).toEqual([""])
        for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5"]) {
          expect(yield* effects({ limit })).toEqual(["limit"])
        }
        expect(yield* effects({ limits: 3 })).toEqual(["limits: limit?"])
        expect(yield* align({ taskID: "a" }, { timeline: "" })).toEqual(["a.taskID: taskId?", "b.timeline"])
        expect(yield* align(undefined, "t")).toEqual(["a", "b"])
      }),
    ),
  )
})

describe("the options of a projector", () => {
  it.scoped("are refused", () =>
    Effect.gen(function* () {
      const built = (options: unknown) =>
        wrongIn(Layer.build(Projector.layerWith(outside(options)).pipe(Layer.provide(layerMemory()))))
      expect(yield* built({ check: true, snapshots: "no" })).toEqual(["check: checks?", "snapshots"])
      expect(yield* built(null)).toEqual([""])
    }),
  )
})

import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { loadPlugin } from "../../src/plugins/testing/TestPlugin.ts"
import { temporaryDirectory, writeFiles } from "./fixtures.ts"

const manifest = (measure: object) => ({
  name: "judge",
  description: "Judges",
  version: "1.0.0",
  entry: "main.ts",
  permissions: { read: [], run: [] },
  peas: {
    performance: [
      {
        name: "rooms",
        description: "Goes far?",
        critic: "plugin",
        metadata: { enough: 2 },
        rewards: [{ name: "far", when: "Enough rooms were seen.", weight: 1 }],
        ...measure,
      },
    ],
  },
})

const entry = `
  const rooms = async (context, { events, measure, outcome, state, goal }) => {
    const seen = new Map()
    for await (const { position, payload } of events) seen.set(payload.reading, position)
    context.log([goal, outcome, state.readings.maze, measure.rewards[0].when].join(" | "))
    return seen.size < context.metadata.enough ? [] : [{ name: "far", because: [...seen.values()] }]
  }
  export default { measures: { rooms } }`

const directoryOf = (main: string, measure: object = {}) =>
  Effect.tap(temporaryDirectory, (directory) =>
    writeFiles(directory, { "looper-plugin.json": JSON.stringify(manifest(measure)), "main.ts": main }),
  )

const opened = (main: string, measure?: object) =>
  Effect.flatMap(directoryOf(main, measure), (directory) =>
    Effect.acquireRelease(
      Effect.tryPromise({ try: () => loadPlugin(directory, { consent: "flags" }), catch: (cause) => cause as Error }),
      (plugin) => Effect.promise(plugin.close),
    ),
  )

const reading = (reading: string) => ({ type: "SensorRead", payload: { sensor: "maze", reading } })

describe("a measure's function, tested by its author", () => {
  it.scopedLive("judges the events that a test gives it, however many pages they are", () =>
    Effect.gen(function* () {
      const plugin = yield* opened(entry)
      const judge = (...rooms: ReadonlyArray<string>) =>
        Effect.promise(() =>
          plugin.judge("rooms", { goal: "Get out", events: rooms.map(reading), state: { readings: { maze: "hall" } } }),
        )
      expect(yield* judge("hall", "hall")).toEqual([])
      expect(yield* judge("hall", "cave")).toEqual([{ name: "far", because: [1, 2] }])
      expect(yield* judge("hall", ...Array(450).fill("cave"), "well")).toMatchObject([{ because: [1, 451, 452] }])
      expect(plugin.logs[0]?.message).toBe("Get out | achieved | hall | Enough rooms were seen.")
    }),
  )

  it.scopedLive("rejects with what is no verdict, and with what it threw", () =>
    Effect.gen(function* () {
      const failing = (answer: string) =>
        Effect.flatMap(opened(`export default { measures: { rooms: () => { ${answer} } } }`), (plugin) =>
          Effect.flip(Effect.tryPromise({ try: () => plugin.judge("rooms", { events: [] }), catch: String })),
        )
      expect(yield* failing("return [{ name: 3, because: [] }]")).toMatch(
        /AnswerInvalid|expected verdicts, at \/0\/name/,
      )
      expect(yield* failing("throw new RangeError('no')")).toContain("RangeError: no")
    }),
  )
})

describe("what the manifest says of its measures' functions and what the entry exports", () => {
  it.scopedLive("must agree, both ways", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(opened("export default {}"))
      expect(missing.message).toContain("declared but not exported: measure rooms")
      const undeclared = yield* Effect.flip(opened(entry, { critic: undefined }))
      expect(undeclared.message).toContain("exported but not declared: measure rooms")
    }),
  )

  it.scopedLive("is refused where it is not a function, or another critic than the plugin", () =>
    Effect.gen(function* () {
      const value = yield* Effect.flip(opened("export default { measures: { rooms: 3 } }"))
      expect(value.message).toContain("expected measures.rooms to be a function")
      const other = yield* Effect.flip(opened(entry, { critic: "model" }))
      expect(other.message).toMatch(/\/peas\/performance\/0\/critic: expected "plugin".*found "model"/)
    }),
  )
})

import * as path from "node:path"
import { it } from "@effect/vitest"
import { Chunk, Context, Effect, Layer, Stream } from "effect"
import { expect } from "vitest"
import { type CoreNewEvent, EventLog, layerSqlite } from "../../src/events/index.ts"
import { Bundles } from "../../src/events/maintenance/Bundles.ts"
import { temporaryDirectory } from "../temporary.ts"

const SHA = "0".repeat(64)

const scoring = (scoreSetId: string): CoreNewEvent => ({
  type: "ScoringStarted",
  payload: {
    scoreSetId,
    taskIds: ["a"],
    rubric: {},
    rubricDigest: SHA,
    critic: "rule@4",
    criticDigest: SHA,
    label: "live",
    range: { from: 1, to: 2 },
  },
})

const read = (reading: string): CoreNewEvent => ({
  type: "SensorRead",
  payload: { sensor: "room/look", reading, priority: 0, latencyMs: 1 },
})

it.scopedLive("a bundle of a task that was forked holds what happened on main, and nothing of its forks", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const source = yield* Layer.build(layerSqlite({ filename: path.join(directory, "log.db") }))
    const log = Context.get(source, EventLog)
    const append = (timeline: string, stream: string, ...events: ReadonlyArray<CoreNewEvent>) =>
      log.append({ timeline, stream, taskId: "a", actor: "human:test", events })
    yield* append("main", "task/a", { type: "TaskOpened", payload: { goal: "look", measures: [], agent: "x@1" } })
    const forked = { timeline: "fork-1", parent: "main", at: 1, overrides: {} }
    yield* append("fork-1", "timeline/fork-1", { type: "TimelineForked", payload: forked })
    yield* append("fork-1", "task/a", read("on the fork"), { type: "TaskClosed", payload: { outcome: "failed" } })
    yield* append("fork-1", "scores/f", scoring("f"))
    yield* append("main", "task/a", read("on main"), { type: "TaskClosed", payload: { outcome: "achieved" } })
    yield* append("main", "scores/m", scoring("m"))

    const file = path.join(directory, "a.db")
    yield* Context.get(source, Bundles).bundle({ taskId: "a", file })
    const bundle = yield* Layer.build(layerSqlite({ filename: file, readonly: true }))
    const events = yield* Stream.runCollect(Context.get(bundle, EventLog).read())
    expect(Chunk.toReadonlyArray(events).map(({ type, timeline, version }) => [type, timeline, version])).toEqual([
      ["TaskBundled", "main", 1],
      ["TaskOpened", "main", 1],
      ["SensorRead", "main", 2],
      ["TaskClosed", "main", 3],
      ["ScoringStarted", "main", 1],
    ])
    expect(yield* Context.get(bundle, EventLog).verify).toMatchObject({ _tag: "Intact" })
  }),
)

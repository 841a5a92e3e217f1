import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, examine, importEvents, layerMemory, layerSqlite, measureSpace } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { Bundles } from "../../src/events/maintenance/Bundles.ts"
import { temporaryDirectory } from "../temporary.ts"
import { outside, wrongIn } from "../wrongOptions.ts"

const opened = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const filename = path.join(directory, "log.db")
  const context = yield* Layer.build(layerSqlite({ filename }))
  const log = Context.get(context, EventLog)
  yield* log.append({
    stream: "a",
    actor: "human:test",
    events: ["x", "y", "z"].map((tag) => ({ type: "TagAdded" as const, payload: { about: "a", tag } })),
  })
  return { directory, filename, context, log }
})

describe("the options of a log", () => {
  it.scopedLive(
    "the options that a log is archived by are refused, all that is wrong at once, before anything is moved",
    () =>
      Effect.gen(function* () {
        const { directory, context, log } = yield* opened
        const [before, files] = [yield* log.head, fs.readdirSync(directory)]
        const archive = (options: unknown) => wrongIn(Context.get(context, Archive).archive(outside(options)))
        expect(yield* archive({ untill: 2, actor: " ", onProgress: true })).toEqual([
          "untill: until?",
          "until",
          "actor",
          "onProgress",
        ])
        for (const until of [-1, 1.5, Number.NaN, "2"]) {
          expect(yield* archive({ until, actor: "human:test" })).toEqual(["until"])
        }
        expect(yield* archive(undefined)).toEqual([""])
        expect(yield* log.head).toEqual(before)
        expect(fs.readdirSync(directory)).toEqual(files)
      }),
  )

  it.scopedLive("the options that a task is bundled by are refused, and no file is made", () =>
    Effect.gen(function* () {
      const { directory, context } = yield* opened
      const files = fs.readdirSync(directory)
      const bundle = (options: unknown) => wrongIn(Context.get(context, Bundles).bundle(outside(options)))
      const file = path.join(directory, "a.db")
      expect(yield* bundle({ task: "a", taskID: "a", file })).toEqual(["task: taskId?", "taskID: taskId?", "taskId"])
      expect(yield* bundle({ taskId: 7, file: "" })).toEqual(["taskId", "file"])
      expect(yield* bundle(null)).toEqual([""])
      expect(fs.readdirSync(directory)).toEqual(files)
    }),
  )

  it.scopedLive("the options that a log is imported by are refused, and no file is made", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const filename = path.join(directory, "copy.db")
      const imported = (options: unknown) => wrongIn(importEvents<never, never>(outside(options)))
      expect(yield* imported({ filname: filename, events: Stream.empty })).toEqual(["filname: filename?", "filename"])
      expect(yield* imported({ filename, events: [] })).toEqual(["events"])
      expect(yield* imported(filename)).toEqual([""])
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )

  it.scopedLive("the options that a log is examined and measured by are refused", () =>
    Effect.gen(function* () {
      const { filename } = yield* opened
      expect(yield* wrongIn(examine(filename, outside({ chian: false, quick: true, anchor: {} })))).toEqual([
        "chian: chain?",
        "quick",
        "anchor.position",
        "anchor.hash",
      ])
      expect(yield* wrongIn(measureSpace(filename, outside({ stream: 5, streams: -1 })))).toEqual([
        "stream: streams?",
        "streams",
      ])
    }),
  )

  it.scopedLive("the options of a log in memory are refused", () =>
    Effect.gen(function* () {
      const built = (options: unknown) => wrongIn(Layer.build(layerMemory(outside(options))))
      expect(yield* built({ vocabluary: {} })).toEqual(["vocabluary: vocabulary?"])
      expect(yield* built({ vocabulary: { types: [] }, filename: "log.db" })).toEqual(["filename", "vocabulary"])
    }),
  )
})

import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Either, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import { Archive } from "../../../src/events/maintenance/Archive.ts"
import { yieldToEventLoop } from "../../../src/platform/yieldToEventLoop.ts"
import { Database } from "../../sqlite.ts"
import { temporaryDirectory } from "../../temporary.ts"

const note = (text: string, size = 0) => ({
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text: text.padEnd(size) } }],
})

const PAGE = 8192

const opened = (filename: string) =>
  Effect.map(Layer.build(layerSqlite({ filename })), (it) => Context.get(it, EventLog))

const writeBack = (filename: string) => {
  const database = new Database(filename)
  database.pragma("wal_checkpoint(TRUNCATE)")
  database.close()
}

/** A log that is open, with so many events written back to its file, and so many that stand in the -wal only. */
const givenLog = (inFile: number, inWal: number) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const log = yield* opened(filename)
    for (let index = 0; index < inFile; index++) yield* log.append(note("written back", 3000))
    writeBack(filename)
    for (let index = 0; index < inWal; index++) yield* log.append(note("not yet", 3000))
    return { filename, log, size: fs.statSync(filename).size }
  })

describe("a log whose file is cut short while it is open", () => {
  it.scopedLive.each([
    ["all of it was written back", 40, 0],
    ["some of it stands in the write-ahead log", 40, 10],
  ] as const)(
    "acknowledges nothing more, at whatever length it was cut: %s",
    ([, inFile, inWal]) =>
      Effect.gen(function* () {
        for (const lost of [
          1,
          100,
          PAGE - 1,
          PAGE,
          PAGE + 1,
          3 * PAGE,
          7 * PAGE + 17,
          "half",
          "all but a page",
          "all",
        ] as const) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const { filename, log, size } = yield* givenLog(inFile, inWal)
              const cuts = { half: size / 2, "all but a page": PAGE, all: 0 }
              const left = typeof lost === "number" ? size - lost : Math.floor(cuts[lost])
              const whole = fs.readFileSync(filename)
              fs.truncateSync(filename, left)
              const answers = [1, 2, 3, 4].map((number) => Effect.either(log.append(note(`${number}`))))
              for (const answer of yield* Effect.all(answers)) {
                expect({ lost, answer }).toEqual({
                  lost,
                  answer: Either.left(expect.objectContaining({ _tag: "LogCorrupt" })),
                })
              }
              expect(fs.statSync(filename).size).toBe(left)
              // Put back as it was, it goes on for whoever opens it.
              fs.writeFileSync(filename, whole)
              const again = yield* opened(filename)
              expect((yield* again.append(note("again"))).position).toBe(inFile + inWal + 1)
              expect(yield* again.verify).toMatchObject({ _tag: "Intact", events: inFile + inWal + 1 })
            }),
          )
        }
      }),
    120_000,
  )

  it.scopedLive("is not read any more where what is read is gone", () =>
    Effect.gen(function* () {
      const { filename, log, size } = yield* givenLog(40, 3)
      expect(yield* log.readPage({}, 100)).toHaveLength(43)
      fs.truncateSync(filename, size - PAGE)
      // What this very stretch of the thread has looked at is as good as new.
      yield* yieldToEventLoop
      expect(yield* Effect.flip(log.readPage({}, 100))).toMatchObject({ _tag: "LogCorrupt" })
    }),
  )

  it.scopedLive("a log whose file is cut short is found out also by who has only begun, where its -wal is there", () =>
    Effect.gen(function* () {
      const { filename, size } = yield* givenLog(40, 10)
      fs.truncateSync(filename, size - PAGE)
      const error = yield* Effect.flip(Effect.flatMap(opened(filename), (log) => log.append(note("late"))))
      expect(error).toMatchObject({ _tag: "LogCorrupt" })
    }),
  )
})

describe("a log whose file becomes shorter because space is given back", () => {
  it.scopedLive("is appended to and read by who has it open", () =>
    Effect.gen(function* () {
      const { filename, log, size } = yield* givenLog(60, 0)
      const other = yield* Layer.build(layerSqlite({ filename }))
      yield* Context.get(other, Archive).archive({ until: 50, actor: "human:test" })
      writeBack(filename)
      expect(fs.statSync(filename).size).toBeLessThan(size)
      const answered = yield* log.append(note("after"))
      expect(answered.position).toBe(62)
      expect(yield* log.readPage({ after: 50 }, 100)).toHaveLength(12)
    }),
  )
})

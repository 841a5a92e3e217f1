import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { BUSY_TIMEOUT_MS } from "../../src/events/sqlite/file/database.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = {
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text: "" } }],
}

describe("an append while another program writes and does not come to an end", () => {
  it.scopedLive("waits as long as is documented, then is LogBusy; afterwards it succeeds", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(note)
        const other = yield* Effect.acquireRelease(
          Effect.sync(() => new Database(filename)),
          (other) => Effect.sync(() => other.close()),
        )
        other.exec("BEGIN IMMEDIATE")
        const began = performance.now()
        const error = yield* Effect.flip(log.append(note))
        expect(performance.now() - began).toBeGreaterThan(BUSY_TIMEOUT_MS * 0.9)
        expect(error).toMatchObject({ _tag: "LogBusy", waitedMs: BUSY_TIMEOUT_MS })
        other.exec("ROLLBACK")
        expect(yield* log.append(note)).toMatchObject({ position: 2, version: 2 })
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )
})

describe("archiving while another program keeps the file busy once the segment is written", () => {
  it.scopedLive("is done, says that nothing was given back, and the next archive gives it back", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const { archive } = yield* Archive
        for (let index = 0; index < 5; index++)
          yield* log.append({ ...note, events: Array.from({ length: 1_000 }).flatMap(() => note.events) })
        const other = yield* Effect.acquireRelease(
          Effect.sync(() => new Database(filename)),
          (other) => Effect.sync(() => other.close()),
        )
        const locked = yield* log.follow({ types: ["RangeArchived"] }).pipe(
          Stream.filter((next) => "type" in next),
          Stream.take(1),
          Stream.runForEach(() => Effect.sync(() => other.exec("BEGIN IMMEDIATE"))),
          Effect.fork,
        )
        yield* Effect.yieldNow()
        const first = yield* archive({ until: 4_000, actor: "human:test" })
        yield* Fiber.join(locked)
        expect(first).toMatchObject({ shrunk: false, segment: { first: 1, last: 4_000 } })
        other.exec("ROLLBACK")
        expect(Number(other.prepare("SELECT count(*) FROM events").pluck().get())).toBeGreaterThan(1_001)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 5_001 })
        expect(yield* archive({ until: 4_500, actor: "human:test" })).toMatchObject({ shrunk: true })
        expect(Number(other.prepare("SELECT count(*) FROM events").pluck().get())).toBe(502)
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )
})

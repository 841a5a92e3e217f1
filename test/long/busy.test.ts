import * as path from "node:path"
import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { BUSY_TIMEOUT_MS } from "../../src/events/sqlite/database.ts"
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

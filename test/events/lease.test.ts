import { spawnSync } from "node:child_process"
import * as os from "node:os"
import * as path from "node:path"
import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { Lease } from "../../src/events/Lease.ts"
import { temporaryDirectory } from "../temporary.ts"

const acquire = (owner: string) => Effect.flatMap(Lease, (lease) => lease.acquire(owner))

describe("the lease of a log", () => {
  it.scopedLive("is one kernel's at a time, and the refused one is told whose", () =>
    Effect.gen(function* () {
      const layer = layerSqlite({ filename: path.join(yield* temporaryDirectory, "log.db") })
      yield* Effect.gen(function* () {
        yield* acquire("first")
        const error = yield* Effect.flip(acquire("second"))
        expect(error._tag).toBe("LeaseHeld")
        expect(error.message).toContain(`found "first" (process ${process.pid} on ${os.hostname()}`)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("is one kernel's also of many that ask at the same moment under one name", () =>
    Effect.gen(function* () {
      const layer = layerSqlite({ filename: path.join(yield* temporaryDirectory, "log.db") })
      yield* Effect.gen(function* () {
        const all = Array.from({ length: 20 }, () => Effect.either(acquire("same")))
        const answers = yield* Effect.all(all, { concurrency: "unbounded" })
        expect(answers.filter(Either.isRight)).toHaveLength(1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("is given back with the scope", () =>
    Effect.gen(function* () {
      const layer = layerSqlite({ filename: path.join(yield* temporaryDirectory, "log.db") })
      yield* Effect.gen(function* () {
        yield* Effect.scoped(acquire("first"))
        yield* (yield* acquire("second")).check
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("of a process that is gone is taken over at once; of a silent one, after a while", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const layer = layerSqlite({ filename })
      const dead = spawnSync(process.execPath, ["-e", ""]).pid
      const held = (host: string, pid: number, heartbeatAt: number) => {
        const database = new Database(filename)
        database
          .prepare("INSERT OR REPLACE INTO lease VALUES (1, 'earlier#x', ?, ?, ?, ?)")
          .run(host, pid, heartbeatAt, heartbeatAt)
        database.close()
      }
      yield* Effect.gen(function* () {
        held(os.hostname(), dead, Date.now())
        yield* Effect.scoped(acquire("after a death"))
        held("another-machine", 1, Date.now())
        expect((yield* Effect.flip(Effect.scoped(acquire("too early"))))._tag).toBe("LeaseHeld")
        held("another-machine", 1, Date.now() - 60_000)
        yield* Effect.scoped(acquire("after a silence"))
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("says that it was lost, once another took over", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        const lease = yield* acquire("first")
        yield* lease.check
        const database = new Database(filename)
        database.exec("UPDATE lease SET owner = 'second#x'")
        database.close()
        const error = yield* Effect.flip(lease.check)
        expect(error._tag).toBe("LeaseLost")
        expect(error.message).toContain("another kernel took over")
      }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename })))
    }),
  )
})

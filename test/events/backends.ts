import * as path from "node:path"
import { Effect, Layer, TestClock } from "effect"
import { type layerMemory, layerSqlite } from "../../src/events/index.ts"
import { layerOver } from "../../src/events/memory/MemoryEventLog.ts"
import type { Backend } from "../../src/events/testing/services/backend.ts"
import * as ProcessIdentity from "../../src/platform/ProcessIdentity.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

/** A process id that no system gives. */
const NOBODY = 2 ** 30

const sql = (filename: string, use: (database: Database) => void) =>
  Effect.sync(() => {
    const database = new Database(filename)
    try {
      use(database)
    } finally {
      database.close()
    }
  })

type Services<L> = L extends Layer.Layer<infer S, infer _E, infer _R> ? S : never

/** A log in an SQLite file. Each connection to it could be another process's. */
export const sqliteFile = {
  place: Effect.map(temporaryDirectory, (directory) => path.join(directory, "log.db")),
  open: (filename: string) => layerSqlite({ filename }),
  // What names a live process names a dead one. The heartbeats go on, as those of a zombie would.
  crash: (filename: string) => sql(filename, (database) => database.exec(`UPDATE heartbeats SET pid = ${NOBODY}`)),
  elsewhere: (filename: string) => ({
    hold: (clock: number) =>
      sql(filename, (database) => {
        const { host, pid, started } = ProcessIdentity.own()
        database.prepare("INSERT INTO lease VALUES (1, 'elsewhere#x', ?, ?, ?, ?)").run(host, pid, clock, clock)
        // Another boot: neither its process ids nor its monotonic clock are of this machine.
        database
          .prepare("INSERT INTO heartbeats VALUES ('x', 1, 0, ?, ?, ?, 'another boot', 'pid:[1] time:[1]', ?)")
          .run(clock, host, pid, started)
      }),
    beat: sql(filename, (database) => database.exec("UPDATE heartbeats SET beat = beat + 1 WHERE identity = 'x'")),
    release: sql(filename, (database) => database.exec("DELETE FROM lease")),
    shortestMs: 10_000,
    longestMs: 10_000,
    pass: (ms: number) => TestClock.adjust(ms),
  }),
  blobs: (filename: string) =>
    Effect.sync(() => {
      const database = new Database(filename)
      try {
        return database.prepare("SELECT digest FROM blobs").pluck().all().map(String)
      } finally {
        database.close()
      }
    }),
  damageBlob: (filename: string, digest: string, text: string | null) =>
    sql(filename, (database) => {
      if (text === null) database.prepare("DELETE FROM blobs WHERE digest = ?").run(digest)
      else database.prepare("UPDATE blobs SET content = ? WHERE digest = ?").run(text, digest)
    }),
  alterSnapshots: (filename: string) =>
    sql(filename, (database) =>
      database.exec(
        "UPDATE snapshots SET root = CAST(root || x'00' AS BLOB); UPDATE snapshot_parts SET content = CAST(content || x'00' AS BLOB)",
      ),
    ),
} satisfies Backend<Services<ReturnType<typeof layerSqlite>>, string>

type InMemory = Services<ReturnType<typeof layerMemory>>

/** A log in memory: whoever opens it has the same services. */
export const memory = {
  place: Effect.gen(function* () {
    const blobs = new Map<string, string>()
    return { blobs, services: Layer.succeedContext(yield* Layer.build(layerOver(blobs))) }
  }),
  open: ({ services }: InMemoryPlace) => services,
  blobs: ({ blobs }: InMemoryPlace) => Effect.sync(() => [...blobs.keys()]),
} satisfies Backend<InMemory, InMemoryPlace>

interface InMemoryPlace {
  readonly blobs: Map<string, string>
  readonly services: Layer.Layer<InMemory>
}

/** A log in SQLite's memory. */
export const sqliteMemory = {
  place: Effect.map(Layer.build(layerSqlite({ filename: ":memory:" })), Layer.succeedContext),
  open: (services: Layer.Layer<Services<ReturnType<typeof layerSqlite>>>) => services,
}

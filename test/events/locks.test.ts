import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, examine, LogBusy, LogUnavailable, layerSqlite, measureSpace, sql } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { hasLogApplicationId } from "../../src/events/sqlite/file/header.ts"
import { patiently } from "../../src/events/sqlite/file/openDatabase.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Opens a database, reads from it and closes it, as an older SQLite does: Python's own. */
const visit = (filename: string): void => {
  // A user may not be able to run the first one on the PATH.
  const visited = ["python3", "/usr/bin/python3"].map((python) =>
    spawnSync(python, ["-c", VISIT, filename], { encoding: "utf8" }),
  )
  const { status, stderr } = visited.find(({ error }) => error === undefined) ??
    visited[0] ?? { status: null, stderr: "" }
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
}

const VISIT =
  "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT count(*) FROM events').fetchall(); c.close()"

const note = (text: string) => ({
  stream: "task/t",
  taskId: "t",
  actor: "tester",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text } }],
})

/** Whether the log's other files are those that the process has open: a visitor that takes itself for the last removes them. */
const inodes = (filename: string) => ["-wal", "-shm"].map((suffix) => fs.statSync(filename + suffix).ino)

const others: ReadonlyArray<
  readonly [string, (filename: string) => Effect.Effect<unknown, unknown, EventLog | Archive>]
> = [
  ["is examined", (filename) => examine(filename)],
  ["is looked at after a failure to open it", (filename) => Effect.sync(() => hasLogApplicationId(filename))],
  ["is measured", (filename) => measureSpace(filename)],
  [
    "is read by SQL",
    (filename) => Effect.scoped(Effect.flatMap(sql(filename), (client) => client`SELECT * FROM event_log`)),
  ],
  ["is verified in threads", () => Effect.flatMap(EventLog, (log) => log.verifyWith({ jobs: 2 }))],
  [
    "is opened again, for reading and for writing",
    (filename) =>
      Effect.forEach([true, false], (readonly) => Effect.scoped(Layer.build(layerSqlite({ filename, readonly })))),
  ],
  ["is archived", () => Effect.flatMap(Archive, (archive) => archive.archive({ until: 1, actor: "tester" }))],
]

describe("a log that this process has open, while another program opens and closes it", () => {
  for (const [what, does] of others) {
    it.scopedLive(`stays whole where it ${what} by this process meanwhile`, () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const context = yield* Layer.build(layerSqlite({ filename }))
        const log = Context.get(context, EventLog)
        yield* log.append(note("before"))
        yield* log.append(note("before too"))
        const before = inodes(filename)
        yield* Effect.provide(does(filename), context)
        visit(filename)
        expect(inodes(filename)).toEqual(before)
        yield* log.append(note("after"))
        expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
      }),
    )
  }
})

describe("an opening of a log that others open at the same moment", () => {
  it.scopedLive("is tried again while the log is busy, and leaves nothing open of an attempt that failed", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const attempt = Effect.gen(function* () {
        const number = told.filter((what) => what.startsWith("try")).length
        told.push(`try ${number}`)
        yield* Effect.addFinalizer(() => Effect.sync(() => told.push(`close ${number}`)))
        if (number < 2) return yield* new LogBusy({ log: "log.db", waitedMs: 0 })
        return "open"
      })
      expect(yield* Effect.scoped(patiently(attempt))).toBe("open")
      expect(told).toEqual(["try 0", "close 0", "try 1", "close 1", "try 2", "close 2"])
    }),
  )

  it.scopedLive("is not tried again for another reason", () =>
    Effect.gen(function* () {
      let attempts = 0
      const attempt = Effect.suspend(() => {
        attempts += 1
        return new LogUnavailable({ log: "log.db", reason: "a reason" })
      })
      expect((yield* Effect.flip(patiently(attempt)))._tag).toBe("LogUnavailable")
      expect(attempts).toBe(1)
    }),
  )
})

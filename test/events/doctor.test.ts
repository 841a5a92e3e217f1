import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import * as Doctor from "../../src/events/integrity/Doctor.ts"
import * as Lease from "../../src/events/log/Lease.ts"
import { examine } from "../../src/events/sqlite/integrity/doctor.ts"
import { built } from "../built.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"
import { appendSeven, smallLog } from "./smallLog.ts"

/** The driver, as the program is built. */
const choice = pathToFileURL(built("events", "sqlite", "driver", "choice.js")).href

/** What the doctor finds in a log of seven events to which something was done. */
const examineAfter = (change: (filename: string) => void) =>
  Effect.gen(function* () {
    const filename = yield* smallLog
    change(filename)
    return yield* examine(filename)
  })

const withDatabase = (sql: string) => (filename: string) => {
  const database = new Database(filename)
  database.exec(sql)
  database.close()
}

const overwrite = (from: number, until: number) => (filename: string) => {
  const bytes = fs.readFileSync(filename)
  bytes.fill(0xff, from, until)
  fs.writeFileSync(filename, bytes)
}

/** Two findings in one line each, for comparing. */
const told = ({ findings }: Doctor.Examination) => findings.map(({ severity, what }) => `${severity}: ${what}`)

describe("the doctor", () => {
  it.scopedLive("finds nothing in a sound log, and changes nothing in its file", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const before = fs.readFileSync(filename)
      const examination = yield* examine(filename)
      expect(examination).toMatchObject({ log: filename, findings: [], chain: { _tag: "Intact", events: 7 } })
      expect(examination.checked).toEqual([
        ...["file", "write-ahead log", "permissions", "disk space", "tables and triggers", "pages and indexes"],
        ...["counts by stream, task and type", "versions", "rows outside of the chain", "names", "blobs", "segments"],
        ...["keys", "snapshots", "journal mode", "lease", "chain"],
      ])
      expect(Doctor.isHealthy(examination)).toBe(true)
      expect(fs.readFileSync(filename).equals(before)).toBe(true)
    }),
  )

  it.scopedLive("leaves the chain out where it is told to", () =>
    Effect.gen(function* () {
      const examination = yield* examine(yield* smallLog, { chain: false })
      expect(examination.chain).toBeNull()
      expect(examination.checked).not.toContain("chain")
    }),
  )

  it.scopedLive("holds the chain against an anchor", () =>
    Effect.gen(function* () {
      const examination = yield* examine(yield* smallLog, { anchor: { position: 9, hash: "0".repeat(64) } })
      expect(told(examination)).toEqual(["damage: chain at @8"])
      expect(examination.findings[0]?.found).toMatch(/^head changed: the log ends at @7/)
    }),
  )

  it.scopedLive.each([
    ["a dropped trigger", "DROP TRIGGER events_not_deleted", ["damage: trigger events_not_deleted"]],
    [
      "a changed event",
      "DROP TRIGGER events_not_updated; UPDATE events SET occurred_before = 1 WHERE position = 3",
      ["damage: trigger events_not_updated", "damage: chain at @3"],
    ],
    [
      "a view that lies",
      "DROP VIEW event_log; CREATE VIEW event_log AS SELECT 1 AS position",
      ["damage: view event_log"],
    ],
    [
      "a trigger that is not Hindcast's",
      "CREATE TRIGGER quiet AFTER INSERT ON events BEGIN SELECT 1; END",
      ["damage: trigger quiet"],
    ],
    ["a dropped index", "DROP INDEX events_by_task", ["damage: index events_by_task"]],
    ["another program's table", "CREATE TABLE theirs (a)", ["damage: table theirs"]],
    ["another program's view", "CREATE VIEW theirs AS SELECT 1", ["damage: view theirs"]],
    ["statistics of SQLite", "ANALYZE", []],
    ["no cache", "DROP TABLE lease", []],
    ["a rollback journal instead of a write-ahead log", "PRAGMA journal_mode = DELETE", ["note: journal mode"]],
  ] as const)("finds %s", ([, sql, findings]) =>
    Effect.gen(function* () {
      const examination = yield* examineAfter(withDatabase(sql))
      expect(told(examination)).toEqual(findings)
      for (const finding of examination.findings) {
        for (const text of [finding.expected, finding.found, finding.advice]) expect(text).not.toBe("")
      }
    }),
  )

  it.scopedLive("gives the statement that puts a dropped trigger back", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      withDatabase("DROP TRIGGER names_not_updated")(filename)
      const [finding] = (yield* examine(filename)).findings
      withDatabase(finding?.expected ?? "")(filename)
      expect((yield* examine(filename)).findings).toEqual([])
    }),
  )

  it.scopedLive("finds an index that says other than its table", () =>
    Effect.gen(function* () {
      const examination = yield* examineAfter((filename) => {
        const database = new Database(filename)
        database.unsafeMode()
        const sql = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'events_by_task'").pluck().get()
        database.pragma("writable_schema = ON")
        database.exec("UPDATE sqlite_schema SET sql = replace(sql, '(task)', '(actor)') WHERE name = 'events_by_task'")
        database.close()
        const again = new Database(filename)
        again.unsafeMode()
        again.exec("REINDEX events_by_task")
        again.pragma("writable_schema = ON")
        again.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'events_by_task'").run(sql)
        again.close()
      })
      expect(Doctor.isHealthy(examination)).toBe(false)
      expect(examination.findings[0]).toMatchObject({
        what: "pages",
        expected: expect.stringContaining("integrity_check"),
      })
      expect(examination.findings[0]?.advice).toContain("`hindcast log import saved.jsonl --log saved.db`")
    }),
  )

  it.scopedLive("finds a file that was cut short, and says what was read of it", () =>
    Effect.gen(function* () {
      const examination = yield* examineAfter((filename) => fs.truncateSync(filename, 3 * 4096))
      expect(told(examination)).toContain("damage: size")
      expect(examination.findings[0]).toMatchObject({ found: `${3 * 4096} bytes: the file was cut short` })
      expect(examination.findings[0]?.advice).toContain("`hindcast log restore BACKUP --replace`")
    }),
  )

  it.scopedLive.each([
    ["its header", overwrite(0, 16), "damage: header"],
    ["its first page behind the header", overwrite(100, 4096), "damage: pages"],
    ["its second page", overwrite(4096, 8192), "damage: pages"],
  ] as const)("finds a file of which was overwritten: %s", ([, change, finding]) =>
    Effect.gen(function* () {
      const examination = yield* examineAfter(change)
      expect(told(examination)).toContain(finding)
    }),
  )

  it.scopedLive("tells of a write-ahead log that a killed process left behind, and that it is to be kept", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const script = `
        import { driver } from ${JSON.stringify(choice)}
        const database = driver().open(${JSON.stringify(filename)}, { readonly: false, busyTimeoutMs: 5000 })
        database.script("INSERT INTO names (text) VALUES ('left behind')")
        process.kill(process.pid, "SIGKILL")`
      expect(spawnSync(process.execPath, ["--input-type=module", "-e", script]).signal).toBe("SIGKILL")
      const examination = yield* examine(filename)
      expect(told(examination)).toEqual(["note: write-ahead log"])
      expect(examination.findings[0]?.found).toMatch(/^\d+ bytes in log\.db-wal$/)
      expect(examination.findings[0]?.advice).toContain("Never delete it")
    }),
  )

  it.scopedLive("says who holds the lease, and whether he lives", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const held = yield* Effect.gen(function* () {
        yield* Effect.flatMap(Lease.Lease, (lease) => lease.acquire("the test"))
        return yield* examine(filename)
      }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename })))
      const [lease] = held.findings.filter(({ what }) => what === "lease")
      expect(lease?.found).toContain(`"the test" (process ${process.pid} on ${os.hostname()})`)
      expect(lease?.found).toContain("a running kernel")
      const script = `
        import { Effect } from "effect"
        import { layerSqlite } from ${JSON.stringify(built("events/index.js"))}
        import { Lease } from ${JSON.stringify(built("events/log/Lease.js"))}
        const held = Effect.flatMap(Lease, (lease) => lease.acquire("gone"))
        const killed = Effect.zipRight(held, Effect.sync(() => process.kill(process.pid, "SIGKILL")))
        await Effect.runPromise(Effect.scoped(Effect.provide(killed, layerSqlite({ filename: ${JSON.stringify(filename)} }))))`
      const holder = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        cwd: built(".."),
        encoding: "utf8",
      })
      expect(holder).toMatchObject({ signal: "SIGKILL", stderr: "" })
      const after = yield* examine(filename)
      const [left] = after.findings.filter(({ what }) => what === "lease")
      expect(left?.found).toContain("its process ended without releasing the lease")
    }),
  )

  it.scopedLive.skipIf(process.platform === "win32")("warns of a log that everyone may change", () =>
    Effect.gen(function* () {
      const examination = yield* examineAfter((filename) => fs.chmodSync(filename, 0o666))
      expect(told(examination)).toEqual(["warning: permissions"])
      expect(Doctor.isHealthy(examination)).toBe(true)
    }),
  )

  it.scopedLive("puts the worst first", () =>
    Effect.gen(function* () {
      const examination = yield* examineAfter((filename) => {
        withDatabase("PRAGMA journal_mode = DELETE; DROP TRIGGER events_not_deleted")(filename)
        fs.chmodSync(filename, 0o666)
      })
      expect(examination.findings.map(({ severity }) => severity)).toEqual(["damage", "warning", "note"])
    }),
  )
})

describe("the doctor refuses", () => {
  it.scopedLive("what is not there, or no file", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const missing = yield* Effect.flip(examine(path.join(directory, "none.db")))
      expect(missing.message).toContain("there is no such file")
      expect(fs.readdirSync(directory)).toEqual([])
      expect((yield* Effect.flip(examine(directory))).message).toContain("it is a directory")
    }),
  )

  it.scopedLive("another program's database, an empty one, and a log of a newer format", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const refused = (name: string, sql: string) => {
        const filename = path.join(directory, name)
        fs.writeFileSync(filename, "")
        withDatabase(sql)(filename)
        return Effect.flip(examine(filename))
      }
      expect((yield* refused("other.db", "CREATE TABLE theirs (a)")).message).toContain("another program")
      expect((yield* refused("empty.db", "")).message).toContain("an empty database")
      const filename = yield* smallLog
      yield* Effect.provide(appendSeven, layerSqlite({ filename }))
      withDatabase("PRAGMA user_version = 99")(filename)
      expect((yield* Effect.flip(examine(filename)))._tag).toBe("LogFormatUnsupported")
    }),
  )
})

import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as BetterSqlite3 from "../../src/events/sqlite/driver/betterSqlite3.ts"
import { type Circumstances, choose, driverFor } from "../../src/events/sqlite/driver/choice.ts"
import {
  type Connection,
  DRIVER_NAMES,
  type Driver,
  DriverUnavailable,
  SqliteError,
} from "../../src/events/sqlite/driver/Driver.ts"
import { nameOfCode } from "../../src/events/sqlite/driver/resultCodes.ts"
import { statementError } from "../../src/events/sqlite/file/database.ts"
import { MAIN } from "../built.ts"
import { temporaryDirectory } from "../temporary.ts"

/** What is thrown, as a value. */
const thrownBy = (run: () => unknown): unknown => {
  try {
    run()
  } catch (cause) {
    return cause
  }
  return undefined
}

/** The drivers that this Node has: both from Node 22.23 on, before Node 24.19. */
const available: ReadonlyArray<Driver> = DRIVER_NAMES.flatMap((name) => {
  try {
    return [driverFor(name)]
  } catch (cause) {
    if (cause instanceof DriverUnavailable) return []
    throw cause
  }
})

describe("the SQLite driver of a Node", () => {
  it.each<readonly [string, Circumstances, string]>([
    ["better-sqlite3 on Node 20", { wanted: undefined, node: "20.20.2", nodeSqlite: undefined }, "better-sqlite3"],
    ["better-sqlite3 on 22.16", { wanted: undefined, node: "22.16.0", nodeSqlite: "3.49.1" }, "better-sqlite3"],
    ["its own on 22.23", { wanted: undefined, node: "22.23.3", nodeSqlite: "3.51.3" }, "node:sqlite"],
    ["better-sqlite3 on 24.14", { wanted: undefined, node: "24.14.1", nodeSqlite: "3.51.2" }, "better-sqlite3"],
    ["its own on 24.15", { wanted: undefined, node: "24.15.0", nodeSqlite: "3.51.3" }, "node:sqlite"],
    ["its own on 26", { wanted: undefined, node: "26.10.0", nodeSqlite: "3.53.4" }, "node:sqlite"],
    ["what is wanted", { wanted: "better-sqlite3", node: "22.23.3", nodeSqlite: "3.51.3" }, "better-sqlite3"],
  ])("is %s", (_, circumstances, expected) => {
    expect(choose(circumstances)).toBe(expected)
  })

  it.each<readonly [string, Circumstances, ReadonlyArray<string>]>([
    [
      "a name that none has",
      { wanted: "sqlite3", node: "20.20.2", nodeSqlite: undefined },
      ['HINDCAST_SQLITE_DRIVER: expected "node:sqlite" or "better-sqlite3", or nothing, found "sqlite3"'],
    ],
    ["no name", { wanted: "", node: "24.21.0", nodeSqlite: "3.53.4" }, ['or nothing, found ""']],
    [
      "Node's own where there is none",
      { wanted: "node:sqlite", node: "20.20.2", nodeSqlite: undefined },
      ['"node:sqlite" cannot be used on Node 20.20.2', "needs SQLite 3.51.3 or later, and this Node has none"],
    ],
    [
      "Node's own where it can damage a file",
      { wanted: "node:sqlite", node: "24.14.1", nodeSqlite: "3.51.2" },
      ["needs SQLite 3.51.3 or later, and this Node has 3.51.2"],
    ],
    [
      "better-sqlite3 where it aborts",
      { wanted: "better-sqlite3", node: "24.19.0", nodeSqlite: "3.53.4" },
      ["cannot be used on Node 24.19.0: it needs a Node before 24.19.0"],
    ],
    [
      "any, where no SQLite is sound",
      { wanted: undefined, node: "24.21.0", nodeSqlite: undefined },
      ["Node 24.21.0 has no usable SQLite", "node:sqlite: it needs SQLite 3.51.3", "use a Node from nodejs.org"],
    ],
  ])("is refused: %s", (_, circumstances, expected) => {
    const refusal = thrownBy(() => choose(circumstances))
    expect(refusal).toBeInstanceOf(DriverUnavailable)
    for (const part of expected) expect(String(refusal)).toContain(part)
  })

  it("is not named in vain: a command says in one line what the variable may say", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "log", "verify", "--log", "package.json"], {
      env: { ...process.env, HINDCAST_SQLITE_DRIVER: "sqlite" },
      encoding: "utf8",
    })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(stderr).toContain('expected "node:sqlite" or "better-sqlite3", or nothing, found "sqlite"')
  })

  it.scopedLive("leaves no empty file where it is missing, so that a log can be made there later", () =>
    Effect.gen(function* () {
      const log = path.join(yield* temporaryDirectory, "new", "log.db")
      const adding = (driver: string | undefined) =>
        spawnSync(process.execPath, [MAIN, "plugin", "add", "plugins/text-room", "--log", log], {
          env: { ...process.env, HINDCAST_SQLITE_DRIVER: driver },
          encoding: "utf8",
        })
      expect(adding("sqlite")).toMatchObject({ status: 1 })
      expect(fs.existsSync(path.dirname(log))).toBe(false)
      expect(adding(process.env.HINDCAST_SQLITE_DRIVER)).toMatchObject({ status: 0 })
    }),
  )
})

/** A directory with better-sqlite3 as it is unpacked, and what is in place of its addon. */
const installed = (addon: string | undefined) =>
  Effect.map(temporaryDirectory, (directory) => {
    const require = createRequire(import.meta.url)
    for (const name of ["better-sqlite3", "bindings", "file-uri-to-path"]) {
      const source = path.dirname(require.resolve(`${name}/package.json`))
      const filter = (file: string) =>
        !["build", "deps", "src"].includes(path.relative(source, file).split(path.sep)[0] ?? "")
      fs.cpSync(source, path.join(directory, "node_modules", name), { recursive: true, filter })
    }
    if (addon !== undefined) {
      const release = path.join(directory, "node_modules", "better-sqlite3", "build", "Release")
      fs.mkdirSync(release, { recursive: true })
      fs.writeFileSync(path.join(release, "better_sqlite3.node"), addon)
    }
    return directory
  })

/** Without a compiler the package is not there: npm takes out what is optional and cannot be built. */
const isInstalled = thrownBy(() => createRequire(import.meta.url).resolve("better-sqlite3")) === undefined

const BUILDING = ["`npm rebuild better-sqlite3`", "`pnpm approve-builds`, then `pnpm rebuild better-sqlite3`"]

describe("where better-sqlite3 is needed and was not built, the first use is one sentence that names the commands:", () => {
  it.scopedLive.each([
    ["it is not there at all", temporaryDirectory, "is not installed, because", ["`npm install better-sqlite3@12`"]],
    ...(isInstalled
      ? ([
          [
            "install scripts were held back",
            installed(undefined),
            "was not built when Hindcast was installed",
            BUILDING,
          ],
          ["it was built elsewhere", installed("no addon"), "was built for another Node or machine", BUILDING],
        ] as const)
      : []),
  ] as const)("%s", ([, place, reason, commands]) =>
    Effect.gen(function* () {
      const from = pathToFileURL(path.join(yield* place, "module.js")).href
      const error = statementError(
        "log.db",
        thrownBy(() => BetterSqlite3.load(from)),
      )
      expect(error._tag).toBe("LogUnavailable")
      expect(error.message.split("\n")).toHaveLength(1)
      expect(error.message).toContain(reason)
      for (const command of commands) expect(error.message).toContain(command)
    }),
  )
})

/** What both drivers hold to, so that what is written above them need not know which one it has. */
describe.each(available.map((driver) => [driver.name, driver] as const))("%s", (_, driver) => {
  const opened = (filename: string, readonly = false): Effect.Effect<Connection, never, import("effect").Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => driver.open(filename, { readonly, busyTimeoutMs: 0 })),
      (connection) => Effect.sync(() => connection.close()),
    )
  const answer = (connection: Connection, sql: string, ...parameters: ReadonlyArray<unknown>) =>
    connection.prepare(sql).rows(parameters)
  const codeOf = (run: () => unknown): string => {
    const cause = thrownBy(run)
    return cause instanceof SqliteError ? cause.code : `${cause}`
  }

  it.scopedLive("gives values back as they were given, and integers beyond 2^53 as the nearest number", () =>
    Effect.gen(function* () {
      const connection = yield* opened(":memory:")
      const values = [1, -1, 2 ** 53 - 1, 1.5, "", "\u{1F600}é", null]
      expect(answer(connection, "SELECT ?, ?, ?, ?, ?, ?, ?", ...values)).toEqual([values])
      expect(answer(connection, "SELECT 9007199254740993, 1, 'x', 9223372036854775807")).toEqual([
        [2 ** 53, 1, "x", 2 ** 63],
      ])
      expect(answer(connection, "SELECT 1")).toEqual([[1]])
      expect(answer(connection, "SELECT CAST(x'61ff62' AS TEXT)")).toEqual([["a\uFFFDb"]])
      const [[bytes, none] = []] = answer(connection, "SELECT ?, x''", Buffer.from([0, 255, 7]))
      expect([bytes, none].map((value) => value instanceof Uint8Array && [...value])).toEqual([[0, 255, 7], []])
    }),
  )

  it.scopedLive("keeps columns of the same name apart, in their order, and names them", () =>
    Effect.gen(function* () {
      const statement = (yield* opened(":memory:")).prepare("SELECT 'x' AS b, 2 AS a, 3 AS b, 4 AS '1'")
      expect(statement.columns()).toEqual(["b", "a", "b", "1"])
      expect(statement.rows([])).toEqual([["x", 2, 3, 4]])
    }),
  )

  it.scopedLive("counts the rows that a statement changed by itself", () =>
    Effect.gen(function* () {
      const connection = yield* opened(":memory:")
      const run = (sql: string, ...parameters: ReadonlyArray<unknown>) => connection.prepare(sql).run(parameters)
      const counts = [
        run("CREATE TABLE seen (x INTEGER PRIMARY KEY)"),
        run("INSERT INTO seen VALUES (?), (?)", 1, 2),
        run("BEGIN"),
        run("INSERT OR IGNORE INTO seen VALUES (2)"),
        run("UPDATE seen SET x = x + 10"),
        run("COMMIT"),
        run("PRAGMA user_version"),
        run("INSERT INTO seen VALUES (7) RETURNING x"),
        run("DELETE FROM seen"),
      ]
      expect(counts).toEqual([0, 2, 0, 0, 2, 0, 0, 0, 3])
      expect(connection.inTransaction()).toBe(false)
    }),
  )

  it.scopedLive("names what SQLite reports by its extended code", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = path.join(directory, "a.db")
      const connection = yield* opened(file)
      connection.script(
        `CREATE TABLE seen (x INTEGER PRIMARY KEY, y UNIQUE) STRICT`.replace("y UNIQUE", "y TEXT UNIQUE"),
      )
      connection.script("CREATE TRIGGER no BEFORE DELETE ON seen BEGIN SELECT RAISE(ABORT, 'never'); END")
      connection.script("INSERT INTO seen VALUES (1, 'a')")
      const other = yield* opened(file)
      const reader = yield* opened(file, true)
      const junk = path.join(directory, "junk.db")
      fs.writeFileSync(junk, "no database at all ".repeat(100))
      const run = (sql: string) => () => connection.prepare(sql).run([])
      expect(codeOf(run("INSERT INTO seen VALUES (1, 'b')"))).toBe("SQLITE_CONSTRAINT_PRIMARYKEY")
      expect(codeOf(run("INSERT INTO seen VALUES (2, 'a')"))).toBe("SQLITE_CONSTRAINT_UNIQUE")
      expect(codeOf(run("INSERT INTO seen VALUES ('x', 'c')"))).toBe("SQLITE_MISMATCH")
      expect(codeOf(run("DELETE FROM seen"))).toBe("SQLITE_CONSTRAINT_TRIGGER")
      expect(String(thrownBy(run("DELETE FROM seen")))).toBe("SqliteError: never")
      expect(codeOf(run("SELECT * FROM nowhere"))).toBe("SQLITE_ERROR")
      expect(codeOf(run('SELECT "not a column"'))).toBe("SQLITE_ERROR")
      expect(codeOf(() => reader.prepare("INSERT INTO seen VALUES (3, 'd')").run([]))).toBe("SQLITE_READONLY")
      expect(codeOf(() => driver.open(path.join(directory, "no", "a.db"), { readonly: false, busyTimeoutMs: 0 }))).toBe(
        "SQLITE_CANTOPEN",
      )
      expect(codeOf(() => driver.open(path.join(directory, "b.db"), { readonly: true, busyTimeoutMs: 0 }))).toBe(
        "SQLITE_CANTOPEN",
      )
      const opening = yield* opened(junk)
      expect(codeOf(() => opening.prepare("SELECT 1 FROM sqlite_schema").rows([]))).toBe("SQLITE_NOTADB")
      connection.script("BEGIN IMMEDIATE")
      expect(connection.inTransaction()).toBe(true)
      expect(codeOf(() => other.script("BEGIN IMMEDIATE"))).toBe("SQLITE_BUSY")
      connection.script("ROLLBACK")
    }),
  )

  it.scopedLive("takes a name for a path, also one that is a URI to SQLite", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const name = path.relative(process.cwd(), path.join(directory, "file:x.db?mode=memory"))
      const connection = yield* opened(name)
      connection.script("CREATE TABLE seen (x)")
      expect(fs.readdirSync(directory)).toEqual(["file:x.db?mode=memory"])
    }),
  )

  it.scopedLive("trusts no function to a file's schema, and keeps what it sorts in memory", () =>
    Effect.gen(function* () {
      const connection = yield* opened(":memory:")
      const settings = ["trusted_schema", "temp_store", "foreign_keys", "recursive_triggers", "busy_timeout"]
      const found = settings.map((name) => [name, answer(connection, `PRAGMA ${name}`)[0]?.[0]])
      expect(found).toEqual([
        ["trusted_schema", 0],
        ["temp_store", 2],
        ["foreign_keys", 1],
        ["recursive_triggers", 0],
        ["busy_timeout", 0],
      ])
    }),
  )
})

describe("SQLite's result codes", () => {
  it.each([
    [1, "SQLITE_ERROR"],
    [5, "SQLITE_BUSY"],
    [517, "SQLITE_BUSY_SNAPSHOT"],
    [522, "SQLITE_IOERR_SHORT_READ"],
    [778, "SQLITE_IOERR_WRITE"],
    [516, "SQLITE_ABORT_ROLLBACK"],
    [1811, "SQLITE_CONSTRAINT_TRIGGER"],
    [1544, "SQLITE_READONLY_DIRECTORY"],
    [26, "SQLITE_NOTADB"],
    [65_290, "SQLITE_IOERR"],
    [99, "SQLITE_99"],
  ])("%d is %s", (code, name) => {
    expect(nameOfCode(code)).toBe(name)
  })
})

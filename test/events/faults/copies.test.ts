import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { backup, EventLog, layerSqlite, restore } from "../../../src/events/index.ts"
import { Archive } from "../../../src/events/maintenance/Archive.ts"
import { temporaryDirectory } from "../../temporary.ts"
import * as child from "./child.ts"
import { SEED } from "./random.ts"

const note = (text: string) => ({
  stream: "task/t",
  taskId: "t",
  actor: "tester",
  subject: "ann",
  events: [{ type: "InputReceived" as const, payload: { source: "person", content: text } }],
})

/** More than SQLite copies in one step, and than a file may have in these tests. */
const LARGE = Array.from({ length: 30 }, () => randomBytes(75_000).toString("base64"))

const LIMIT = 1_000_000

const append = (filename: string, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* Effect.forEach(texts, (text) => log.append(note(text)))
    return (yield* log.head).position
  }).pipe(Effect.provide(layerSqlite({ filename })))

/** Archives all events but the last one, which always stays. */
const archiveAll = (filename: string) =>
  Effect.gen(function* () {
    const { position } = yield* Effect.flatMap(EventLog, ({ head }) => head)
    yield* Effect.flatMap(Archive, (archive) => archive.archive({ until: position - 1, actor: "tester" }))
  }).pipe(Effect.provide(layerSqlite({ filename })))

/** The head of the intact log at a name; undefined where there is no log. Anything else fails the test. */
const headOf = (filename: string) =>
  Effect.gen(function* () {
    if (!fs.existsSync(filename)) return undefined
    const found = yield* Effect.flatMap(EventLog, ({ verify }) => verify).pipe(
      Effect.provide(layerSqlite({ filename, readonly: true })),
    )
    return found._tag === "Intact" ? found.head.position : found.reason
  })

const killed = (input: unknown, first?: { readonly call: string; readonly nth: number }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const starting = first === undefined ? {} : { first: { program: "dying", input: first } }
      const ended = yield* Effect.flatMap(child.start("copier", input, starting), ({ ended }) => ended)
      expect(ended).toMatchObject({ signal: "SIGKILL", lines: [], stderr: "" })
    }),
  )

const leftovers = (directory: string) => fs.readdirSync(directory).filter((name) => /partial/.test(name))

describe("a backup that is killed", () => {
  it.scopedLive("leaves nothing under its name, and the next one removes what it left", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const from = path.join(directory, "log.db")
      const to = path.join(directory, "copy.db")
      const position = yield* append(from, LARGE)
      yield* killed({ action: "backup", options: { from, to }, dies: true })
      expect(fs.existsSync(to)).toBe(false)
      expect(leftovers(directory)).not.toEqual([])
      // Complete and verified, and without its name.
      yield* killed({ action: "backup", options: { from, to, withKeys: true } }, { call: "linkSync", nth: 1 })
      expect(fs.existsSync(to)).toBe(false)
      expect((yield* Effect.flip(backup({ from, to, withKeys: true }))).message).toContain("`--replace`")
      yield* backup({ from, to, withKeys: true, replace: true })
      expect(yield* headOf(to)).toBe(position)
      expect(leftovers(directory)).toEqual([])
    }),
  )
})

/** Before which of its steps a restoration is killed, and what is under the log's name then. */
const STEPS = [
  ["it puts the log aside", { call: "renameSync", nth: 1 }, "the log"],
  ["it puts aside what belongs to the log", { call: "renameSync", nth: 2 }, "none"],
  ["it brings back the keys", { call: "renameSync", nth: 5 }, "none"],
  ["it brings back the log", { call: "linkSync", nth: 1 }, "none"],
] as const

describe("a restoration that is killed", () => {
  it.scopedLive.each(STEPS)(
    "before %s, leaves the log, or its files under a name that says so, and can be repeated",
    ([, first, there]) =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const to = path.join(directory, "log.db")
        const from = path.join(directory, "copy.db")
        const before = yield* append(to, ["one", "two"])
        yield* archiveAll(to)
        yield* backup({ from: to, to: from, withKeys: true })
        const later = (yield* append(to, ["three"])) as number
        const options = { from, to, withKeys: true, replace: true }
        yield* killed({ action: "restore", options }, first)
        expect(yield* headOf(to)).toBe(there === "the log" ? later : undefined)
        const aside = fs.readdirSync(directory).find((name) => /^log\.db\.replaced-[0-9a-f]+$/.test(name))
        if (there === "none") {
          // What was put aside is the log when it has its name again.
          const name = path.join(directory, String(aside))
          const whole = path.join(directory, "again.db")
          for (const suffix of ["", ".segments", ".keys"]) {
            const place = fs.existsSync(name + suffix) ? name + suffix : to + suffix
            fs.cpSync(place, whole + suffix, { recursive: true })
          }
          expect(yield* headOf(whole)).toBe(later)
        }
        expect(yield* restore(options)).toMatchObject({ head: { position: before + 1 }, keys: true })
        expect(yield* headOf(to)).toBe(before + 1)
        expect(leftovers(directory)).toEqual([])
      }),
  )
})

/** What the program tells. */
const Told = Schema.Struct({ tag: Schema.String, message: Schema.String, files: Schema.Array(Schema.String) })

const told = (input: unknown, starting?: child.Starting) =>
  Effect.flatMap(child.report("copier", input, starting), Schema.decodeUnknown(Told))

describe("a backup without room", () => {
  it.scopedLive("says that the disk is full, for the log's file and for a segment, and leaves nothing", () =>
    Effect.gen(function* () {
      const from = path.join(yield* temporaryDirectory, "log.db")
      const directory = yield* temporaryDirectory
      const options = { from, to: path.join(directory, "copy.db") }
      yield* append(from, LARGE)
      const full = { tag: "LogUnavailable", message: expect.stringContaining("the disk is full"), files: [] }
      expect(yield* told({ action: "backup", options, limit: LIMIT })).toEqual(full)
      yield* archiveAll(from)
      expect(fs.statSync(from).size).toBeLessThan(LIMIT)
      expect(yield* told({ action: "backup", options, limit: LIMIT })).toEqual(full)
      expect(yield* backup(options)).toMatchObject({ events: LARGE.length + 1 })
    }),
  )
})

/** A file system in memory needs the rights to mount it, of this user or of one made up for it. */
const mayMount =
  process.platform === "linux" &&
  spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0

describe.skipIf(!mayMount)("a backup onto a disk that is full", () => {
  it.scopedLive("says so, and leaves nothing", () =>
    Effect.gen(function* () {
      const from = path.join(yield* temporaryDirectory, "log.db")
      const directory = yield* temporaryDirectory
      yield* append(from, LARGE)
      const mount = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"'
      const under = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, directory]
      expect(
        yield* told({ action: "backup", options: { from, to: path.join(directory, "copy.db") } }, { under }),
      ).toEqual({ tag: "LogUnavailable", message: expect.stringContaining("the disk is full"), files: [] })
    }),
  )
})

describe("a backup while another process writes", () => {
  it.scopedLive("is an intact log of one moment", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const [from, to] = [path.join(directory, "log.db"), path.join(directory, "copy.db")]
        const writer = yield* child.start("appender", { filename: from, seed: SEED, from: [0, 0] })
        yield* Effect.raceFirst(writer.speaks, writer.ended)
        const { head } = yield* backup({ from, to })
        yield* writer.kill
        expect((yield* writer.ended).signal).toBe("SIGKILL")
        expect(yield* headOf(to)).toBe(head.position)
        const hashAt = (filename: string) =>
          Effect.flatMap(EventLog, (log) => log.readPage({ after: head.position - 1, until: head.position }, 1)).pipe(
            Effect.provide(layerSqlite({ filename, readonly: true })),
            Effect.map(([event]) => event?.hash),
          )
        expect(yield* hashAt(to)).toBe(yield* hashAt(from))
      }),
    ),
  )
})

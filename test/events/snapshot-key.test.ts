import builtin, * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { originOf, seal } from "../../src/events/payload/SnapshotSeal.ts"
import { inFile } from "../../src/events/sqlite/keys/snapshotKey.ts"
import { temporaryDirectory } from "../temporary.ts"
import { report } from "./faults/child.ts"

const Made = Schema.Array(Schema.NullOr(Schema.String))

const LOGS = 100

describe("the key of a log's snapshots", () => {
  it.scopedLive.each([
    { where: "under umask 0", umask: 0 },
    { where: "under umask 777", umask: 0o777 },
    {
      where: "where links are refused and files are slow",
      umask: 0,
      starting: { first: { program: "slowFiles", input: null } },
    },
  ])("made by four processes at once $where is one key, whole and for its owner alone", ({ umask, starting }) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const logs = Array.from({ length: LOGS }, (_, index) => path.join(directory, `${index}.db`))
      for (const log of logs) fs.writeFileSync(log, "")
      const making = Effect.flatMap(report("keymaker", { logs, umask }, starting), Schema.decodeUnknown(Made))
      const answers = yield* Effect.all([making, making, making, making], { concurrency: 4 })
      for (const [index, log] of logs.entries()) {
        const file = `${log}.snapshot-key`
        const key = fs.readFileSync(file)
        expect(key.length).toBe(32)
        expect(fs.statSync(file).mode & 0o777).toBe(0o600)
        const told = new Set(answers.map((made) => made[index]).filter((made) => made !== null))
        expect([...told]).toEqual([key.toString("hex")])
      }
      // Beside each log there is its key and nothing else.
      expect(fs.readdirSync(directory)).toHaveLength(2 * LOGS)
    }),
  )

  it.scopedLive("that another process is writing is waited for a moment, and not replaced", () =>
    Effect.gen(function* () {
      const log = path.join(yield* temporaryDirectory, "log.db")
      const file = `${log}.snapshot-key`
      const key = Buffer.alloc(32, 1)
      fs.writeFileSync(log, "")
      // As the other process leaves it between its first two steps.
      fs.writeFileSync(file, "", { mode: 0o600 })
      const { ino } = fs.statSync(file)
      expect(inFile(log).make()).toBeUndefined()
      expect(fs.statSync(file)).toMatchObject({ ino, size: 0 })

      yield* replaced(Atomics, "wait", () => {
        fs.writeFileSync(file, key)
        return "timed-out"
      })
      expect(inFile(log).make()).toEqual(key)
      expect(fs.statSync(file).ino).toBe(ino)
    }),
  )

  it.scopedLive("that a crash left empty is made anew", () =>
    Effect.gen(function* () {
      const log = path.join(yield* temporaryDirectory, "log.db")
      const file = `${log}.snapshot-key`
      fs.writeFileSync(log, "")
      fs.writeFileSync(file, "", { mode: 0o600 })
      const aMinuteAgo = Date.now() / 1000 - 60
      fs.utimesSync(file, aMinuteAgo, aMinuteAgo)
      expect(inFile(log).make()).toEqual(fs.readFileSync(file))
      expect(fs.statSync(file).size).toBe(32)
    }),
  )

  it.scopedLive("is in no file but its own, which no plugin may read, at any step of making it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = path.join(directory, "log.db")
      fs.writeFileSync(log, "")
      const seen: Array<ReadonlyArray<string>> = []
      const close = fs.closeSync
      yield* replaced(builtin, "closeSync", (fd) => {
        seen.push(fs.readdirSync(directory).sort())
        close(fd)
      })
      expect(inFile(log).make()).toHaveLength(32)
      expect(seen.length).toBeGreaterThan(0)
      for (const names of seen) expect(names).toEqual(["log.db", "log.db.snapshot-key"])
    }),
  )

  it.scopedLive("is beside the file that a link leads to, and not beside the link", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = path.join(directory, "log.db")
      fs.writeFileSync(log, "")
      fs.symlinkSync("log.db", path.join(directory, "link.db"))
      expect(inFile(path.join(directory, "link.db")).make()).toEqual(inFile(log).find())
      expect(fs.readdirSync(directory).sort()).toEqual(["link.db", "log.db", "log.db.snapshot-key"])
    }),
  )

  it.scopedLive.skipIf(process.geteuid?.() !== 0)("a key of another user is neither believed nor replaced", () =>
    Effect.gen(function* () {
      const log = path.join(yield* temporaryDirectory, "log.db")
      fs.writeFileSync(log, "")
      const key = `${log}.snapshot-key`
      fs.writeFileSync(key, "x".repeat(32), { mode: 0o600 })
      fs.chownSync(key, 12_345, 12_345)
      expect(inFile(log).make()).toBeUndefined()
      expect(fs.readFileSync(key, "utf8")).toBe("x".repeat(32))
      // Of the log's owner it is: who owns the log may write events as well.
      fs.chownSync(log, 12_345, 12_345)
      expect(inFile(log).find()).toEqual(Buffer.from("x".repeat(32)))
      // What root makes in a log that belongs to another, that one can use.
      fs.rmSync(key)
      inFile(log).make()
      expect(fs.statSync(key).uid).toBe(12_345)
    }),
  )
})

/** Puts another function in the place of one of Node's until the scope ends, also for modules that imported it. */
const replaced = <T extends object, K extends keyof T>(object: T, name: K, other: T[K]) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const real = object[name]
      object[name] = other
      syncBuiltinESMExports()
      return real
    }),
    (real) =>
      Effect.sync(() => {
        object[name] = real
        syncBuiltinESMExports()
      }),
  )

describe("a seal", () => {
  const key = Buffer.alloc(32, 1)
  const claim = {
    fingerprint: "f",
    timeline: "main",
    epoch: "",
    position: 500,
    eventHash: "e".repeat(64),
    stateHash: "5".repeat(64),
  }

  it("holds what it was made of, and nothing else", () => {
    const sealed = seal(key, claim)
    expect(originOf(key, claim, sealed)).toBe("own")
    const others = [
      ...[{ fingerprint: "g" }, { timeline: "fork-1" }, { epoch: "e" }, { position: 501 }],
      ...[{ eventHash: "f".repeat(64) }, { stateHash: "6".repeat(64) }],
    ]
    for (const other of others) expect(originOf(key, { ...claim, ...other }, sealed)).toBe("changed")
  })

  it("a seal of another key is told apart from one that was changed", () => {
    expect(originOf(key, claim, seal(Buffer.alloc(32, 2), claim))).toBe("foreign")
    expect(originOf(key, claim, new Uint8Array())).toBe("foreign")
    for (let index = 0; index < 40; index++) {
      const changed = Buffer.from(seal(key, claim))
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
      // The mark says whose a seal is; only the code behind it proves it.
      expect(originOf(key, claim, changed)).toBe(index < 8 ? "own" : "changed")
    }
  })
})

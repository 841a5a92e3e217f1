import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { backup, restore } from "../../src/events/index.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { type Provenance, provenanceOf } from "../../src/events/log/Ownership.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as UserStore from "../../src/platform/user/UserStore.ts"
import { temporaryDirectory } from "../temporary.ts"
import { setVariable, withVariable } from "../variables.ts"

/** A log with two events, in a directory of its own. */
const written = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const file = path.join(directory, "log.db")
  yield* append(file)
  yield* append(file)
  return { directory, file }
})

const on =
  (file: string, options: Partial<SqliteEventLog.SqliteOptions> = {}) =>
  <A, E>(effect: Effect.Effect<A, E, EventLog>) =>
    Effect.provide(effect, SqliteEventLog.layer({ filename: file, ...options }))

const append = (file: string) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      stream: "plugin/sample",
      actor: "human:ada",
      events: [{ type: "PluginActivated", payload: { plugin: "sample" } }],
    }),
  ).pipe(on(file))

const found = (file: string): Effect.Effect<Provenance, unknown> =>
  Effect.flatMap(EventLog, provenanceOf).pipe(on(file, { readonly: true }))

const trust = (file: string) =>
  Effect.gen(function* () {
    const { head, ownership } = yield* EventLog
    yield* ownership?.trust(yield* head, "answer") ?? Effect.dieMessage("a log in a file has an ownership")
  }).pipe(on(file))

const own = { kind: "own", foreignUpTo: 0 }

/** Appends as somebody does whose commits are not recorded in the store of this user. */
const appendElsewhere = (file: string) =>
  Effect.gen(function* () {
    const elsewhere = yield* temporaryDirectory
    yield* append(file).pipe(withVariable(UserStore.VARIABLE, elsewhere))
  }).pipe(Effect.scoped)

/** The record of a log in the store of the tests. */
const recordsNaming = (file: string) => {
  const records = path.join(UserStore.directory() ?? "", "logs")
  return fs
    .readdirSync(records)
    .map((name) => path.join(records, name))
    .filter((record) => fs.readFileSync(record, "utf8").includes(JSON.stringify(file)))
}

describe("who wrote a log", () => {
  it.scopedLive("a log that this user made and extended is this user's own, also where it was moved", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* written
      expect(yield* found(file)).toEqual(own)
      const moved = path.join(directory, "moved.db")
      fs.renameSync(file, moved)
      expect(yield* found(moved)).toEqual(own)
      yield* append(moved)
      expect(yield* found(moved)).toEqual(own)
    }),
  )

  it.scopedLive("a log in memory, and one without events, are own", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const empty = path.join(directory, "empty.db")
      yield* Effect.void.pipe(on(empty))
      expect(yield* found(empty)).toEqual(own)
      expect(yield* Effect.flatMap(EventLog, provenanceOf).pipe(on(":memory:"))).toEqual(own)
    }),
  )

  it.scopedLive("a log that another user or machine wrote is foreign until it is trusted as it is", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "log.db")
      yield* appendElsewhere(file)
      expect(yield* found(file)).toMatchObject({ kind: "foreign", head: { position: 1 } })
      // Appending to it launders nothing.
      yield* append(file)
      expect(yield* found(file)).toMatchObject({ kind: "foreign", head: { position: 2 } })
      yield* trust(file)
      expect(yield* found(file)).toEqual({ kind: "own", foreignUpTo: 2 })
      yield* append(file)
      expect(yield* found(file)).toEqual({ kind: "own", foreignUpTo: 2 })
    }),
  )

  it.scopedLive("a log that was extended elsewhere is foreign again, and stays so whatever is appended here", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      yield* appendElsewhere(file)
      expect(yield* found(file)).toMatchObject({
        kind: "foreign",
        why: "it does not end as you left it at @2: it was extended or changed elsewhere",
      })
      yield* append(file)
      expect(yield* found(file)).toMatchObject({ kind: "foreign" })
    }),
  )

  it.scopedLive("a log that a stranger puts in the place of one's own inherits nothing, even with the same head", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const copy = `${file}.copy`
      fs.copyFileSync(file, copy)
      fs.rmSync(file)
      fs.renameSync(copy, file)
      expect(yield* found(file)).toMatchObject({
        kind: "foreign",
        why: "another file was put in the place of the log that you wrote",
      })
    }),
  )

  it.scopedLive(
    "a log that was removed and put back, as Git does, inherits nothing, though it may have the same inode",
    () =>
      Effect.gen(function* () {
        const { file } = yield* written
        const bytes = fs.readFileSync(file)
        const inode = fs.statSync(file).ino
        for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(`${file}${suffix}`, { force: true })
        fs.writeFileSync(file, bytes)
        expect(yield* found(file)).toMatchObject({
          kind: "foreign",
          why: "another file was put in the place of the log that you wrote",
        })
        // Where births are kept, whatever the file system does with inodes.
        const [record = ""] = recordsNaming(file)
        const { born } = JSON.parse(fs.readFileSync(record, "utf8").split("\n")[1] ?? "")
        expect([typeof born, typeof inode]).toEqual(["string", "number"])
      }),
  )

  it.scopedLive("a copy of one's own log is foreign, and the original stays own", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* written
      const copy = path.join(directory, "copy.db")
      fs.copyFileSync(file, copy)
      expect(yield* found(copy)).toMatchObject({ kind: "foreign" })
      expect(yield* found(file)).toEqual(own)
    }),
  )

  it.scopedLive("processes of one user that append at the same time leave the log own", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const many = Effect.forEach(Array.from({ length: 20 }), () => append(file), { discard: true })
      yield* Effect.all([many, many, many], { concurrency: 3 })
      expect(yield* found(file)).toEqual(own)
    }),
  )

  it.scopedLive("a log that was removed and made again is own", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(`${file}${suffix}`, { force: true })
      yield* append(file)
      expect(yield* found(file)).toEqual(own)
    }),
  )

  it.scopedLive(
    "a record that was copied from another machine, is torn, or is open to others' links counts for nothing",
    () =>
      Effect.gen(function* () {
        const { file } = yield* written
        const [record = ""] = recordsNaming(file)
        const text = fs.readFileSync(record, "utf8")
        for (const bad of [
          text.replace(/"machine":("[0-9a-f]+"|null)/, `"machine":"${"0".repeat(64)}"`),
          text.slice(0, 200),
          text.slice(0, 20),
          "",
          text.replace(/^\d{16}/, "no digits here  "),
        ]) {
          fs.writeFileSync(record, bad)
          expect(yield* found(file)).toMatchObject({ kind: "foreign" })
        }
        fs.writeFileSync(`${record}.real`, text)
        fs.rmSync(record)
        fs.symlinkSync(`${record}.real`, record)
        expect(yield* found(file)).toMatchObject({ kind: "foreign" })
      }),
  )

  it.scopedLive(
    "a record that others could have written, or have a name of, counts for nothing, and the reason is told",
    () =>
      Effect.gen(function* () {
        const { file } = yield* written
        const [record = ""] = recordsNaming(file)
        const why = (reason: string) => ({
          kind: "foreign",
          why: `its record in your own store does not count: ${record} is ${reason}`,
        })
        for (const mode of [0o660, 0o606, 0o644]) {
          fs.chmodSync(record, mode)
          expect(yield* found(file)).toMatchObject(why(`open to others (mode ${mode.toString(8)})`))
          yield* append(file)
        }
        fs.chmodSync(record, 0o600)
        expect(yield* found(file)).toMatchObject({ kind: "foreign" })
        yield* trust(file)
        fs.linkSync(record, `${record}.other`)
        expect(yield* found(file)).toMatchObject(why("a file with several names"))
        fs.rmSync(`${record}.other`)
        expect(yield* found(file)).toMatchObject({ kind: "own" })
        if (process.getuid?.() !== 0) return
        fs.chownSync(record, 12_345, 0)
        expect(yield* found(file)).toMatchObject(why("another user's (12345)"))
      }),
  )

  it.scopedLive("a process that has the log open keeps the record that another process put in its place", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "log.db")
      yield* appendElsewhere(file)
      yield* Effect.gen(function* () {
        const note = (yield* EventLog).append({
          stream: "plugin/sample",
          actor: "human:ada",
          events: [{ type: "PluginActivated", payload: { plugin: "sample" } }],
        })
        yield* note
        yield* trust(file)
        yield* note
        yield* appendElsewhere(file)
        yield* note
        yield* trust(file)
        yield* note
      }).pipe(on(file))
      expect(yield* found(file)).toEqual({ kind: "own", foreignUpTo: 5 })
    }),
  )

  it.scopedLive("a store that cannot be used makes logs foreign and says why; appending goes on", () =>
    Effect.gen(function* () {
      const place = yield* temporaryDirectory
      const real = path.join(place, "real")
      const link = path.join(place, "link")
      fs.mkdirSync(real)
      fs.symlinkSync(real, link)
      const notADirectory = path.join(place, "file")
      fs.writeFileSync(notADirectory, "")
      const open = path.join(place, "open")
      fs.mkdirSync(open)
      fs.chmodSync(open, 0o777)
      const inside = path.join(place, "inside")
      fs.mkdirSync(path.join(inside, "logs"), { recursive: true })
      fs.chmodSync(path.join(inside, "logs"), 0o720)
      const theirs = path.join(place, "theirs")
      fs.mkdirSync(theirs)
      if (process.getuid?.() === 0) fs.chownSync(theirs, 12_345, 0)
      const unusable: ReadonlyArray<readonly [string, RegExp]> = [
        [link, /your own store cannot be used: .+link, which is a link/],
        [notADirectory, /your own store cannot be used: /],
        [open, /cannot be used: .+open, which others can write\. Expected .*`chmod 700 \S+open` keeps it/],
        [inside, /your own store cannot be used: .+logs, which others can write/],
        // As a home that cannot be written.
        ["/proc/self/no", /your own store has no record/],
        ...(process.getuid?.() === 0 ? [[theirs, /theirs, which is another user's \(12345\)/] as const] : []),
      ]
      for (const [store, why] of unusable) {
        const file = path.join(place, `${path.basename(store)}.db`)
        yield* Effect.gen(function* () {
          yield* append(file)
          const provenance = yield* found(file)
          expect(provenance).toMatchObject({ kind: "foreign", head: { position: 1 } })
          expect(provenance.kind === "foreign" ? provenance.why : "").toMatch(why)
          expect((yield* Effect.flip(trust(file))).message).toMatch(/^Your own store cannot be used: /)
          // What was there is as it was.
          if (store === open) expect(fs.statSync(open).mode & 0o777).toBe(0o777)
        }).pipe(withVariable(UserStore.VARIABLE, store))
      }
      expect(fs.readdirSync(real)).toEqual([])
    }),
  )
})

describe("the user's own store", () => {
  const windows = { LOCALAPPDATA: "/c/Local" }
  it("is where the system keeps a user's state, and never at a relative path", () => {
    expect(UserStore.directory({ HINDCAST_STATE: "/s" }, "linux")).toBe("/s")
    expect(UserStore.directory({ XDG_STATE_HOME: "/x" }, "linux")).toBe("/x/hindcast")
    expect(UserStore.directory(windows, "win32")).toBe("/c/Local/hindcast")
    const user = os.userInfo().homedir
    const asHome = (HOME: string | undefined) => {
      const before = process.env.HOME
      setVariable("HOME", HOME)
      const found = UserStore.directory({}, "linux")
      setVariable("HOME", before)
      return found
    }
    // Without HOME the system says where the user's home is; a relative one is none.
    expect(asHome(undefined)).toBe(path.join(user, ".local/state/hindcast"))
    for (const none of ["", "here", "./x"]) expect(asHome(none)).toBe(undefined)
    const home = path.join(os.homedir(), ".local/state/hindcast")
    expect(UserStore.directory({ HINDCAST_STATE: "here", XDG_STATE_HOME: "./x" }, "darwin")).toBe(home)
  })

  it.scopedLive("can be accessed by its owner only", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const store = UserStore.directory() ?? ""
      const [record = ""] = recordsNaming(file)
      const modes = [store, path.join(store, "logs"), record].map((one) => (fs.statSync(one).mode & 0o777).toString(8))
      expect(modes).toEqual(["700", "700", "600"])
    }),
  )
})

describe("a backup", () => {
  /** A log of this user's, with a backup. */
  const backedUp = Effect.gen(function* () {
    const { directory, file } = yield* written
    const to = path.join(directory, "copy.db")
    yield* backup({ from: file, to })
    return { directory, file, copy: to }
  })

  it.scopedLive(
    "that this user made of a log of their own is their own once it is restored, under any name, and stays so",
    () =>
      Effect.gen(function* () {
        const { directory, file, copy } = yield* backedUp
        yield* append(file)
        expect(yield* found(copy)).toMatchObject({ kind: "foreign" })
        for (const to of [file, path.join(directory, "other.db")]) {
          expect((yield* restore({ from: copy, to, replace: true })).own).toBe(true)
          expect(yield* found(to)).toEqual(own)
          yield* append(to)
          expect(yield* found(to)).toEqual(own)
        }
      }),
  )

  it.scopedLive("brings back which code of plugins the user vouched for, and up to where others may have written", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* written
      yield* appendElsewhere(file)
      yield* trust(file)
      const code = { plugin: "sample", digest: "d".repeat(64), grants: { read: ["/data"] } }
      yield* Effect.flatMap(EventLog, ({ ownership }) => ownership?.vouch([code]) ?? Effect.void).pipe(on(file))
      const copy = path.join(directory, "copy.db")
      yield* backup({ from: file, to: copy })
      yield* restore({ from: copy, to: file, replace: true })
      expect(yield* found(file)).toEqual({ kind: "own", foreignUpTo: 3 })
      const vouched = Effect.flatMap(EventLog, ({ ownership }) => ownership?.vouched ?? Effect.succeed([]))
      expect(yield* vouched.pipe(on(file))).toEqual([code])
    }),
  )

  it.scopedLive("of a stranger's log, by a stranger, or that was extended after it was made, stays foreign", () =>
    Effect.gen(function* () {
      const { directory, file, copy } = yield* backedUp
      const restored = (from: string) =>
        Effect.flatMap(restore({ from, to: path.join(directory, "restored.db"), replace: true }), (copied) =>
          Effect.map(found(copied.file), ({ kind }) => [copied.own, kind]),
        )
      yield* appendElsewhere(copy)
      expect(yield* restored(copy)).toEqual([false, "foreign"])
      const elsewhere = yield* temporaryDirectory
      const theirs = path.join(directory, "theirs.db")
      yield* backup({ from: file, to: theirs }).pipe(withVariable(UserStore.VARIABLE, elsewhere))
      yield* append(file)
      yield* appendElsewhere(file)
      const foreign = path.join(directory, "foreign.db")
      yield* backup({ from: file, to: foreign })
      expect(yield* restored(foreign)).toEqual([false, "foreign"])
      // Who made the copy does not count: it is what this user wrote, and backed up.
      expect(yield* restored(theirs)).toEqual([true, "own"])
    }),
  )

  it.scopedLive(
    "is not this user's own where the store is another machine's, or its record was changed to name another head",
    () =>
      Effect.gen(function* () {
        const { directory, copy } = yield* backedUp
        const kept = path.join(UserStore.directory() ?? "", "backups")
        const to = path.join(directory, "restored.db")
        for (const change of [{ machine: "another" }, { hash: "0".repeat(64) }, { position: 1 }]) {
          const records = fs.readdirSync(kept).map((name) => path.join(kept, name))
          const before = records.map((record) => fs.readFileSync(record, "utf8"))
          for (const [index, record] of records.entries())
            fs.writeFileSync(record, JSON.stringify({ ...JSON.parse(before[index] ?? ""), ...change }))
          expect((yield* restore({ from: copy, to, replace: true })).own).toBe(false)
          expect(yield* found(to)).toMatchObject({ kind: "foreign" })
          for (const [index, record] of records.entries()) fs.writeFileSync(record, before[index] ?? "")
        }
      }),
  )
})

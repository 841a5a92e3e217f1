import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { EVENTS, smallLog } from "../smallLog.ts"
import * as child from "./child.ts"

const request = {
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded", payload: { about: "", text: "" } }],
}

/** Root may write whatever a file's mode says, so a program that is to be refused runs without that right. */
const WITHOUT_OVERRIDE =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all", "--"]
    : []

/** A file system that is mounted read-only over a directory; needs the rights to mount, of this user or of one made up for it. */
const MOUNTED_READ_ONLY = [
  ...["unshare", "--map-root-user", "--mount", "sh", "-c"],
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"',
]

const canRun = (command: ReadonlyArray<string>): boolean => {
  const [program = process.execPath, ...args] = [...command, process.execPath, "-e", ""]
  return spawnSync(program, args).status === 0
}

/** The log as another program finds it that may write. */
const verified = (filename: string, readonly = false) =>
  Effect.flatMap(EventLog, (log) => log.verify).pipe(Effect.provide(layerSqlite({ filename, readonly })))

/** Where it can neither be appended to nor read, which of the two was tried, and what the program runs under. */
const attempts = (filename: string, under: ReadonlyArray<string>) =>
  Effect.forEach(
    [
      { what: "append", input: { filename, readonly: false, request } },
      { what: "read", input: { filename, readonly: true } },
    ],
    ({ what, input }) => Effect.map(child.report("attempt", input, { under }), (told) => ({ what, told })),
    { concurrency: "unbounded" },
  )

/** Makes a copy of the log as the error advises, and reads that. */
const readCopy = (filename: string) =>
  Effect.gen(function* () {
    const copy = path.join(yield* temporaryDirectory, "copy.db")
    for (const suffix of ["", "-wal", "-shm"]) {
      if (fs.existsSync(filename + suffix)) fs.copyFileSync(filename + suffix, copy + suffix)
    }
    // A copy has the modes of what was copied: to whoever is not root it may be read-only too, which is enough to read it.
    return yield* verified(copy, true)
  })

const intact = (events: number) => expect.objectContaining({ _tag: "Intact", events })

const refused = (filename: string, reason: RegExp) => ({
  tag: "LogUnavailable",
  message: expect.stringMatching(
    new RegExp(
      `^${filename} is not available: .*${reason.source}.*To append, make the file and its directory writable`,
    ),
  ),
})

describe.skipIf(!canRun(WITHOUT_OVERRIDE))("a log that this user may not write", () => {
  const whileClosedTo = (directory: string, modes: Record<string, number>) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        for (const [name, mode] of Object.entries(modes)) fs.chmodSync(path.join(directory, name), mode)
      }),
      () => Effect.sync(() => fs.chmodSync(directory, 0o755)),
    )

  it.scopedLive.each([
    ["its directory is read-only", { ".": 0o555 }],
    ["it and its directory are read-only", { "log.db": 0o444, ".": 0o555 }],
  ] as const)(
    "a log that this user may not write because %s: neither append nor read, but what to do, and all of it is there after",
    ([, modes]) =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const directory = path.dirname(filename)
        yield* Effect.gen(function* () {
          yield* whileClosedTo(directory, modes)
          const before = fs.readdirSync(directory)
          for (const { what, told } of yield* attempts(filename, WITHOUT_OVERRIDE)) {
            expect({ what, told }).toEqual({ what, told: refused(filename, /read-only|cannot be opened/) })
          }
          expect(fs.readdirSync(directory)).toEqual(before)
          expect(yield* readCopy(filename)).toEqual(intact(EVENTS))
        }).pipe(Effect.scoped)
        fs.chmodSync(filename, 0o644)
        expect(yield* child.report("attempt", { filename, readonly: false, request })).toEqual({ position: EVENTS + 1 })
        expect(yield* verified(filename)).toEqual(intact(EVENTS + 1))
      }),
  )

  it.scopedLive(
    "a log that this user may not write because the file alone is read-only: it is not appended to, and is read",
    () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        fs.chmodSync(filename, 0o444)
        const [append, read] = yield* attempts(filename, WITHOUT_OVERRIDE)
        expect(append?.told).toEqual(refused(filename, /read-only/))
        expect(read?.told).toEqual({ position: EVENTS })
      }),
  )

  it.scopedLive("a log that is not there yet, in a directory that is read-only, is not made", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* whileClosedTo(directory, { ".": 0o555 })
      const [inIt, below] = yield* Effect.forEach(["log.db", "below/log.db"], (name) =>
        child.report(
          "attempt",
          { filename: path.join(directory, name), readonly: false, request },
          { under: WITHOUT_OVERRIDE },
        ),
      )
      expect(inIt).toEqual(refused(path.join(directory, "log.db"), /read-only/))
      expect(below).toMatchObject({
        tag: "LogUnavailable",
        message: expect.stringContaining("its directory cannot be made"),
      })
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )
})

describe.skipIf(!canRun([...MOUNTED_READ_ONLY, os.tmpdir()]))(
  "a log on a file system that is mounted read-only",
  () => {
    it.scopedLive("can neither be appended to nor read, and a copy of it has everything", () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const under = [...MOUNTED_READ_ONLY, path.dirname(filename)]
        for (const { what, told } of yield* attempts(filename, under)) {
          expect({ what, told }).toEqual({ what, told: refused(filename, /read-only|cannot be opened/) })
        }
        expect(yield* readCopy(filename)).toEqual(intact(EVENTS))
      }),
    )
  },
)

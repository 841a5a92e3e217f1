import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import { temporaryDirectory } from "../../temporary.ts"
import * as child from "./child.ts"

const Walked = Schema.Struct({ _tag: Schema.String, events: Schema.Number })

/** What the program tells. */
const Told = Schema.Struct({
  acknowledged: Schema.Array(Schema.Tuple(Schema.Number, Schema.String)),
  refusals: Schema.Array(Schema.Tuple(Schema.String, Schema.String)),
  inBetween: Walked,
  readable: Schema.Number,
  after: Walked,
})

const check = (filename: string, told: typeof Told.Type) => {
  const full = [
    "DiskFull",
    `${filename}: the disk is full. Nothing of this append was written; make room and try again.`,
  ]
  expect(told.refusals).toEqual([full, full])
  // Nothing of the requests that were refused, and everything of the others: first the ten, then some, then the last 201.
  const positions = told.acknowledged.map(([position]) => position)
  expect(positions).toEqual(positions.map((_, index) => index + 1))
  const before = positions.length - 201
  expect(before).toBeGreaterThan(10)
  expect(told.inBetween).toEqual({ _tag: "Intact", events: before })
  expect(told.readable).toBe(before)
  expect(told.after).toEqual({ _tag: "Intact", events: positions.length })
}

describe("no room to write", () => {
  it.scopedLive(
    "no room to write because files may not grow is DiskFull, nothing is half-written, and on it goes when they may",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const told = yield* Schema.decodeUnknown(Told)(yield* child.report("fullDisk", { filename, by: "limit" }))
        check(filename, told)
        // What was acknowledged is what the next process finds.
        const events = yield* Effect.flatMap(EventLog, (log) => log.readPage({}, 10_000)).pipe(
          Effect.provide(layerSqlite({ filename })),
        )
        expect(events.map(({ position, hash }) => [position, hash])).toEqual(told.acknowledged)
      }),
  )
})

/** A file system in memory needs the rights to mount it, of this user or of one made up for it. */
const mayMount =
  process.platform === "linux" &&
  spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0

describe.skipIf(!mayMount)("a disk that is full", () => {
  it.scopedLive("a disk that is full gives DiskFull, nothing is half-written, and on it goes when there is room", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const mount = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"'
      const told = yield* child.report(
        "fullDisk",
        { filename: path.join(directory, "log.db"), by: "disk" },
        { under: ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, directory] },
      )
      check(path.join(directory, "log.db"), yield* Schema.decodeUnknown(Told)(told))
    }),
  )
})

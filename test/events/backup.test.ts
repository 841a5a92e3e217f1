import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { describe, expect } from "vitest"
import { backup, EventLog, layerSqlite, restore } from "../../src/events/index.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string, subject?: string) => ({
  ...{ stream: "task/t", taskId: "t", actor: "tester", ...(subject === undefined ? {} : { subject }) },
  events: [{ type: "InputReceived" as const, payload: { source: "person", content: text } }],
})

const eventsOf = (filename: string) =>
  Effect.flatMap(EventLog, (log) => log.readPage({}, 1000)).pipe(
    Effect.provide(layerSqlite({ filename, readonly: true })),
  )

/** A log with an archived part, plugins' copies and keys. */
const given = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const filename = path.join(directory, "log.db")
  yield* Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append(note("one"))
    yield* log.append(note("two", "ann"))
    yield* log.append(note("three"))
    yield* (yield* Archive).archive({ until: 2, actor: "tester" })
  }).pipe(Effect.provide(layerSqlite({ filename })))
  fs.mkdirSync(`${filename}.plugins/sample`, { recursive: true })
  fs.writeFileSync(`${filename}.plugins/sample/plugin.ts`, "export default {}")
  fs.mkdirSync(`${filename}.plugins/sample.deno`)
  return { directory, filename, copy: path.join(directory, "copy.db") }
})

const filesOf = (directory: string, name: string) =>
  fs
    .readdirSync(directory)
    .filter((file) => file.startsWith(name))
    .sort()

describe("a backup of a log", () => {
  it.scopedLive("has its events, segments and plugins, and the keys where it is told to; for its owner alone", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      const found = yield* backup({ from: filename, to: copy })
      expect(found).toMatchObject({ file: copy, head: { position: 4 }, events: 4, plugins: true, keys: false })
      expect(filesOf(directory, "copy.db")).toEqual(["copy.db", "copy.db.plugins", "copy.db.segments"])
      expect(fs.readdirSync(`${copy}.plugins`)).toEqual(["sample"])
      const modes = [copy, `${copy}.segments`, ...found.segments.map((name) => path.join(`${copy}.segments`, name))]
      expect(modes.map((file) => fs.statSync(file).mode & 0o077)).toEqual([0, 0, 0])
      const withKeys = path.join(directory, "keys.db")
      expect(yield* backup({ from: filename, to: withKeys, withKeys: true })).toMatchObject({ keys: true })
      expect(yield* eventsOf(withKeys)).toEqual(yield* eventsOf(filename))
      expect(fs.statSync(`${withKeys}.keys`).mode & 0o077).toBe(0)
    }),
  )

  it.scopedLive("is made while a kernel writes, is of one moment, and holds no lease", () =>
    Effect.gen(function* () {
      const { filename, copy } = yield* given
      const context = yield* Layer.build(layerSqlite({ filename }))
      const log = Context.get(context, EventLog)
      yield* Context.get(context, Lease).acquire("writer")
      const before = (yield* log.head).position
      const writing = yield* Effect.fork(Effect.forever(log.append(note("more"))))
      const found = yield* backup({ from: filename, to: copy, withKeys: true })
      yield* Fiber.interrupt(writing)
      expect(found.head.position).toBeGreaterThanOrEqual(before)
      yield* log.append(note("last"))
      expect(yield* eventsOf(copy)).toEqual(
        (yield* log.readPage({ until: found.head.position }, 100_000)).slice(0, 1000),
      )
      const lease = yield* Effect.scoped(
        Effect.flatMap(Lease, (lease) => lease.acquire("of the copy")).pipe(
          Effect.provide(layerSqlite({ filename: copy })),
        ),
      )
      expect(lease.takenFrom).toBeNull()
    }),
  )

  it.scopedLive("replaces nothing unless it is told to, and leaves nothing where it fails", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      yield* backup({ from: filename, to: copy })
      const refused = yield* Effect.flip(backup({ from: filename, to: copy }))
      expect(refused.message).toContain(`expected no file of that name yet, found ${copy}`)
      expect((yield* Effect.flip(backup({ from: filename, to: filename, replace: true })))._tag).toBe("NotCopied")
      yield* backup({ from: filename, to: copy, replace: true })
      for (const name of fs.readdirSync(`${filename}.segments`)) fs.rmSync(path.join(`${filename}.segments`, name))
      const lost = path.join(directory, "lost.db")
      yield* Effect.flip(backup({ from: filename, to: lost }))
      expect(filesOf(directory, "lost.db")).toEqual([])
      expect((yield* Effect.flip(backup({ from: path.join(directory, "none.db"), to: lost })))._tag).toBe(
        "LogUnavailable",
      )
      // What is damaged is not brought back.
      fs.rmSync(`${copy}.segments`, { recursive: true })
      yield* Effect.flip(restore({ from: copy, to: lost }))
      expect(filesOf(directory, "lost.db")).toEqual([])
    }),
  )
})

describe("a backup that is brought back", () => {
  it.scopedLive("is the log as it was, also in the place of a damaged one", () =>
    Effect.gen(function* () {
      const { directory, filename, copy } = yield* given
      const before = yield* eventsOf(filename)
      yield* backup({ from: filename, to: copy, withKeys: true })
      fs.writeFileSync(filename, Buffer.alloc(20_000, 7))
      yield* restore({ from: copy, to: filename, withKeys: true, replace: true })
      expect(yield* eventsOf(filename)).toEqual(before)
      expect(filesOf(directory, "log.db").filter((name) => /replaced|partial/.test(name))).toEqual([])
    }),
  )

  it.scopedLive("takes no log's place that a kernel holds, or that a process has open", () =>
    Effect.gen(function* () {
      const { filename, copy } = yield* given
      yield* backup({ from: filename, to: copy })
      const context = yield* Layer.build(layerSqlite({ filename }))
      const restoring = restore({ from: copy, to: filename, replace: true })
      expect((yield* Effect.flip(restoring)).message).toContain("no process that has the log open")
      yield* Context.get(context, Lease).acquire("holder")
      expect((yield* Effect.flip(restoring))._tag).toBe("LeaseHeld")
      yield* Context.get(context, EventLog).append(note("goes on"))
      expect(yield* Context.get(context, EventLog).verify).toMatchObject({ _tag: "Intact" })
    }),
  )
})

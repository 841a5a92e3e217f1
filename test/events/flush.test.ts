import builtin, * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Exit, Fiber, Layer, Scope } from "effect"
import { describe, expect } from "vitest"
import * as AppendValidation from "../../src/events/append/AppendValidation.ts"
import * as Writer from "../../src/events/append/Writer.ts"
import { type AppendRequest, EventLog, LogUnavailable, layerSqlite } from "../../src/events/index.ts"
import * as PersonalDataKeys from "../../src/events/payload/PersonalDataKeys.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { temporaryDirectory } from "../temporary.ts"

const request = (event: AppendRequest["events"][number]): AppendRequest => ({
  stream: "a",
  actor: "human:test",
  events: [event],
})
const note = request({ type: "NoteAdded", payload: { about: "", text: "" } })
const dispatch = request({ type: "CommandDispatched", payload: { commandId: "c" } })

type Done = Parameters<Writer.Flush>[0]

/** A writer whose commits succeed, and whose flushes end when the test says so. */
const writing = Effect.gen(function* () {
  const flushes: Array<Done> = []
  const append = yield* Writer.make(
    "test",
    AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory()),
    (requests) => Either.right(requests.map(() => Either.right({ position: 1, version: 1, events: [] }))),
    (done) => flushes.push(done),
  )
  return { append, flushes }
})

const untilAsked = (flushes: ReadonlyArray<Done>, count: number) =>
  Effect.repeat(Effect.yieldNow(), { until: () => flushes.length === count })

const lost = new LogUnavailable({ log: "test", reason: "the disk is gone" })

describe("an append that must reach the disk", () => {
  it.scopedLive("is acknowledged after the flush, and the others of its commit before", () =>
    Effect.gen(function* () {
      const { append, flushes } = yield* writing
      const synced = yield* Effect.fork(append(dispatch))
      yield* append(note)
      yield* untilAsked(flushes, 1)
      expect(yield* Fiber.poll(synced)).toMatchObject({ _tag: "None" })
      flushes[0]?.(undefined)
      expect(yield* Fiber.join(synced)).toMatchObject({ position: 1 })
    }),
  )

  it.scopedLive("fails if the flush does", () =>
    Effect.gen(function* () {
      const { append, flushes } = yield* writing
      const synced = yield* Effect.fork(Effect.flip(append(dispatch)))
      yield* untilAsked(flushes, 1)
      flushes[0]?.(lost)
      expect(yield* Fiber.join(synced)).toBe(lost)
    }),
  )

  it.scopedLive("is acknowledged before a log that is being closed is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { append, flushes } = yield* Scope.extend(writing, scope)
      const order: Array<string> = []
      const synced = yield* Effect.fork(
        Effect.tap(append(dispatch), () => Effect.sync(() => order.push("acknowledged"))),
      )
      yield* untilAsked(flushes, 1)
      const closed = yield* Effect.fork(
        Effect.zipRight(
          Scope.close(scope, Exit.void),
          Effect.sync(() => order.push("closed")),
        ),
      )
      yield* Effect.yieldNow()
      flushes[0]?.(undefined)
      yield* Fiber.join(synced)
      yield* Fiber.join(closed)
      expect(order).toEqual(["acknowledged", "closed"])
    }),
  )
})

/** Replaces the system's flush, until the scope closes. */
const replacing = (flush: (end: (cause: Error | null) => void) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const original = builtin.fdatasync
      builtin.fdatasync = ((_: number, end: (cause: Error | null) => void) => flush(end)) as unknown as typeof original
      syncBuiltinESMExports()
      return original
    }),
    (original) =>
      Effect.sync(() => {
        builtin.fdatasync = original
        syncBuiltinESMExports()
      }),
  )

const logInFile = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  return Context.get(yield* Layer.build(layerSqlite({ filename })), EventLog)
})

describe("the flush of a log's file", () => {
  it.scopedLive("is one for all that wait for it, and none for what need not reach the disk", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<(cause: Error | null) => void>()
      let flushes = 0
      yield* replacing((end) => {
        flushes += 1
        if (flushes === 1) Deferred.unsafeDone(asked, Effect.succeed(end))
        else end(null)
      })
      const log = yield* logInFile
      yield* log.append(note)
      expect(flushes).toBe(0)
      const first = yield* Effect.fork(log.append(dispatch))
      const end = yield* Deferred.await(asked)
      const others = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 50 }, () => log.append(dispatch)),
          { concurrency: "unbounded" },
        ),
      )
      // What must not wait goes on meanwhile, and comes after them.
      yield* log.append(note)
      expect((yield* log.head).position).toBe(53)
      end(null)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(others)).toHaveLength(50)
      expect(flushes).toBe(2)
    }),
  )

  it.scopedLive("that failed lets every later append that needs it fail, also if the disk says that all is well", () =>
    Effect.gen(function* () {
      let fails = true
      yield* replacing((end) =>
        setImmediate(end, fails ? Object.assign(new Error("EIO: i/o error"), { code: "EIO" }) : null),
      )
      const log = yield* logInFile
      const failure = yield* Effect.flip(log.append(dispatch))
      expect(failure).toMatchObject({ _tag: "LogUnavailable" })
      expect(failure.message).toContain("EIO: i/o error")
      fails = false
      expect(yield* Effect.flip(log.append(dispatch))).toMatchObject({ _tag: "LogUnavailable" })
      expect(yield* log.append(note)).toMatchObject({ position: 3 })
    }),
  )

  it.scopedLive("reaches the write-ahead log that has the events", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const seen: Array<number> = []
      const original = fs.fdatasync
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          builtin.fdatasync = ((descriptor: number, end: (cause: Error | null) => void) => {
            seen.push(fs.fstatSync(descriptor).ino)
            original(descriptor, end)
          }) as typeof original
          syncBuiltinESMExports()
        }),
        () =>
          Effect.sync(() => {
            builtin.fdatasync = original
            syncBuiltinESMExports()
          }),
      )
      const log = Context.get(yield* Layer.build(layerSqlite({ filename })), EventLog)
      yield* log.append(dispatch)
      expect(seen).toEqual([fs.statSync(`${filename}-wal`).ino])
    }),
  )
})

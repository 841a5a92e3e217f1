import { spawnSync } from "node:child_process"
import * as os from "node:os"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, Fiber, Option, TestClock } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import * as ProcessIdentity from "../../src/platform/ProcessIdentity.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const acquire = (owner: string) => Effect.flatMap(Lease, (lease) => lease.acquire(owner))

/** A container on this machine: its processes have other ids, and the same clock. */
const CONTAINER = { namespaces: `pid:[1] ${ProcessIdentity.own().namespaces?.split(" ")[1]}` }

describe("the lease of a log", () => {
  it.scopedLive("is one kernel's at a time, and the refused one is told whose", () =>
    Effect.gen(function* () {
      const layer = layerSqlite({ filename: path.join(yield* temporaryDirectory, "log.db") })
      yield* Effect.gen(function* () {
        yield* acquire("first")
        const error = yield* Effect.flip(acquire("second"))
        expect(error._tag).toBe("LeaseHeld")
        expect(error.message).toContain(`found "first" (process ${process.pid} on ${os.hostname()}`)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("is one kernel's also of many that ask at the same moment under one name", () =>
    Effect.gen(function* () {
      const layer = layerSqlite({ filename: path.join(yield* temporaryDirectory, "log.db") })
      yield* Effect.gen(function* () {
        const all = Array.from({ length: 20 }, () => Effect.either(acquire("same")))
        const answers = yield* Effect.all(all, { concurrency: "unbounded" })
        expect(answers.filter(Either.isRight)).toHaveLength(1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("is given back with the scope", () =>
    Effect.gen(function* () {
      const layer = layerSqlite({ filename: path.join(yield* temporaryDirectory, "log.db") })
      yield* Effect.gen(function* () {
        yield* Effect.scoped(acquire("first"))
        const second = yield* acquire("second")
        expect(Either.isRight(yield* Effect.either(second.check))).toBe(true)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("the lease of a process that is gone is taken over at once, whatever its heartbeat says", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const dead = spawnSync(process.execPath, ["-e", ""]).pid
      yield* Effect.gen(function* () {
        for (const heartbeatAt of [Date.now(), Date.now() - 60_000, Date.now() + 10 ** 9]) {
          for (const host of [os.hostname(), "its-earlier-name"]) {
            held(filename, { heartbeatAt, place: { host, pid: dead } })
            const { takenFrom, lostBy } = yield* Effect.scoped(acquire("after a death"))
            expect([takenFrom, lostBy]).toEqual(["earlier", "x"])
          }
        }
        expect((yield* Effect.scoped(acquire("after a release"))).takenFrom).toBeNull()
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("is not taken from a process whose machine was renamed", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        held(filename, { heartbeatAt: 0, place: { host: "its-earlier-name" } })
        expect((yield* Effect.flip(Effect.scoped(acquire("second"))))._tag).toBe("LeaseHeld")
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("is taken at once from a process whose id a later one has", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        held(filename, { heartbeatAt: Date.now(), place: { pid: process.pid, started: "1" } })
        expect((yield* Effect.scoped(acquire("second"))).takenFrom).toBe("earlier")
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )

  it.scopedLive("says that it was lost, once another took over", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        const lease = yield* acquire("first")
        yield* lease.check
        const database = new Database(filename)
        database.exec("UPDATE lease SET owner = 'second#x'")
        database.close()
        const error = yield* Effect.flip(lease.check)
        expect(error._tag).toBe("LeaseLost")
        expect(error.message).toContain("another kernel took over")
      }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename })))
    }),
  )
})

interface Held {
  readonly heartbeatAt: number
  /** Where its process says that it is, if it says so. Otherwise it is one of an earlier version, which sent no heartbeat. */
  readonly place?: Partial<ProcessIdentity.ProcessPlace>
  readonly beat?: number
  /** How long ago it sent the heartbeat, by the clock of this boot. */
  readonly silentMs?: number
}

/** Makes the lease one that somebody has. */
const held = (filename: string, { heartbeatAt, place, beat = 1, silentMs = 0 }: Held) => {
  const { host, pid, boot, namespaces, started } = { ...ProcessIdentity.own(), ...place }
  const database = new Database(filename)
  database
    .prepare("INSERT OR REPLACE INTO lease VALUES (1, 'earlier#x', ?, ?, ?, ?)")
    .run(place === undefined ? "another-machine" : host, pid, heartbeatAt, heartbeatAt)
  database.exec("DELETE FROM heartbeats WHERE identity = 'x'")
  const at = ProcessIdentity.monotonicNow() - silentMs
  if (place !== undefined) {
    database
      .prepare("INSERT INTO heartbeats VALUES ('x', ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(beat, at, heartbeatAt, host, pid, boot, namespaces, started)
  }
  database.close()
}

/** Lets so many milliseconds pass for a fiber that looks at the lease all the time; says whether it has an answer then. */
const hasAnswerAfter = (fiber: Fiber.Fiber<unknown, unknown>, ms: number) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < ms; passed += 100) yield* TestClock.adjust("100 millis")
    return Option.isSome(yield* Fiber.poll(fiber))
  })

/** What becomes of a lease that somebody has, of whom nothing is known but its heartbeat. */
const watching = Effect.fork(Effect.scoped(Effect.exit(acquire("second"))))

const MINUTE = 60_000

// The time by which holders are watched is the test's; heartbeats say the time of day.
describe("a lease whose holder is known by its heartbeat alone", () => {
  const holders: ReadonlyArray<readonly [string, () => Held, number]> = [
    ["now", () => ({ heartbeatAt: Date.now() }), 10_000],
    ["long past", () => ({ heartbeatAt: Date.now() - MINUTE }), 10_000],
    ["in 1970", () => ({ heartbeatAt: 0 }), 10_000],
    ["far in the future", () => ({ heartbeatAt: Date.now() + 10 * 365 * 24 * 60 * MINUTE }), 10_000],
    [
      "now, by a machine whose name and process ids are the same",
      () => ({ heartbeatAt: Date.now(), place: { boot: "another" } }),
      10_000,
    ],
    [
      "now, by a clock of its own",
      () => ({ heartbeatAt: Date.now(), place: { namespaces: "pid:[1] time:[1]" } }),
      10_000,
    ],
    ["now, in a container", () => ({ heartbeatAt: 0, place: CONTAINER }), 10_000],
    [
      "now, and long past by the clock of the boot",
      () => ({ heartbeatAt: Date.now(), place: CONTAINER, silentMs: MINUTE }),
      3000,
    ],
    [
      "now, and in the future by the clock of the boot",
      () => ({ heartbeatAt: Date.now(), place: CONTAINER, silentMs: -MINUTE }),
      10_000,
    ],
  ]
  for (const [when, holder, watchMs] of holders) {
    it.scoped(
      `a lease whose holder is known by its heartbeat alone and that is ${when}: is taken over where it does not beat while it is watched`,
      () =>
        Effect.gen(function* () {
          const filename = path.join(yield* temporaryDirectory, "log.db")
          yield* Effect.gen(function* () {
            held(filename, holder())
            const answer = yield* watching
            expect(yield* hasAnswerAfter(answer, watchMs - 200)).toBe(false)
            expect(yield* hasAnswerAfter(answer, 400)).toBe(true)
            expect(yield* Fiber.join(answer)).toMatchObject({ _tag: "Success", value: { takenFrom: "earlier" } })
          }).pipe(Effect.provide(layerSqlite({ filename })))
        }),
    )

    it.scoped(
      `a lease whose holder is known by its heartbeat alone and that is ${when}: is its holder's as soon as it beats, by whichever clock`,
      () =>
        Effect.gen(function* () {
          const filename = path.join(yield* temporaryDirectory, "log.db")
          yield* Effect.gen(function* () {
            const first = holder()
            held(filename, first)
            const answer = yield* watching
            expect(yield* hasAnswerAfter(answer, watchMs - 200)).toBe(false)
            // Its clock may stand still: the heartbeats are counted.
            held(
              filename,
              first.place === undefined ? { heartbeatAt: first.heartbeatAt + 1000 } : { ...first, beat: 2 },
            )
            expect(yield* hasAnswerAfter(answer, 100)).toBe(true)
            expect(yield* Fiber.join(answer)).toMatchObject({ cause: { error: { _tag: "LeaseHeld" } } })
          }).pipe(Effect.provide(layerSqlite({ filename })))
        }),
    )
  }

  it.scoped(
    "is its holder's at once where the heartbeat is recent by the clock of the boot, whatever time of day it says",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        yield* Effect.gen(function* () {
          for (const heartbeatAt of [0, Date.now(), Date.now() + MINUTE]) {
            held(filename, { heartbeatAt, place: {}, silentMs: 5000 })
            expect((yield* Effect.flip(acquire("second")))._tag).toBe("LeaseHeld")
            expect((yield* (yield* Lease).holder)?.owner).toBe("earlier")
          }
        }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename })))
      }),
  )

  it.scoped(
    "a lease whose holder is known by its heartbeat alone and that is given back while it is watched: is free at once, and taken from nobody",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        yield* Effect.gen(function* () {
          held(filename, { heartbeatAt: Date.now() + MINUTE })
          const answer = yield* watching
          expect(yield* hasAnswerAfter(answer, 1000)).toBe(false)
          const database = new Database(filename)
          database.exec("DELETE FROM lease")
          database.close()
          expect(yield* hasAnswerAfter(answer, 100)).toBe(true)
          expect(yield* Fiber.join(answer)).toMatchObject({ _tag: "Success", value: { takenFrom: null } })
        }).pipe(Effect.provide(layerSqlite({ filename })))
      }),
  )

  it.scoped("is one's alone of many that watch it", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        held(filename, { heartbeatAt: Date.now() - MINUTE })
        const all = Array.from({ length: 10 }, () => Effect.either(acquire("same")))
        const answers = yield* Effect.fork(Effect.all(all, { concurrency: "unbounded" }))
        expect(yield* hasAnswerAfter(answers, 10_200)).toBe(true)
        expect((yield* Fiber.join(answers)).filter(Either.isRight)).toHaveLength(1)
      }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename })))
    }),
  )
})

/** pg-boss delivers tasks, and the log is the fence: what every way of owning tasks promises holds for it, too. */
import { createRequire } from "node:module"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import { expect, it } from "vitest"
import type * as Hindcast from "../../src/kernel/Hindcast.ts"
import * as Delivery from "../../src/kernel/queue/Delivery.ts"
import { fetchedModules } from "../fetched.ts"
import { type OwnershipBackend, ownershipSuite, sessionOn } from "../kernel/queue/ownershipSuite.ts"
import { postgres } from "./backend.ts"
import { server } from "./cluster.ts"
import { sql } from "./server.ts"

interface Boss {
  readonly on: (event: "error", listener: (cause: unknown) => void) => void
  readonly start: () => Promise<unknown>
  readonly stop: (options: { readonly graceful: boolean }) => Promise<void>
}

const example: string = new URL("../../examples/job-queue/delivery.mjs", import.meta.url).href

const { deliveryBy } = (await import(example)) as {
  readonly deliveryBy: (boss: Boss, options: { readonly log: string }) => Promise<Hindcast.Delivery>
}

const load = createRequire(path.join(fetchedModules("examples/job-queue"), "tests.js"))

/** One for each session, as in a process of its own. */
const bossOf = (schema: string): Effect.Effect<Boss, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const PgBoss = load("pg-boss") as new (options: object) => Boss
      const { url } = await server()
      const boss = new PgBoss({ connectionString: url, schema: `${schema}_boss`, max: 2, schedule: false })
      boss.on("error", () => {})
      await boss.start()
      return boss
    }),
    (boss) => Effect.promise(() => boss.stop({ graceful: false })),
  )

const backend: OwnershipBackend = {
  place: Effect.tap(postgres.place, (name) =>
    Effect.addFinalizer(() => Effect.promise(() => sql(`DROP SCHEMA IF EXISTS ${name}_boss CASCADE`))),
  ),
  open: postgres.open,
  crash: (place) => Effect.asVoid(postgres.crash(place)),
  delivery: (place) => Effect.flatMap(bossOf(place), (boss) => Effect.promise(() => deliveryBy(boss, { log: place }))),
}

ownershipSuite("by jobs of pg-boss, with the log as the fence", backend, true)

it("a job that is delivered twice is claimed once, and one of a past turn is never claimed", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* backend.place
        const settled: Array<ReadonlyArray<unknown>> = []
        const twice = (name: string): Hindcast.Delivery => ({
          take: async () => [
            { task: "t", turn: 0 },
            { task: "gone", turn: 4 },
          ],
          settle: async (offer, how) => {
            settled.push([name, offer.task, how])
          },
        })
        const one = yield* sessionOn({ ...backend, delivery: () => Effect.succeed(twice("one")) }, place, "one")
        const two = yield* sessionOn({ ...backend, delivery: () => Effect.succeed(twice("two")) }, place, "two")
        yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
        expect((yield* one.claim()).claimed.map(({ task }) => task)).toEqual(["t"])
        expect((yield* two.claim()).claimed).toEqual([])
        expect(settled).toEqual([
          ["one", "gone", "stale"],
          ["two", "t", "stale"],
          ["two", "gone", "stale"],
        ])
      }),
    ),
  ))

it("an engine that fails is a typed error, and nothing is claimed", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* backend.place
        const broken: Hindcast.Delivery = {
          take: () => Promise.reject(new Error("no route to the engine")),
          settle: async () => {},
        }
        const one = yield* sessionOn({ ...backend, delivery: () => Effect.succeed(broken) }, place, "one")
        yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
        const failure = yield* Effect.flip(one.claim())
        expect(failure).toBeInstanceOf(Delivery.DeliveryFailed)
        expect(failure.message).toBe("The delivery of tasks failed: no route to the engine")
        expect(Object.keys(yield* one.queue.queued)).toEqual(["t"])
      }),
    ),
  ))

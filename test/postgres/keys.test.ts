import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { CaughtUp, EventLog } from "../../src/events/log/EventLog.ts"
import { Snapshots } from "../../src/events/log/Snapshots.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import * as Keys from "../../src/events/postgres/keys.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import * as Address from "../../src/events/postgres/server/address.ts"
import * as Connection from "../../src/events/postgres/server/connection.ts"
import * as Driver from "../../src/events/postgres/server/driver.ts"
import { schema, sql, urlOf } from "./server.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

const opening = (taskId: string, subject: string) => ({
  stream: `task/${taskId}`,
  taskId,
  actor: "human:test",
  subject,
  events: [{ type: "TaskOpened" as const, payload: { goal: "g", agent: "a", measures: [], plugins: [] } }],
})

describe("keys", () => {
  it("cover each task of a batch, also those that were remembered when the limit is reached", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const log = Context.get(yield* Layer.build(layer({ url })), EventLog)
        for (const task of ["a", "b", "c", "d"]) yield* log.append(opening(task, "anna"))
        const address = yield* Address.parse(url)
        const database = yield* Connection.make(address, yield* Driver.load(address.name))
        const keys = Keys.make(database, { readonly: false, remembered: 1 })
        const coveredIn = async (tasks: ReadonlyArray<string>) => {
          const coverOf = await keys.coversOf(
            tasks.map((taskId) => ({ owner: { kind: "task", taskId }, with: [] }) as never),
          )
          return tasks.map((taskId) => typeof coverOf({ kind: "task", taskId }))
        }
        expect(yield* Effect.promise(() => coveredIn(["a", "b"]))).toEqual(["object", "object"])
        expect(yield* Effect.promise(() => coveredIn(["a", "b", "c"]))).toEqual(["object", "object", "object"])
      }),
    ))

  it("of a log that is opened for reading only are not destroyed", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        yield* Context.get(yield* Layer.build(layer({ url })), EventLog).append(opening("a", "anna"))
        const reading = Context.get(yield* Layer.build(layer({ url, readonly: true })), PersonalData)
        const refused = yield* Effect.flip(reading.shred({ subject: "anna", reason: "asked", actor: "human:test" }))
        expect(refused).toMatchObject({ _tag: "LogUnavailable", reason: "it was opened for reading only" })
        const kept = yield* Effect.promise(() =>
          sql(`SELECT subject FROM ${name}_keys.keys WHERE secret IS NOT NULL AND subject IS NOT NULL`),
        )
        expect(kept).toEqual([["anna"]])
      }),
    ))

  it("are not needed to find snapshots", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = new URL(yield* Effect.promise(() => urlOf(name)))
        yield* Context.get(yield* Layer.build(layer({ url: url.href })), EventLog).append(opening("a", "anna"))
        const user = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            await sql(`CREATE ROLE ${name}_r LOGIN PASSWORD 'pw'`)
            await sql(`SELECT ${name}.grant_access('${name}_r', 'reader without keys')`)
            return `${name}_r`
          }),
          (user) => Effect.promise(() => sql(`DROP OWNED BY ${user}; DROP ROLE ${user}`)),
        )
        url.username = user
        url.password = "pw"
        const cache = Context.get(yield* Layer.build(layer({ url: url.href, readonly: true })), Snapshots)
        expect(yield* cache.epoch).toBe("")
        const series = { projection: "p", fingerprint: "f", timeline: "main", epoch: "" }
        expect(yield* cache.parts(series, ["x"])).toEqual(new Map())
      }),
    ))
})

describe("opening", () => {
  it("for a command that needs an existing log creates none", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(layer({ url, create: false }))))
        expect(refused).toMatchObject({ _tag: "LogUnavailable", missing: true })
        expect(yield* Effect.promise(() => sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", [name]))).toEqual([])
      }),
    ))
})

describe("closing", () => {
  it("ends followers with an error", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const logs = yield* Scope.make()
        const log = Context.get(yield* Scope.extend(Layer.build(layer({ url })), logs), EventLog)
        const caughtUp = yield* Deferred.make<void>()
        const following = yield* Effect.fork(
          Effect.flip(
            Stream.runForEach(log.follow(), (item) =>
              item instanceof CaughtUp ? Deferred.succeed(caughtUp, undefined) : Effect.void,
            ),
          ),
        )
        yield* Deferred.await(caughtUp)
        yield* Scope.close(logs, Exit.void)
        expect(yield* Fiber.join(following)).toMatchObject({ _tag: "LogUnavailable", reason: "it was closed" })
      }),
    ))
})

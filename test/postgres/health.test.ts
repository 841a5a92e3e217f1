import type { AddressInfo } from "node:net"
import * as net from "node:net"
import { Context, Effect, Layer, Option } from "effect"
import { expect, it } from "vitest"
import * as HealthServer from "../../src/cli/health/HealthServer.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import { schema, sql, urlOf } from "./server.ts"

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const taken = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = taken.address() as AddressInfo
        taken.close(() => resolve(port))
      })
    }),
)

it("a process that has read lost events asks to be started again, without a name of the server", () =>
  Effect.gen(function* () {
    const name = yield* schema
    const url = yield* Effect.promise(() => urlOf(name))
    const log = Context.get(yield* Layer.build(layer({ url })), EventLog)
    for (const text of ["one", "two"])
      yield* log.append({
        stream: "s",
        actor: "human:test",
        events: [{ type: "NoteAdded", payload: { about: "s", text } }],
      })
    const port = yield* freePort
    yield* HealthServer.serve(Option.some(String(port)), { log: Option.some(url) })
    const get = (path: string) =>
      Effect.promise(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`)
        return [answer.status, await answer.json()]
      })
    expect(yield* get("/readyz")).toEqual([200, { ready: true }])
    expect(yield* get("/healthz")).toEqual([200, { ok: true }])
    // As a fail-over to a replica without the tail does.
    yield* Effect.promise(() =>
      sql(`BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM ${name}.events WHERE position > 1; COMMIT`),
    )
    expect(yield* get("/readyz")).toEqual([503, { ready: false, reason: "the log does not answer (LogCorrupt)" }])
    expect(yield* get("/healthz")).toEqual([503, { ok: false, reason: "the log has to be opened again" }])
  }).pipe(Effect.scoped, Effect.runPromise))

/**
 * Hindcast's public interface. Per append: a schema check of the payload, a time-ordered id, position and version, a
 * link of the SHA-256 chain, and one INSERT, in its own transaction if appends are awaited one at a time; a batch is
 * one transaction. WAL and synchronous=NORMAL, its default. Reading returns whole events in the log's order.
 */
import * as path from "node:path"
import { Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import { EventLog } from "../../../dist/index.js"
import { BATCH, payload, payloads } from "../payload.mjs"

export const name = "hindcast"
export const settings = "better-sqlite3, WAL, synchronous=NORMAL"

const request = (all) => ({
  stream: "task/bench",
  taskId: "bench",
  actor: "plugin:room@1.0.0",
  events: all.map((each) => ({ type: "SensorRead", payload: each })),
})

export const open = async (directory) => {
  const filename = path.join(directory, "hindcast.db")
  const scope = await Effect.runPromise(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(EventLog.layerSqlite({ filename }), scope))
  const log = Context.get(context, EventLog.EventLog)
  let index = 0
  const one = Effect.suspend(() => log.append(request([payload(index++)])))
  const batch = Effect.suspend(() => {
    index += BATCH
    return log.append(request(payloads(index - BATCH, BATCH)))
  })
  return {
    filename,
    appendOne: (count) => Effect.runPromise(Effect.repeatN(one, count - 1)),
    appendBatches: (count) => Effect.runPromise(Effect.repeatN(batch, count - 1)),
    readAll: () => Effect.runPromise(Stream.runFold(log.read(), 0, (count) => count + 1)),
    verify: () => Effect.runPromise(Effect.map(log.verify, ({ _tag, events }) => (_tag === "Intact" ? events : _tag))),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

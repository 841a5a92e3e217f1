/**
 * Appends one request and tells its acknowledgement as a line: the position. With `unacknowledged` it kills
 * itself when it was answered and has not told yet.
 *
 * Input: { filename, request, unacknowledged }.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog, layerSqlite } from "../../../../dist/events/index.js"

const { filename, request, unacknowledged } = JSON.parse(fs.readFileSync(0, "utf8"))

const work = Effect.gen(function* () {
  const { position } = yield* Effect.flatMap(EventLog, (log) => log.append(request))
  if (unacknowledged) process.kill(process.pid, "SIGKILL")
  fs.writeSync(1, `${position}\n`)
})
await Effect.runPromise(Effect.provide(work, layerSqlite({ filename })))

/**
 * Opens a log, and appends a request to it or else asks for its head. Tells, as a line of JSON, the position that it got to,
 * or what it failed with.
 *
 * Input: { filename, readonly, request }.
 */
import * as fs from "node:fs"
import { Effect, Either } from "effect"
import { EventLog, layerSqlite } from "../../../../dist/events/index.js"

const { filename, readonly, request } = JSON.parse(fs.readFileSync(0, "utf8"))

const work = Effect.flatMap(EventLog, (log) => (request === undefined ? log.head : log.append(request)))
const answer = await Effect.runPromise(Effect.either(Effect.provide(work, layerSqlite({ filename, readonly }))))
const told = Either.match(answer, {
  onLeft: ({ _tag, message }) => ({ tag: _tag, message }),
  onRight: ({ position }) => ({ position }),
})
fs.writeSync(1, `${JSON.stringify(told)}\n`)

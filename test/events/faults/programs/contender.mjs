/**
 * Appends to a log: so many events to a stream of its own, each with a retry under the same id at the same time, and as many
 * to a stream that all programs contend for, each expecting the version that it saw last. Tells, as a line of JSON, how many
 * conflicts it met.
 *
 * Input: { filename, name, count }, where `name` is one letter.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog, Exact, layerSqlite, NoStream } from "../../../../dist/events/index.js"

const { filename, name, count } = JSON.parse(fs.readFileSync(0, "utf8"))

const note = (stream, text) => ({
  stream,
  actor: `human:${name}`,
  events: [{ type: "NoteAdded", payload: { about: stream, text } }],
})

const idOf = (index) =>
  `00000000-0000-7000-8000-${name.charCodeAt(0).toString(16).padStart(4, "0")}${String(index).padStart(8, "0")}`

let conflicts = 0

const contend = (log, version, text) =>
  log.append({ ...note("contested", text), expected: version === 0 ? NoStream : Exact(version) }).pipe(
    Effect.map((appended) => appended.version),
    Effect.catchTag("VersionConflict", (conflict) => {
      conflicts += 1
      return contend(log, conflict.actual, text)
    }),
  )

const work = Effect.gen(function* () {
  const log = yield* EventLog
  let version = 0
  for (let index = 0; index < count; index++) {
    const own = note(name, String(index))
    const request = { ...own, events: own.events.map((event) => ({ ...event, id: idOf(index) })) }
    const [first, again] = yield* Effect.all([log.append(request), log.append(request)], { concurrency: 2 })
    if (first.position !== again.position) throw new Error("a retry was doubled")
    version = yield* contend(log, version, `${name} ${index}`)
  }
})
await Effect.runPromise(Effect.provide(work, layerSqlite({ filename })))
fs.writeSync(1, `${JSON.stringify({ conflicts })}\n`)

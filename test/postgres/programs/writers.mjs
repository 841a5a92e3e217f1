/**
 * Many writers of one process on a log: each records a task of its own, one event after the other, and expects its stream's version.
 *
 * Input: { log, name, writers, events }
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog } from "../../../dist/index.js"

const { log: url, name, writers, events } = JSON.parse(fs.readFileSync(0, "utf8"))

const write = (writer) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const stream = `task/${name}-${writer}`
    for (let index = 0; index < events; index++) {
      yield* log.append({
        stream,
        taskId: `${name}-${writer}`,
        actor: `agent:${name}`,
        expected: index === 0 ? EventLog.NoStream : EventLog.Exact(index),
        events: [{ type: "NoteAdded", payload: { about: stream, text: `${index}` } }],
      })
    }
  })

await Effect.forEach(
  Array.from({ length: writers }, (_, index) => index),
  write,
  {
    concurrency: "unbounded",
    discard: true,
  },
).pipe(Effect.provide(EventLog.layerPostgres({ url })), Effect.runPromise)

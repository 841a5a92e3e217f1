/**
 * Says that it is ready, waits for a line, and opens a log, that may not exist yet: as a recorder, as a writer with an append, or as one that reads
 * as soon as the file is there. It tells whether that worked.
 */
import { once } from "node:events"
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog, layerSqlite } from "../../../dist/events/index.js"
import { record } from "../../../dist/record/index.js"

const [filename, id] = process.argv.slice(2)
const kind = ["recorder", "writer", "reader"][Number(id.split("-")[1]) % 3]
const on = (effect, options) => Effect.runPromise(Effect.provide(effect, layerSqlite({ filename, ...options })))

const open = {
  recorder: async () => {
    const run = await record({ log: filename, goal: "Open", agent: "tester", id })
    await run.end("achieved")
  },
  writer: () =>
    on(
      Effect.flatMap(EventLog, (log) =>
        log.append({
          stream: id,
          taskId: null,
          actor: "tester",
          events: [{ type: "NoteAdded", payload: { about: "", text: id } }],
        }),
      ),
    ),
  reader: async () => {
    for (;;) {
      // Before its tables are there, it is no log yet.
      const read = await on(
        Effect.flatMap(EventLog, (log) => log.head),
        { readonly: true },
      ).catch((error) => error)
      if (read.position !== undefined) return
      if (fs.existsSync(filename) && !/an empty database|no such file/.test(String(read.message ?? read))) throw read
    }
  },
}

console.log("ready")
await once(process.stdin, "data")
console.log(`${id} ${await open[kind]().then(() => kind, String)}`)

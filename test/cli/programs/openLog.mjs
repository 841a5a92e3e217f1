/** Opens a log, appends to it what is encrypted, and lists what lies in its directory while it is open: a mode and a name each. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { EventLog, layerSqlite } from "../../../dist/events/index.js"

const filename = process.argv[2] ?? ""
const request = {
  stream: "a",
  actor: "human:test",
  subject: "levin",
  events: [{ type: "NoteAdded", payload: { about: "", text: "mows" } }],
}
const list = Effect.sync(() => {
  const directory = path.dirname(filename)
  for (const name of fs.readdirSync(directory)) {
    console.log((fs.statSync(path.join(directory, name)).mode & 0o777).toString(8), name)
  }
})
await Effect.runPromise(
  Effect.flatMap(EventLog, (log) => Effect.zipRight(log.append(request), list)).pipe(
    Effect.provide(layerSqlite({ filename })),
  ),
)

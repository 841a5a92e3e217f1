/**
 * `node test/golden/make.mjs [DIRECTORY]`: writes the golden log of this version, `<version>.db`, and what reading it must
 * give for ever, `<version>.jsonl`. Run it once for a release, after `npm run build`; a golden log that exists is never
 * written again.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { Arbitrary, Effect, FastCheck, Stream } from "effect"
import { EventLog, Vocabulary } from "../../dist/index.js"

const directory = process.argv[2] ?? path.dirname(fileURLToPath(import.meta.url))
const { version } = JSON.parse(fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
const filename = path.join(directory, `${version}.db`)
if (fs.existsSync(filename)) {
  process.stderr.write(`${filename} is there already; a golden log is never written again\n`)
  process.exit(1)
}

/** Two payloads of every type, always the same for the same schema. */
const requests = [...Vocabulary.core.types.values()].flatMap((type, index) =>
  FastCheck.sample(Arbitrary.make(type.payload), { seed: 7, numRuns: 2 }).map((payload, turn) => ({
    stream: turn === 0 ? "task/t1" : "kernel",
    taskId: turn === 0 ? "t1" : null,
    actor: turn === 0 ? "agent:golden@1" : "kernel",
    events: [{ type: type.name, payload: JSON.parse(JSON.stringify(payload)), occurredAt: 1_700_000_000_000 + index }],
  })),
)

const write = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  for (const request of requests) yield* log.append(request)
  return yield* Stream.runCollect(log.read())
})
const events = await Effect.runPromise(Effect.provide(write, EventLog.layerSqlite({ filename })))
const database = new Database(filename)
database.pragma("wal_checkpoint(TRUNCATE)")
database.pragma("journal_mode = DELETE")
database.close()
fs.writeFileSync(filename.replace(/\.db$/, ".jsonl"), [...events].map((event) => `${JSON.stringify(event)}\n`).join(""))
process.stdout.write(`${filename}: ${events.length} events\n`)

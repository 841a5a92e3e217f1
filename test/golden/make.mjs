/**
 * `node test/golden/make.mjs [DIRECTORY]`: writes the golden log of this version, `<version>.db` with its keys, and what reading
 * it must give for ever, `<version>.jsonl`. Run it once for a release, after `npm run build`; a golden log that exists is
 * never written again.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Arbitrary, Effect, FastCheck, Stream } from "effect"
import { driver } from "../../dist/events/sqlite/driver/choice.js"
import { EventLog, PersonalData, Vocabulary } from "../../dist/index.js"

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

const note = (text, subject) => ({
  stream: "notes",
  actor: "human:golden",
  ...(subject === undefined ? {} : { subject }),
  events: [{ type: "NoteAdded", payload: { about: "golden", text }, occurredAt: 1_700_000_000_000 }],
})

const isPersonal = ({ events: [{ type }] }) => Object.keys(Vocabulary.core.types.get(type).personal).length > 0
const personal = requests.filter(isPersonal)

/** Personal fields, one subject's still to be read and one's not, a large payload, and one that is both. */
const special = [
  ...personal.map((request) => ({ ...request, subject: "ada" })),
  note("large ".repeat(45_000)),
  note("large and personal ".repeat(15_000), "ada"),
]

const write = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  const data = yield* PersonalData.PersonalData
  for (const request of [...requests, ...special]) yield* log.append(request)
  for (const request of personal) yield* log.append({ ...request, subject: "eve" })
  yield* data.shred({ subject: "eve", reason: "golden", actor: "human:golden" })
  return yield* Stream.runCollect(log.read())
})
const events = await Effect.runPromise(Effect.provide(write, EventLog.layerSqlite({ filename })))
for (const file of [filename, `${filename}.keys`]) {
  const database = driver().open(file, { readonly: false, busyTimeoutMs: 5000 })
  database.script("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
  database.close()
}
fs.writeFileSync(filename.replace(/\.db$/, ".jsonl"), [...events].map((event) => `${JSON.stringify(event)}\n`).join(""))
process.stdout.write(`${filename}: ${events.length} events\n`)

/**
 * Scores a log again by 8 rules in VARIANTS variants. Prints as JSON, in milliseconds: duration and processor time of
 * scoring (`ms`, `cpuMs`) and of reading the same rows raw afterwards (`rawMs`, `rawCpuMs`), and scoring's peak memory.
 *
 * `node rescore.mjs LOG VARIANTS`; `node rescore.mjs rubric` prints the rubric of 8 rules.
 */
import * as v8 from "node:v8"
import { Effect, Layer } from "effect"
import { EventLog, Projector, Scoring } from "../../dist/index.js"
import { openRaw } from "../raw.mjs"

const ROOMS = ["hall", "study", "kitchen", "cellar", "garden", "attic", "library", "workshop"]
const THINGS = ["brass lamp", "letter", "ladder", "iron key", "map", "empty bottle", "rope", "notebook"]

const rubricOf = (variants) => ({
  name: `${8 * variants} rules`,
  measures: Array.from({ length: variants }, (_, number) => {
    const [room, thing] = [ROOMS[number % ROOMS.length], THINGS[number % THINGS.length]]
    const rewarded = (name, rule, per = "task") => ({ name, when: name, weight: 0.1, rule, per })
    return {
      name: `measure ${number}`,
      description: "For measuring",
      rewards: [
        rewarded("achieved", `task.outcome == "achieved" && ${number} < ${number + 1}`),
        rewarded("came there", `state.environment.room.at == "${room}"`, "occurrence"),
        rewarded(
          "went there",
          `command.actuator == "room/go" && event.type == "CommandSucceeded" && event.payload.result.to == "${room}"`,
          "occurrence",
        ),
        rewarded(
          "moved it",
          `event.type == "EnvironmentChanged" && event.payload.patch.exists(p, p.path == "/things/${thing}")`,
          "occurrence",
        ),
        rewarded("saw a way there", `state.readings["room/view"].exits.exists(exit, exit == "${room}")`),
      ],
      punishments: [
        rewarded("denied", `event.type == "CommandDenied" && event.payload.reason != "${room}"`, "occurrence"),
        rewarded("many commands", `count("ActuatorCommanded") > ${12 + number}`),
        rewarded("late", `event.type == "TaskClosed" && elapsed > ${60_000 + number}.0`),
      ],
    }
  }),
})

if (process.argv[2] === "rubric") {
  process.stdout.write(JSON.stringify(rubricOf(1)))
  process.exit()
}

// As `hindcast rescore` does: see `V8Tuning.forScoring`.
v8.setFlagsFromString("--no-allocation-site-pretenuring")
v8.setFlagsFromString("--heap-growing-percent=100")

const [filename, variants] = [process.argv[2], Number(process.argv[3])]

const spent = async (run) => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 }
}

const database = openRaw(filename)
const [[last]] = database.prepare("SELECT max(position) FROM events").all()

const layer = Scoring.layer.pipe(
  Layer.provideMerge(Projector.layer),
  Layer.provideMerge(EventLog.layerSqlite({ filename })),
)
const rescoring = Effect.flatMap(Scoring.Scoring, (scoring) => scoring.rescore({ rubric: rubricOf(variants) }))
const scored = await spent(() => Effect.runPromise(Effect.provide(rescoring, layer)))
const peakMiB = process.resourceUsage().maxRSS / 1024

/** Keyset pages of a thousand rows, with parsed payloads. */
const readRaw = () => {
  const page = database.prepare(
    "SELECT * FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT 1000",
  )
  const payload = page.columns().findIndex(({ name }) => name === "payload")
  let after = 0
  while (true) {
    const rows = page.all(after, last)
    for (const row of rows) JSON.parse(row[payload])
    if (rows.length < 1000) return
    after = rows.at(-1)[0]
  }
}
readRaw()
const raw = await spent(readRaw)
database.close()

process.stdout.write(JSON.stringify({ ...scored, peakMiB, rawMs: raw.ms, rawCpuMs: raw.cpuMs }))

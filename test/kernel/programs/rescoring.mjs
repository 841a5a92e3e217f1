/**
 * Scores all closed tasks of a log by a rubric, and kills itself (SIGKILL) when so many tasks' verdicts have been appended.
 *
 * Input: { filename, rubric, appends }.
 */
import * as fs from "node:fs"
import { Effect, Layer } from "effect"
import { EventLog, layerSqlite } from "../../../dist/events/index.js"
import { Projector, Scoring } from "../../../dist/index.js"

const { filename, rubric, appends } = JSON.parse(fs.readFileSync(0, "utf8"))

let appended = 0
const dying = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) => ({
    ...log,
    append: (request) =>
      Effect.tap(log.append(request), () => {
        appended += request.taskId === null ? 0 : 1
        if (appended === appends) process.kill(process.pid, "SIGKILL")
      }),
  })),
)

const layer = Scoring.layer.pipe(
  Layer.provideMerge(Projector.layer),
  Layer.provideMerge(dying),
  Layer.provideMerge(layerSqlite({ filename })),
)
const rescoring = Effect.flatMap(Scoring.Scoring, (scoring) => scoring.rescore({ rubric, label: "killed" }))
await Effect.runPromise(Effect.provide(rescoring, layer))

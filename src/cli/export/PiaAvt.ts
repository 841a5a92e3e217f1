/** The command `hindcast export piaavt`: events as log lines of the toolkit PiaAVT. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { Records } from "../../events/read/Records.ts"
import * as PiaAvtLines from "../../projections/exports/PiaAvtLines.ts"
import { defined } from "../../values/defined.ts"
import { flag, oneOf, optionalText } from "../command/CommonOptions.ts"
import * as EventExport from "./EventExport.ts"
import * as Selection from "./Selection.ts"

const ownOptions = {
  type: Selection.type,
  experiment: optionalText("experiment", "The experiment_id of the lines. Default: the log's file name"),
  timestamps: oneOf("timestamps", ["iso", "seconds"]).pipe(
    Options.withDescription(
      "iso (2026-03-01T12:00:00.000Z), which PiaAVT's loader requires; or seconds since 1970 as a number, which its scripts Goal_Dynamics_Analysis and task_performance_analysis subtract. Default: iso",
    ),
    Options.withDefault("iso"),
  ),
  aliases: flag(
    "aliases",
    "Also write `source` and `data`, the older names that PiaAVT's BasicAnalyzer and EventSequencer read",
  ),
}

export const piaavt = Command.make(
  "piaavt",
  { ...EventExport.options, ...ownOptions },
  ({ experiment, timestamps, aliases, ...typed }) =>
    EventExport.run(typed, {
      name: "piaavt",
      binary: false,
      takes: "decoded",
      encoder: ({ log, after, timeline }) =>
        Effect.map(agentsAt(typed.type.length === 0 ? after : undefined), (agents) => {
          const named = { experiment: Option.getOrElse(experiment, () => log), timeline }
          return PiaAvtLines.encoder({ ...named, timestamps, aliases, agents })
        }),
    }),
).pipe(
  Command.withDescription(
    "Write events as the log lines of the PiaAGI toolkit PiaAVT, in its vocabulary: tasks are goals, one JSON object per line",
  ),
)

/** The agent of each task opened up to a position; of all tasks without a position. */
const agentsAt = (until: number | undefined) =>
  Effect.gen(function* () {
    const agents = new Map<string, string>()
    if (until === 0) return agents
    const records = yield* Records
    const query = { types: ["TaskOpened"], ...defined({ until }) }
    yield* records.decoded(query, { decrypted: false }, (page) =>
      Effect.sync(() => {
        for (const { link, text } of page)
          if (link.taskId !== null) agents.set(link.taskId, String(JSON.parse(text).agent))
      }),
    )
    return agents
  })

/** The command `hindcast export piaavt`: events as log lines of the toolkit PiaAVT. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { Records } from "../../events/read/Records.ts"
import * as PiaAvtLines from "../../projections/exports/PiaAvtLines.ts"
import { oneOf, optionalText } from "../command/CommonOptions.ts"
import * as EventExport from "./EventExport.ts"
import * as Selection from "./Selection.ts"

const ownOptions = {
  type: Selection.type,
  experiment: optionalText("experiment", "What the lines say as experiment_id. Default: the log's file name"),
  timestamps: oneOf("timestamps", ["iso", "seconds"]).pipe(
    Options.withDescription("iso (2026-03-01T12:00:00.000Z), or seconds since 1970 as a number. Default: iso"),
    Options.withDefault("iso"),
  ),
}

/** `hindcast export piaavt` */
export const piaavt = Command.make(
  "piaavt",
  { ...EventExport.options, ...ownOptions },
  ({ experiment, timestamps, ...typed }) =>
    EventExport.run(typed, {
      ...{ name: "piaavt", binary: false, takes: "decoded" },
      encoder: ({ log, after }) =>
        Effect.map(agentsAt(typed.type.length === 0 ? after : undefined), (agents) =>
          PiaAvtLines.encoder({ experiment: Option.getOrElse(experiment, () => log), timestamps, agents }),
        ),
    }),
).pipe(Command.withDescription("Write events as the log lines of the PiaAGI toolkit PiaAVT, one JSON object a line"))

/** The agent of each task that was opened up to a position; of all tasks if no position is given. */
const agentsAt = (until: number | undefined) =>
  Effect.gen(function* () {
    const agents = new Map<string, string>()
    if (until === 0) return agents
    const records = yield* Records
    const query = { types: ["TaskOpened"], ...(until === undefined ? {} : { until }) }
    yield* records.decoded(query, { decrypted: false }, (page) =>
      Effect.sync(() => {
        for (const { link, text } of page)
          if (link.taskId !== null) agents.set(link.taskId, String(JSON.parse(text).agent))
      }),
    )
    return agents
  })

/** The command `hindcast export piaavt`: events as log lines of the toolkit PiaAVT. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { Records } from "../../events/read/Records.ts"
import * as PiaAvtLines from "../../projections/exports/PiaAvtLines.ts"
import { LEVELS, type LeastLevels, type Level } from "../../projections/exports/piaavt/LogLevel.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag, oneOf, optionalText, repeatedText } from "../command/CommonOptions.ts"
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
  level: repeatedText(
    "level",
    `Only lines of this level or a more severe one (${LEVELS.join(", ")}); NAME=LEVEL for a plugin, a component or an agent, such as room=TRACE`,
  ),
  aliases: flag(
    "aliases",
    "Also write `source` and `data`, the older names that PiaAVT's BasicAnalyzer and EventSequencer read",
  ),
}

export const piaavt = Command.make(
  "piaavt",
  { ...EventExport.options, ...ownOptions },
  ({ experiment, timestamps, aliases, level, ...typed }) =>
    Effect.flatMap(levelsOf(level), (levels) => {
      let leftOut = 0
      const onLeftOut = () => {
        leftOut += 1
      }
      return EventExport.run(typed, {
        name: "piaavt",
        binary: false,
        takes: "decoded",
        leftOut: () => leftOut,
        encoder: ({ log, after, timeline }) =>
          Effect.map(agentsAt(typed.type.length === 0 ? after : undefined), (agents) => {
            const named = { experiment: Option.getOrElse(experiment, () => log), timeline }
            return PiaAvtLines.encoder({ ...named, timestamps, aliases, agents, levels, onLeftOut })
          }),
      })
    }),
).pipe(
  Command.withDescription(
    "Write events as the log lines of the PiaAGI toolkit PiaAVT, in its vocabulary: tasks are goals, one JSON object per line",
  ),
)

/** The least levels of `--level`. Without one for all, single modules may have fewer lines than the rest, which has all. */
const levelsOf = (typed: ReadonlyArray<string>): Effect.Effect<LeastLevels, BadInput> =>
  Effect.gen(function* () {
    let least: Level = LEVELS[0]
    const of = new Map<string, Level>()
    for (const one of typed) {
      const split = one.lastIndexOf("=")
      const [name, word] = split < 0 ? [undefined, one] : [one.slice(0, split), one.slice(split + 1)]
      const level = LEVELS.find((known) => known === word.toUpperCase())
      if (level === undefined || name === "")
        return yield* new BadInput({
          input: "--level",
          expected: `${LEVELS.join(", ")}, or NAME= with one of these`,
          found: one,
        })
      if (name === undefined) least = level
      else of.set(name, level)
    }
    return { least, of }
  })

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

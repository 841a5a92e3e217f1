/** The command `hindcast export trajectories`: the episodes of worlds, for learning, also as a data set of Minari. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import { encode } from "../../../projections/exports/Encoder.ts"
import * as Trajectory from "../../../projections/exports/trajectories/Trajectory.ts"
import * as TrajectoryRows from "../../../projections/exports/trajectories/TrajectoryRows.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../../projections/state/PluginRegistry.ts"
import * as TaskList from "../../../projections/state/TaskList.ts"
import { BadInput, NothingListed } from "../../command/BadInput.ts"
import { common, oneOf, optionalText } from "../../command/CommonOptions.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as TimelineOption from "../../command/TimelineOption.ts"
import { count, size } from "../../terminal/Text.ts"
import * as ExportSummary from "../ExportSummary.ts"
import * as OutputFile from "../OutputFile.ts"
import * as OutputFormat from "../OutputFormat.ts"
import * as Minari from "./Minari.ts"

/** The formats in one file; the first is the default. */
export const FILE_FORMATS = ["jsonl", "csv", "parquet"] as const

const MINARI = "minari"

const options = {
  ...common,
  ...OutputFile.outputOptions,
  format: oneOf("format", [...FILE_FORMATS, MINARI]).pipe(
    Options.withDescription(
      "jsonl (a line per episode), csv or parquet (a row per step), or minari (a data set in the directory --output). Default: by the end of the file's name, jsonl if it has none",
    ),
    Options.optional,
  ),
  plugin: optionalText("plugin", "Only episodes of this plugin's world. Default: all; a data set of Minari holds one"),
  id: optionalText("id", "With minari: the id of the data set, such as cartpole/mine-v0. Default: hindcast/WORLD-v0"),
  data: oneOf("data", Minari.DATA).pipe(
    Options.withDescription("With minari: parquet or hdf5 (requires the package h5wasm). Default: parquet"),
    Options.optional,
  ),
  timeline: TimelineOption.timeline,
  decrypt: OpenLog.decrypt,
}

export const trajectories = Command.make(
  "trajectories",
  options,
  ({ log: named, json, output, force, format: typed, plugin, id, data, timeline, decrypt }) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { position } = yield* log.head
      const counts = { episodes: 0, steps: 0, leftOut: new Map<string, number>() }
      const episodes = Stream.fromIterableEffect(TaskList.ids(log)).pipe(
        Stream.mapEffect((taskId) => ofTask(log, taskId, position)),
        Stream.filter(
          (ended) => !(Trajectory.isTrajectory(ended) && Option.isSome(plugin) && ended.world !== plugin.value),
        ),
        Stream.tap((ended) =>
          Effect.sync(() => {
            if (!Trajectory.isTrajectory(ended))
              return void counts.leftOut.set(ended.reason, (counts.leftOut.get(ended.reason) ?? 0) + 1)
            counts.episodes += 1
            counts.steps += ended.steps.length
          }),
        ),
        Stream.filter(Trajectory.isTrajectory),
      )
      if (Option.isSome(plugin)) {
        const registry = yield* (yield* Projector).stateAt(PluginRegistry.projection, position)
        const worlds = yield* worldsIn(log, position)
        if (!Object.hasOwn(registry, plugin.value) && !worlds.has(plugin.value))
          return yield* new NothingListed({
            expected: `an episode of ${plugin.value}`,
            found:
              worlds.size === 0 ? "no episode of any world" : `none; there are episodes of ${[...worlds].join(", ")}`,
          })
      }
      const about = () => ({ leftOut: Object.fromEntries(counts.leftOut), head: { position } })
      if (Option.contains(typed, MINARI)) {
        const projector = yield* Projector
        const registry = yield* projector.stateAt(PluginRegistry.projection, position)
        const set = {
          root: output,
          id: Option.getOrUndefined(id),
          data: Option.getOrElse(data, () => Minari.DATA[0]),
          force,
          manifestOf: Minari.manifestIn(registry),
        }
        if (output === "-")
          return yield* new BadInput({
            input: "--output -",
            expected: "a directory for the data set",
            found: "the standard output",
          })
        const written = yield* Minari.write(set, ({ add }) => Stream.runForEach(episodes, add))
        const summary = { ...written, format: MINARI, data: set.data, ...about() }
        return yield* ExportSummary.printSummary({ output, json }, summary, minariLine(summary))
      }
      for (const [name, given] of [
        ["--id", id],
        ["--data", data],
      ] as const)
        if (Option.isSome(given))
          return yield* new BadInput({ input: name, expected: "--format minari with it", found: "another format" })
      const format = yield* OutputFormat.choose(
        output,
        Option.filter(typed, (one): one is (typeof FILE_FORMATS)[number] => one !== MINARI),
        FILE_FORMATS,
      )
      const encoder =
        format === "parquet"
          ? () => TrajectoryRows.table({ "hindcast.log": path.basename(log.name), "hindcast.head": String(position) })
          : format === "csv"
            ? TrajectoryRows.csv
            : TrajectoryRows.lines
      // One episode at a time: its steps stay in memory until its last event.
      const pages = episodes.pipe(
        Stream.rechunk(1),
        Stream.map((episode) => [episode]),
      )
      const written = yield* OutputFile.writeAll(
        { file: output, force, log: log.name, binary: format === "parquet" },
        encode(encoder, pages),
      )
      const { episodes: all, steps } = counts
      const summary = { ...written, format, episodes: all, steps, ...about() }
      yield* ExportSummary.printSummary({ output, json }, summary, fileLine(summary))
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forSharing(named, { decrypted: decrypt }))),
).pipe(
  Command.withDescription(
    "Write the episodes of worlds for learning: observations, actions, rewards, flags (Minari, Parquet, CSV, JSON Lines)",
  ),
)

/** The plugins whose environments were reset. */
const worldsIn = (log: EventLog.Service, until: number) =>
  Effect.gen(function* () {
    const worlds = new Set<string>()
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: ["EnvironmentReset"], until }, (page) => {
      for (const event of page) if (is(event, "EnvironmentReset")) worlds.add(event.payload.plugin)
    })
    return worlds
  })

const ofTask = (log: EventLog.Service, taskId: string, until: number) =>
  Effect.gen(function* () {
    const builder = Trajectory.begin(taskId)
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId, until }, (page) => {
      for (const event of page) builder.add(event)
    })
    return builder.end()
  })

interface Summary {
  readonly episodes: number
  readonly steps: number
  readonly bytes: number
  readonly leftOut: { readonly [reason: string]: number }
}

const fileLine = ({ episodes, steps, bytes, file, leftOut }: Summary & OutputFile.Written): string =>
  [
    `Exported ${count(episodes, "episode")} with ${count(steps, "step")} (${size(bytes)}) to ${file}.`,
    ...leftOutLine(leftOut),
  ].join(" ")

const minariLine = ({
  id,
  directory,
  episodes,
  steps,
  bytes,
  leftOut,
  otherSpaces,
}: Summary & Minari.Written): string =>
  [
    `Exported ${count(episodes, "episode")} with ${count(steps, "step")} (${size(bytes)}) as ${id} to ${directory}.`,
    ...(otherSpaces === 0
      ? []
      : [`${count(otherSpaces, "episode")} had other spaces than the first and was left out.`]),
    ...leftOutLine(leftOut),
  ].join(" ")

const leftOutLine = (leftOut: Summary["leftOut"]): ReadonlyArray<string> => {
  const reasons = Object.entries(leftOut).map(([reason, times]) => `${times} (${reason})`)
  return reasons.length === 0 ? [] : [`Left out ${reasons.join(", ")} of the tasks.`]
}

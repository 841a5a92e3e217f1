/** The command `hindcast export agent-trace`: which agent wrote which lines, as records of Agent Trace 0.1. */
import { Command } from "@effect/cli"
import { Effect, Option, Stream } from "effect"
import * as AgentTraceRecords from "../../workspace/attributions/AgentTraceRecords.ts"
import { BadInput } from "../command/BadInput.ts"
import { optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ExportSummary from "../export/ExportSummary.ts"
import * as OutputFile from "../export/OutputFile.ts"
import * as OutputFormat from "../export/OutputFormat.ts"
import * as FilesOptions from "../files/FilesOptions.ts"
import * as OpenedFiles from "../files/OpenedFiles.ts"
import * as Attributed from "./Attributed.ts"

export const agentTrace = Command.make(
  "agent-trace",
  {
    ...FilesOptions.common,
    ...OutputFile.outputOptions,
    commit: optionalText(
      "commit",
      "Only the lines that this commit added, in the repository around the working directory",
    ),
    at: FilesOptions.at,
    task: FilesOptions.task,
  },
  ({ log, json, output, force, commit, at, task }) =>
    Effect.gen(function* () {
      yield* OutputFormat.check("--output", output, "jsonl")
      if (Option.isSome(commit) && Option.isSome(at))
        return yield* new BadInput({ input: "--commit", expected: "no --at with it", found: "both: choose one" })
      const recorded = yield* OpenedFiles.open({ at, task })
      const found = Option.isSome(commit)
        ? yield* Attributed.ofCommit(recorded, yield* Attributed.repository, commit.value)
        : yield* Attributed.atMoment(recorded)
      const { timeline, position } = recorded
      const { records, leftOut } = AgentTraceRecords.of(found.files, { ...found, timeline, position })
      const lines = records.map((record) => `${JSON.stringify(record)}\n`)
      const written = yield* OutputFile.writeAll(
        { file: output, force, log: recorded.log.name },
        Stream.fromIterable(lines),
      )
      const summary = { ...written, records: records.length, ...Attributed.summaryOf(found, leftOut) }
      yield* ExportSummary.printSummary(
        { output, json },
        summary,
        Attributed.summaryLine(summary, `, in ${summary.records} records of Agent Trace`),
      )
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forSharing(log, { decrypted: false }))),
).pipe(Command.withDescription("Write which agent wrote which lines, as records of Agent Trace 0.1 in JSON Lines"))

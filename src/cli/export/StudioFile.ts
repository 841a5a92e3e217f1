/** The command `hindcast export studio`: tasks with the time-travel debugger as one HTML file that opens offline. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Layer, Option, Stream } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as Confirmations from "../../kernel/gate/Confirmations.ts"
import * as TimeTravel from "../../projections/timetravel/TimeTravel.ts"
import * as SharedAnswers from "../../studio/shared/SharedAnswers.ts"
import * as SharedFile from "../../studio/shared/SharedFile.ts"
import { argument, common, flag, TASK, wholeNumber } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import { count, size } from "../terminal/Text.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as OutputFormat from "./OutputFormat.ts"

export const studioFile = Command.make(
  "studio",
  {
    ...common,
    ...OutputFile.outputOptions,
    tasks: argument("task", `The tasks to share. ${TASK}`).pipe(Args.atLeast(1)),
    at: wholeNumber("at", 1).pipe(
      Options.withDescription("The position at which the file opens. Default: the worst moment of the first task"),
      Options.optional,
    ),
    decrypt: OpenLog.decrypt,
    personal: flag("personal", "The former name of --decrypt"),
    timeline: TimelineOption.timeline,
  },
  ({ log: named, json, output, force, tasks: typed, at, decrypt, personal: older, timeline }) =>
    Effect.gen(function* () {
      const { decrypted: personal } = yield* OpenLog.Shared
      yield* OutputFormat.check("--output", output, "html")
      const log = yield* EventLog
      const ids = [
        ...new Set(yield* Effect.forEach(typed, (text) => Ids.task(text)).pipe(TimelineOption.provide(timeline))),
      ]
      const on = Option.getOrElse(timeline, () => MAIN)
      const { html, events } = yield* SharedFile.document({
        tasks: ids.map((task) => ({ timeline: on, task })),
        ...(Option.isSome(at) ? { at: at.value } : {}),
        notes: personal ? [] : ["Personal data was left out of this file."],
      })
      const written = yield* OutputFile.writeAll({ file: output, force, log: log.name }, Stream.make(html))
      const summary = { ...written, tasks: ids, events, personal }
      const line = `Wrote ${count(ids.length, "task")} with ${count(events, "event")} (${size(written.bytes)}) to ${output}: one page, which every browser opens offline.`
      yield* ExportSummary.printSummary({ output, json }, summary, line)
    }).pipe(
      Effect.provide(SharedAnswers.layer),
      Effect.provide(
        Layer.provideMerge(
          Layer.merge(Confirmations.layer, TimeTravel.layer),
          OpenLog.forSharing(named, { decrypted: decrypt || older }),
        ),
      ),
    ),
).pipe(Command.withDescription("Write tasks, with the debugger that shows them, as one HTML file that opens offline"))

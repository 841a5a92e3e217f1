/** The commands `hindcast files history` and `why`: the versions of a file, and the causes of the last one. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import * as Origin from "../../workspace/history/Origin.ts"
import * as OriginDocument from "../../workspace/questions/OriginDocument.ts"
import * as RecordedVersions from "../../workspace/questions/RecordedVersions.ts"
import { wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as FileLines from "../pages/files/FileLines.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

const options = { ...FilesOptions.common, file: FilesOptions.file, at: FilesOptions.at, task: FilesOptions.task }

const limit = wholeNumber("limit", 1).pipe(
  Options.withDescription("Show at most this many: the last ones. Default: all"),
  Options.optional,
)

export const history = Command.make("history", { ...options, limit }, ({ log, json, file, at, task, limit }) =>
  Effect.gen(function* () {
    const recorded = yield* OpenedFiles.open({ at, task })
    const found = yield* RecordedVersions.originsOf(recorded, file, Option.getOrUndefined(limit))
    yield* Output.show(json, RecordedVersions.document(recorded, found), (style) => [
      ...FileLines.history(style, found.shown),
      ...(found.earlier === undefined ? [] : [style.dim(howToContinue(found.earlier, task))]),
    ])
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Every version of a file, with its time and call"))

/** The earlier versions, under the name that the file had then. */
const howToContinue = ({ count, path, at }: RecordedVersions.Earlier, task: Option.Option<string>): string => {
  const ofTask = Option.match(task, { onNone: () => "", onSome: (id) => ` --task ${quoteWord(id)}` })
  return `${count} earlier; \`hindcast files history ${quoteWord(path)} --at ${quoteWord(at)}${ofTask}\` shows them.`
}

export const why = Command.make("why", options, ({ log, json, file, at, task }) =>
  Effect.gen(function* () {
    const recorded = yield* OpenedFiles.open({ at, task })
    const { path, version: last } = yield* RecordedVersions.lastOf(recorded, file)
    const origin = yield* Origin.finder(recorded.log).originOf(last.look)
    const chain = yield* (yield* TimeTravel).why(last.look.event.id)
    const document = { root: recorded.root, path, version: OriginDocument.ofVersion(last, origin), chain }
    yield* Output.show(json, document, (style) => [
      FileLines.last(style, last, origin),
      ...EventPage.chain(style, chain),
    ])
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Why a file is as it is: its last change, and the causes up to the prompt"))

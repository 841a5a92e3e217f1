/** The commands `hindcast files history` and `why`: the versions of a file, and the causes of the last one. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as FileVersions from "../../workspace/history/FileVersions.ts"
import * as Origin from "../../workspace/history/Origin.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as FileLines from "../pages/files/FileLines.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OriginDocument from "./OriginDocument.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

const options = { ...FilesOptions.common, file: FilesOptions.file, at: FilesOptions.at, task: FilesOptions.task }

const versionsOf = (recorded: RecordedFiles.RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const path = yield* RecordedFiles.pathOf(recorded, typed)
    const { looks, entryIn } = recorded
    return { path, versions: yield* RecordedFiles.reading(() => FileVersions.of(looks, path, entryIn)) }
  })

export const history = Command.make("history", options, ({ log, json, file, at, task }) =>
  Effect.gen(function* () {
    const recorded = yield* RecordedFiles.open({ log, at, task })
    const { path, versions } = yield* versionsOf(recorded, file)
    const { originOf } = Origin.finder(recorded.log)
    const found = yield* Effect.forEach(versions, (version) =>
      Effect.map(originOf(version.look), (origin) => ({ version, origin })),
    )
    const { root, timeline, position } = recorded
    const document = {
      root,
      path,
      timeline,
      at: position,
      versions: found.map(({ version, origin }) => OriginDocument.ofVersion(version, origin)),
    }
    yield* Output.show(json, document, (style) => FileLines.history(style, found))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Every version of a file, with its time and call"))

export const why = Command.make("why", options, ({ log, json, file, at, task }) =>
  Effect.gen(function* () {
    const recorded = yield* RecordedFiles.open({ log, at, task })
    const { path, versions } = yield* versionsOf(recorded, file)
    const last = versions.at(-1)
    if (last === undefined)
      return yield* new RecordedFiles.FileNotRecorded({ file, found: "no version of it", advice: "" })
    const origin = yield* Origin.finder(recorded.log).originOf(last.look)
    const chain = yield* (yield* TimeTravel).why(last.look.event.id)
    const document = { root: recorded.root, path, version: OriginDocument.ofVersion(last, origin), chain }
    yield* Output.show(json, document, (style) => [
      FileLines.last(style, last, origin),
      ...EventPage.chain(style, chain),
    ])
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Why a file is as it is: its last change, and the causes up to the prompt"))

/** The tools `file_blame` and `file_why`: the calls behind a file's lines, and behind its last change. */
import { Effect, Schema } from "effect"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import * as BlamedFile from "../../../workspace/history/BlamedFile.ts"
import * as FileBlame from "../../../workspace/history/FileBlame.ts"
import * as FileVersions from "../../../workspace/history/FileVersions.ts"
import * as Origin from "../../../workspace/history/Origin.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as RecordedContent from "../../files/RecordedContent.ts"
import * as RecordedFiles from "../../files/RecordedFiles.ts"
import * as EventPage from "../../pages/events/EventPage.ts"
import * as BlameLines from "../../pages/files/BlameLines.ts"
import * as FileLines from "../../pages/files/FileLines.ts"
import * as OriginLines from "../../pages/files/OriginLines.ts"
import * as Style from "../../terminal/Style.ts"
import * as Answer from "../server/Answer.ts"
import * as Tool from "../server/Tool.ts"
import * as FileArguments from "./FileArguments.ts"

const { at, file, first, last, task } = FileArguments

const versionsOf = (recorded: RecordedFiles.RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const path = yield* RecordedFiles.pathOf(recorded, typed)
    const versions = yield* RecordedFiles.reading(() => FileVersions.of(recorded.looks, path, recorded.entryIn))
    return { path, versions }
  })

interface Blamed {
  readonly first?: number
  readonly last?: number
  readonly read: boolean
}

const blamed = (recorded: RecordedFiles.RecordedFiles, typed: string, range: Blamed) =>
  Effect.gen(function* () {
    const { path, versions } = yield* versionsOf(recorded, typed)
    const present = yield* RecordedContent.textAt(recorded, path)
    const all = yield* RecordedFiles.reading(() => FileBlame.of(versions, present, recorded.store))
    const { from, to } = yield* FileArguments.rangeOf(range, all.lines.length)
    const found = yield* BlamedFile.of(recorded.log, versions, all, { first: from, last: to, read: range.read })
    return { path, versions, from, found }
  })

/** Maximum size of the lines, in bytes: their origins follow. */
const LINES_BYTES = 9_000

export const blame = Tool.make({
  name: "file_blame",
  title: "Which call wrote each line of a file",
  description:
    "The lines of a recorded file at a moment, each with the position of the change that it comes from; then, for each change, the call, its decision, its approval and the prompt. `read` adds what the agent had read of the file before, and whether it changed since (a stale read).",
  input: Schema.Struct({
    file,
    at,
    first,
    last,
    read: Tool.optional(Schema.Boolean.annotations({ description: "Add what the agent had read of the file before" })),
    task,
  }),
  run: (args) =>
    Effect.gen(function* () {
      const recorded = yield* FileArguments.open(args)
      const { path, from, found } = yield* blamed(recorded, args.file, { ...args, read: args.read === true })
      const rows = BlameLines.rows(Style.plain, found)
      const shown = Answer.cut(rows, LINES_BYTES)
      const seen = { ...found, lines: found.lines.slice(0, shown.lines.length) }
      const rest = Answer.cut(BlameLines.notes(Style.plain, seen), Answer.MAX_BYTES - LINES_BYTES)
      const at = FileArguments.momentOf(recorded)
      const { foot = [], next = [] } = FileArguments.continued("file_blame", { ...args, at }, { from, shown })
      return {
        head: [`${path} at ${at}:`],
        lines: [...shown.lines, ...rest.lines],
        foot: [...foot, ...(rest.remaining === 0 ? [] : ["More origins: ask for fewer lines with first and last."])],
        next,
      }
    }).pipe(Effect.scoped),
})

export const why = Tool.make({
  name: "file_why",
  title: "Why a file, or a line of it, is as it is",
  description:
    "The last change of a recorded file, or the one that a line comes from: its call, decision, approval and prompt, then the chain of causes, a line each.",
  input: Schema.Struct({
    file,
    line: Tool.optional(Tool.wholeNumber("The number of a line: why it is there")),
    at,
    task,
    skip: Tool.skip,
  }),
  run: ({ skip = 0, ...args }) =>
    Effect.gen(function* () {
      const recorded = yield* FileArguments.open(args)
      const version = yield* args.line === undefined
        ? lastOf(recorded, args.file)
        : versionOfLine(recorded, args.file, args.line)
      const origin = yield* Origin.finder(recorded.log).originOf(version.look)
      const chain = yield* (yield* TimeTravel).why(version.look.event.id)
      const lines = [
        FileLines.last(Style.plain, version, origin),
        ...OriginLines.paragraph(Style.plain, version.look, origin),
        ...EventPage.chain(Style.plain, chain),
      ]
      return Answer.page(lines, skip, { tool: "file_why", args: { ...args, at: FileArguments.momentOf(recorded) } })
    }).pipe(Effect.scoped),
})

const lastOf = (recorded: RecordedFiles.RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const last = (yield* versionsOf(recorded, typed)).versions.at(-1)
    return last ?? (yield* new RecordedFiles.FileNotRecorded({ file: typed, found: "no version of it", advice: "" }))
  })

const versionOfLine = (recorded: RecordedFiles.RecordedFiles, typed: string, line: number) =>
  Effect.gen(function* () {
    const { found } = yield* blamed(recorded, typed, { first: line, last: line, read: false })
    const [one] = found.lines
    const version = one && BlamedFile.versionOf(one.from)
    if (version !== undefined) return version
    return yield* new BadInput({
      input: "line",
      expected: "a line of a recorded version",
      found: `line ${line}, whose origin is not known`,
    })
  })

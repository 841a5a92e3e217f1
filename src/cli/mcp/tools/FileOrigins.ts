/** The tools `file_blame` and `file_why`: the calls behind a file's lines, and behind its last change. */
import { Effect, Schema } from "effect"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import * as Origin from "../../../workspace/history/Origin.ts"
import * as RecordedBlame from "../../../workspace/questions/RecordedBlame.ts"
import * as RecordedVersions from "../../../workspace/questions/RecordedVersions.ts"
import * as EventPage from "../../pages/events/EventPage.ts"
import * as BlameLines from "../../pages/files/BlameLines.ts"
import * as FileLines from "../../pages/files/FileLines.ts"
import * as OriginLines from "../../pages/files/OriginLines.ts"
import * as Style from "../../terminal/Style.ts"
import * as Answer from "../server/Answer.ts"
import * as Tool from "../server/Tool.ts"
import * as FileArguments from "./FileArguments.ts"

const { at, file, first, last, task } = FileArguments

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
      const { first, last, read = false } = args
      const { path, from, blamed: found } = yield* RecordedBlame.of(recorded, args.file, { first, last, read })
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
      const { version } = yield* args.line === undefined
        ? RecordedVersions.lastOf(recorded, args.file)
        : RecordedBlame.versionOfLine(recorded, args.file, args.line)
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

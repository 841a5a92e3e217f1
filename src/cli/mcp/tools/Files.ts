/** The tools `files`, `file` and `file_diff`: recorded files at a moment, and how they differ between two. */
import { Effect, Schema } from "effect"
import * as Content from "../../../workspace/history/Content.ts"
import type { Look } from "../../../workspace/history/Looks.ts"
import type { Entry } from "../../../workspace/model/Entry.ts"
import * as FilesBetween from "../../../workspace/questions/FilesBetween.ts"
import * as ListedFiles from "../../../workspace/questions/ListedFiles.ts"
import * as RecordedContent from "../../../workspace/questions/RecordedContent.ts"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as DiffLines from "../../pages/files/DiffLines.ts"
import * as FileLines from "../../pages/files/FileLines.ts"
import * as Style from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import * as Answer from "../server/Answer.ts"
import * as Tool from "../server/Tool.ts"
import * as FileArguments from "./FileArguments.ts"

const { at, file, first, last, task } = FileArguments

export const files = Tool.make({
  name: "files",
  title: "The recorded files at a moment",
  description:
    "The files of a coding agent's directory at a moment: a line each, with the position of its last change, its size and its path. file shows one, file_diff what changed.",
  input: Schema.Struct({
    at,
    under: Tool.optional(Tool.text("Only files whose path begins with this, such as src/")),
    task,
    skip: Tool.skip,
  }),
  run: ({ skip = 0, ...args }) =>
    Effect.gen(function* () {
      const recorded = yield* FileArguments.open(args)
      const tree = yield* RecordedContent.treeAfter(recorded, recorded.looks)
      const changed = changedIn(recorded.looks)
      const { under = "" } = args
      const rows = ListedFiles.sorted(tree).filter(([path]) => path.startsWith(under))
      const lines = rows.map(([path, entry]) => row(path, entry, changed.get(path) ?? changed.get("") ?? 0))
      const answer = Answer.page(
        lines,
        skip,
        { tool: "files", args: { ...args, at: FileArguments.momentOf(recorded) } },
        "file",
      )
      return { head: [headOf(recorded)], ...answer, foot: answer.foot ?? [Text.count(lines.length, "file")] }
    }).pipe(Effect.scoped),
})

const headOf = (recorded: RecordedFiles.RecordedFiles) =>
  `Files of ${recorded.root} at ${FileArguments.momentOf(recorded)}${recorded.stopped === undefined ? "" : `, as last seen. No snapshot could be taken since, so that later changes are unknown: ${Text.oneLine(recorded.stopped.reason)}`}:`

/** The position of each file's last change; at the empty path, that of the first look. */
const changedIn = (looks: ReadonlyArray<Look>): ReadonlyMap<string, number> => {
  const changed = new Map([["", looks[0]?.event.position ?? 0]])
  for (const { event, files } of looks) for (const { path } of files) changed.set(path, event.position)
  return changed
}

const row = (path: string, { kind, mode, size, omitted }: Entry, position: number): string =>
  [
    `@${position}`,
    kind === "link" ? "link" : ListedFiles.octal(mode),
    Text.size(size),
    Text.oneLine(path),
    ...(omitted === undefined ? [] : [`(without its content: ${omitted})`]),
  ].join("  ")

export const show = Tool.make({
  name: "file",
  title: "A recorded file's text at a moment",
  description:
    "The lines of a text file as it was at a moment, with their numbers; `first` and `last` choose a range. file_blame names the call behind each line.",
  input: Schema.Struct({ file, at, first, last, task }),
  run: (args) =>
    Effect.gen(function* () {
      const recorded = yield* FileArguments.open(args)
      const path = yield* RecordedFiles.pathOf(recorded, args.file)
      const text = Content.textOf(yield* RecordedContent.textAt(recorded, path))
      const all = text.replace(/\n$/, "").split("\n")
      const { from, to } = yield* FileArguments.rangeOf(args, text === "" ? 0 : all.length)
      const numbered = all.slice(from - 1, to).map((line, index) => `${from + index}  ${FileLines.visible(line)}`)
      const shown = Answer.cut(text === "" ? [] : numbered)
      const changed = changedIn(recorded.looks)
      return {
        head: [
          `${path} at ${FileArguments.momentOf(recorded)}, last changed @${changed.get(path) ?? changed.get("") ?? 0}: ${Text.count(text === "" ? 0 : all.length, "line")}`,
        ],
        lines: shown.lines,
        ...FileArguments.continued("file", { ...args, at: FileArguments.momentOf(recorded) }, { from, shown }),
      }
    }).pipe(Effect.scoped),
})

export const diff = Tool.make({
  name: "file_diff",
  title: "How files differ between two moments",
  description:
    "Unified diffs of recorded files between two moments, each after the positions at which the file changed in between. `stat`: only numbers of lines.",
  input: Schema.Struct({
    from: Tool.moment("The first moment"),
    to: Tool.moment("The second moment"),
    file: Tool.optional(Tool.text("Only this file")),
    stat: Tool.optional(Schema.Boolean.annotations({ description: "Only the numbers of lines, for each file" })),
    task,
    skip: Tool.skip,
  }),
  run: ({ skip = 0, ...args }) =>
    Effect.gen(function* () {
      if (args.from === args.to)
        return yield* new BadInput({ input: "to", expected: "another moment than `from`", found: args.to })
      const found = yield* FilesBetween.load({
        a: args.from,
        b: args.to,
        file: args.file,
        taskId: yield* FileArguments.taskIdOf(args.task),
      })
      const { recorded, from, to } = found
      const [early, late] = [Math.min(from, to), Math.max(from, to)]
      const between = recorded.looks.filter(({ event }) => event.position > early && event.position <= late)
      const files = yield* FilesBetween.compared(found, args.stat === true)
      const lines = files.flatMap((one) => {
        const at = positionsOf(between, one.change.path)
        return args.stat === true
          ? [`${at}  ${DiffLines.stat(Style.plain, [one])[0] ?? ""}`]
          : [at, ...DiffLines.patch(Style.plain, one).split("\n")]
      })
      if (lines.length === 0) return { lines: [], foot: [`No file differs between @${from} and @${to}.`] }
      const momentAt = (position: number) => FileArguments.momentOf({ ...recorded, position })
      return Answer.page(lines, skip, { tool: "file_diff", args: { ...args, from: momentAt(from), to: momentAt(to) } })
    }).pipe(Effect.scoped),
})

/** Of a file's changes. */
const MAX_POSITIONS = 8

const positionsOf = (looks: ReadonlyArray<Look>, path: string): string => {
  const all = looks.filter(({ files }) => files.some((file) => file.path === path)).map(({ event }) => event.position)
  const shown = all.slice(-MAX_POSITIONS).map((position) => `@${position}`)
  return [...(all.length > shown.length ? ["…"] : []), ...shown].join(" ")
}

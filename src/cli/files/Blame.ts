/** The command `hindcast files blame`: which call wrote each line of a file. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect, Either, Option } from "effect"
import * as SmallFile from "../../platform/SmallFile.ts"
import * as Content from "../../workspace/history/Content.ts"
import * as RecordedBlame from "../../workspace/questions/RecordedBlame.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as BlameLines from "../pages/files/BlameLines.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

const file = argument("file[:line]", "The file, or one line of it: src/main.ts:12")

const read = flag("read", "Add how much of the file the agent had read before, and whether the file changed since")

const options = { ...FilesOptions.common, file, at: FilesOptions.at, task: FilesOptions.task, read }

export const blame = Command.make("blame", options, ({ log, json, file: typed, at, task, read }) =>
  Effect.gen(function* () {
    const recorded = yield* OpenedFiles.open({ at, task })
    const { name, line } = yield* placeOf(recorded, typed)
    const content = Option.isSome(at) ? undefined : yield* textNow(path.join(recorded.root, name), typed)
    const { blamed } = yield* RecordedBlame.of(recorded, name, { content, first: line, last: line, read })
    yield* Output.show(json, RecordedBlame.document(recorded, name, blamed), (style) => BlameLines.lines(style, blamed))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Each line of a file, and the call, decision, approval and prompt that it comes from"))

/** A file may have a colon in its name. */
const placeOf = (recorded: RecordedFiles.RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const [, before, digits] = LINE.exec(typed) ?? []
    if (before === undefined) return { name: yield* RecordedFiles.pathOf(recorded, typed), line: undefined }
    const whole = yield* Effect.either(RecordedFiles.pathOf(recorded, typed))
    if (Either.isRight(whole)) return { name: whole.right, line: undefined }
    return { name: yield* RecordedFiles.pathOf(recorded, before), line: Number(digits) }
  })

const LINE = /^(.+):(\d{1,9})$/s

const textNow = (file: string, typed: string) =>
  Effect.gen(function* () {
    const wrong = (found: string, advice?: string) =>
      new BadInput({ input: typed, expected: "a text file", found, ...(advice === undefined ? {} : { advice }) })
    const stats = yield* Effect.try({
      try: () => fs.lstatSync(file, { throwIfNoEntry: false }),
      catch: (cause) => wrong(cause instanceof Error ? cause.message : String(cause)),
    })
    const past = "--at MOMENT blames it as it was."
    if (stats === undefined) return yield* wrong("none now", past)
    if (stats.isSymbolicLink()) return yield* wrong("a symbolic link")
    // A fifo would never end.
    if (!stats.isFile()) return yield* wrong("something else", past)
    const bytes = yield* Effect.try({
      try: () => SmallFile.readUpTo(file, MAX_BYTES + 1),
      catch: (cause) => wrong(cause instanceof Error ? cause.message : String(cause)),
    })
    if (bytes.length > MAX_BYTES) return yield* wrong(`more than ${MAX_BYTES / 1024 / 1024} MiB`)
    return Content.isText(bytes) ? bytes : yield* wrong("a binary one")
  })

const MAX_BYTES = 16 * 1024 * 1024

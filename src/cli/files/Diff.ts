/** The command `hindcast files diff`: how files differ between two moments, as a unified diff. */
import { Args, Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { oneLine } from "../../values/PlainText.ts"
import type * as Content from "../../workspace/history/Content.ts"
import * as GitPatch from "../../workspace/history/GitPatch.ts"
import type * as Changes from "../../workspace/model/Changes.ts"
import * as FilesBetween from "../../workspace/questions/FilesBetween.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag, MOMENT } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as DiffLines from "../pages/files/DiffLines.ts"
import * as Text from "../terminal/Text.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

/** The contents of some changes are unknown. */
export class NotInPatch extends Data.TaggedError("NotInPatch")<{ readonly left: ReadonlyArray<GitPatch.NotWritable> }> {
  override get message() {
    const lines = this.left.map(({ path, why }) => `  ${oneLine(path)}: ${oneLine(why)}`)
    return `Expected the contents of all changes, found none of ${Text.count(lines.length, "file")}. Nothing was written. Name one FILE to have its patch.\n${lines.join("\n")}`
  }
}

const options = {
  ...FilesOptions.common,
  a: argument("a", MOMENT),
  b: argument("b", MOMENT),
  file: FilesOptions.file.pipe(Args.optional),
  task: FilesOptions.task,
  stat: flag("stat", "Only the numbers of lines, for each file"),
  word: flag("word", "Mark the words that differ, as [-old-]{+new+}, instead of whole lines"),
  patch: flag("patch", "Write a patch for `git apply`: exact bytes, binary contents included"),
}

export const diff = Command.make("diff", options, ({ json, stat, word, patch, ...asked }) =>
  Effect.gen(function* () {
    if (word && (json || stat || patch))
      return yield* new BadInput({
        input: "--word",
        expected: `no ${json ? "--json" : stat ? "--stat" : "--patch"} with it`,
        found: "both: choose one",
      })
    if (patch && (json || stat))
      return yield* new BadInput({
        input: "--patch",
        expected: `no ${json ? "--json" : "--stat"} with it`,
        found: "both: choose one",
      })
    const { a, b, file, task } = asked
    const taskId = yield* OpenedFiles.taskIdOf(task)
    const found = yield* FilesBetween.load({ a, b, file: Option.getOrUndefined(file), taskId })
    yield* OpenedFiles.warn(found.recorded)
    if (patch) return yield* writePatch(found.changes, found.recorded.store)
    if (json || stat) {
      const files = yield* FilesBetween.compared(found, stat)
      const document = FilesBetween.document(found, files, stat)
      return yield* Output.show(json, document, (style) => DiffLines.stat(style, files))
    }
    const style = Output.styleOf(process.stdout)
    const written = word ? DiffLines.wordPatch : DiffLines.patch
    yield* FilesBetween.forEach(found, (one) => Output.writeContent(written(style, one)))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(asked.log))),
).pipe(Command.withDescription("The differences of files between two moments, as a unified diff"))

/** Fails if the patch would leave out a change. */
const writePatch = (changes: ReadonlyArray<Changes.Change>, contents: Content.Contents) =>
  Effect.gen(function* () {
    const { bytes, left } = yield* RecordedFiles.reading(() => GitPatch.of(changes, contents))
    if (left.length > 0) return yield* new NotInPatch({ left })
    if (bytes.length === 0) return yield* Output.note("No file differs: the patch is empty.")
    yield* Output.writeBytes(bytes)
  })

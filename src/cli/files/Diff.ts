/** The command `hindcast files diff`: how files differ between two moments, as a unified diff. */
import { Args, Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import { oneLine } from "../../values/PlainText.ts"
import type * as Content from "../../workspace/history/Content.ts"
import * as GitPatch from "../../workspace/history/GitPatch.ts"
import * as Changes from "../../workspace/model/Changes.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, MOMENT } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as DiffLines from "../pages/files/DiffLines.ts"
import * as Text from "../terminal/Text.ts"
import * as ComparedFiles from "./ComparedFiles.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

/** The contents of some changes are unknown. */
export class NotInPatch extends Data.TaggedError("NotInPatch")<{ readonly left: ReadonlyArray<GitPatch.NotWritable> }> {
  override get message() {
    const lines = this.left.map(({ path, why }) => `  ${oneLine(path)}: ${oneLine(why)}`)
    return `Expected the contents of all changes, found none of ${Text.count(lines.length, "file")}. Nothing was written. Name one FILE to have its patch.\n${lines.join("\n")}`
  }
}

const options = {
  ...common,
  a: argument("a", MOMENT),
  b: argument("b", MOMENT),
  file: FilesOptions.file.pipe(Args.optional),
  task: FilesOptions.task,
  stat: flag("stat", "Only the numbers of lines, for each file"),
  patch: flag("patch", "Write a patch for `git apply`: exact bytes, binary contents included"),
}

export const diff = Command.make("diff", options, ({ log, json, a, b, file, task, stat, patch }) =>
  Effect.gen(function* () {
    if (patch && (json || stat))
      return yield* new BadInput({
        input: "--patch",
        expected: `no ${json ? "--json" : "--stat"} with it`,
        found: "both: choose one",
      })
    const [from, to] = [yield* Moment.locate(a), yield* Moment.locate(b)]
    if (from.timeline !== to.timeline)
      return yield* new BadInput({
        input: `${a} ${b}`,
        expected: "two moments of one timeline",
        found: `${from.timeline} and ${to.timeline}`,
      })
    const later = from.position > to.position ? a : b
    const recorded = yield* RecordedFiles.open({ log, at: Option.some(later), task })
    const only = Option.isSome(file) ? yield* RecordedFiles.pathOf(recorded, file.value) : undefined
    const treeAt = (position: number) => {
      const looks = recorded.looks.filter(({ event }) => event.position <= position)
      // Before the first snapshot, nothing is known.
      return looks.length === 0
        ? new RecordedContent.ContentNotRecorded({
            file: recorded.root,
            position,
            reason: `the first snapshot is at @${recorded.looks[0]?.event.position ?? 0}`,
          })
        : RecordedContent.treeAfter({ ...recorded, position }, looks)
    }
    const [before, after] = [yield* treeAt(from.position), yield* treeAt(to.position)]
    const changes = Changes.between(before, after).filter(
      (change) => only === undefined || change.path === only || (change.kind === "renamed" && change.from === only),
    )
    if (patch) return yield* writePatch(changes, recorded.store)
    const found = yield* RecordedFiles.reading(() => changes.map((change) => ComparedFiles.of(change, recorded.store)))
    const document = {
      root: recorded.root,
      timeline: to.timeline,
      from: from.position,
      to: to.position,
      files: found.map((one) => DiffLines.document(one, stat)),
    }
    if (json) return yield* Output.showDocument(true, document, [])
    if (stat) return yield* Output.show(false, document, (style) => DiffLines.stat(style, found))
    const style = Output.styleOf(process.stdout)
    for (const one of found) yield* Output.writeContent(DiffLines.patch(style, one))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("How files differ between two moments, as a unified diff"))

/** Fails if the patch would leave out a change. */
const writePatch = (changes: ReadonlyArray<Changes.Change>, contents: Content.Contents) =>
  Effect.gen(function* () {
    const { bytes, left } = yield* RecordedFiles.reading(() => GitPatch.of(changes, contents))
    if (left.length > 0) return yield* new NotInPatch({ left })
    if (bytes.length === 0) return yield* Output.note("No file differs: the patch is empty.")
    yield* Output.writeBytes(bytes)
  })

/** The command `hindcast files restore`: the recorded files of a moment, written to the disk again. */
import { Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { at } from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as RestoreInto from "../../workspace/restore/RestoreInto.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, MOMENT, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as Text from "../terminal/Text.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

/** Some recorded files are not on the disk, or not as they were recorded. */
export class NotAllRestored extends Data.TaggedError("NotAllRestored")<{
  readonly directory: string
  readonly restored: number
  readonly left: ReadonlyArray<RestoreInto.Left>
}> {
  override get message() {
    const { directory, restored, left } = this
    return `${oneLine(directory)}: expected to restore ${Text.count(restored + left.length, "file")}, restored ${restored}. Not restored:\n${linesOf(left).join("\n")}\n--partial accepts this.`
  }
}

const options = {
  ...common,
  moment: argument("moment", MOMENT),
  into: text("into", "The directory to write to: an empty one, or none yet"),
  partial: flag("partial", "Accept that some files cannot be restored: exit with 0, and name them"),
  task: FilesOptions.task,
}

export const restore = Command.make("restore", options, ({ log, json, moment, into, partial, task }) =>
  Effect.gen(function* () {
    const recorded = yield* RecordedFiles.open({ log, at: Option.some(moment), task })
    const tree = yield* RecordedContent.treeAfter(recorded, recorded.looks)
    const { directory, restored, left } = yield* written(into, () => RestoreInto.into(into, tree, recorded.store))
    if (left.length > 0 && !partial) return yield* new NotAllRestored({ directory, restored: restored.length, left })
    const { root, timeline, position } = recorded
    const document = { root, timeline, at: position, directory, restored: restored.length, left }
    const whole = Text.count(tree.size, "file")
    yield* Output.show(json, document, (style) => [
      left.length === 0
        ? `${style.good("Restored")}: ${whole} of ${at(position)} in ${oneLine(directory)}, each compared with its record`
        : `${style.warn("Restored in part")}: ${restored.length} of ${whole} of ${at(position)} in ${oneLine(directory)}. Not restored:`,
      ...linesOf(left),
    ])
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Write the recorded files of a moment to another directory: bytes, modes and links"))

const linesOf = (left: ReadonlyArray<RestoreInto.Left>): ReadonlyArray<string> =>
  left.map(({ path, why }) => `  ${oneLine(path)}: ${oneLine(why)}`)

/** Runs work that writes files below a directory. */
const written = <A>(input: string, work: () => A): Effect.Effect<A, RestoreInto.DirectoryUnfit | BadInput> =>
  Effect.try({
    try: work,
    catch: (cause) => {
      if (cause instanceof RestoreInto.DirectoryUnfit) return cause
      // The system's refusals have codes.
      if (!(cause instanceof Error && "code" in cause)) throw cause
      return new BadInput({ input, expected: "a directory to write to", found: cause.message })
    },
  })

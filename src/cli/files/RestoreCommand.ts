/** The command `hindcast files restore`: the recorded files of a moment, written to the disk again. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { at } from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as RestoredFiles from "../../workspace/questions/RestoredFiles.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag, MOMENT, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as RestoreLines from "../pages/files/RestoreLines.ts"
import * as Text from "../terminal/Text.ts"
import * as FilesOptions from "./FilesOptions.ts"
import { NotAllRestored } from "./NotAllRestored.ts"
import * as OpenedFiles from "./OpenedFiles.ts"
import * as RestoreInPlace from "./RestoreInPlace.ts"

const options = {
  ...FilesOptions.common,
  moment: argument("moment", `${MOMENT}. Absent with --undo`).pipe(Args.optional),
  into: optionalText("into", "The directory to write to: an empty one, or none yet"),
  inPlace: flag(
    "in-place",
    "Write over the current files of the workspace. Takes a snapshot, shows the changes and asks first",
  ),
  undo: flag("undo", "Go back to the files before the last restore --in-place of this workspace, in the same way"),
  yes: flag("yes", "Write over the current files without asking"),
  dryRun: flag("dry-run", "Only show what --in-place or --undo would change; record nothing"),
  partial: flag("partial", "Accept that some files cannot be restored: list them, and exit with 0"),
  trustLog: TrustLog.option,
  task: FilesOptions.task,
}

export const restore = Command.make("restore", options, (typed) =>
  Effect.gen(function* () {
    const { moment, into, inPlace, undo, yes, dryRun, trustLog, task } = typed
    const given = [
      ...(Option.isSome(into) ? ["--into"] : []),
      ...(inPlace ? ["--in-place"] : []),
      ...(undo ? ["--undo"] : []),
    ]
    if (given.length !== 1)
      return yield* wrong("one of --into DIR, --in-place and --undo", given.length === 0 ? "none" : given.join(" and "))
    if (undo !== Option.isNone(moment))
      return yield* wrong(
        undo ? "no moment with --undo" : "a moment",
        Option.getOrElse(moment, () => "none"),
      )
    if (undo && Option.isSome(task)) return yield* wrong("no --task with --undo", `--task ${task.value}`)
    if (Option.isNone(into)) return yield* RestoreInPlace.run(typed)
    const over = [...(yes ? ["--yes"] : []), ...(dryRun ? ["--dry-run"] : []), ...(trustLog ? ["--trust-log"] : [])]
    if (over.length > 0) return yield* wrong("--in-place or --undo", `${over.join(" and ")} with --into`)
    yield* writeInto({ ...typed, into: into.value, moment: Option.getOrElse(moment, () => "now") })
  }),
).pipe(
  Command.withDescription(
    "Write the recorded files of a moment, with their modes and links, to another directory or over the current files, after a snapshot of them",
  ),
)

const wrong = (expected: string, found: string) => new BadInput({ input: "files restore", expected, found })

interface Writing extends Pick<RestoreInPlace.Typed, "log" | "json" | "task" | "partial"> {
  readonly moment: string
  readonly into: string
}

const writeInto = ({ log, json, moment, into, partial, task }: Writing) =>
  Effect.gen(function* () {
    const recorded = yield* OpenedFiles.find({ at: Option.some(moment), task })
    const { directory, restored, left, root, timeline, at: position } = yield* RestoredFiles.into(recorded, into)
    if (left.length > 0 && !partial)
      return yield* new NotAllRestored({ directory, restored: restored.length, left, isAcceptable: true })
    const document = { root, timeline, at: position, directory, restored: restored.length, left }
    const whole = Text.count(restored.length + left.length, "file")
    yield* Output.show(json, document, (style) => [
      left.length === 0
        ? `${style.good("Restored")}: ${whole} of ${at(position)} in ${oneLine(directory)}, each verified against the recording`
        : `${style.warn("Restored in part")}: ${restored.length} of ${whole} of ${at(position)} in ${oneLine(directory)}. Not restored:`,
      ...RestoreLines.leftLines(left),
    ])
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log)))

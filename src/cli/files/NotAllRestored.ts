/** The error of a restore that left some files as they were. */
import { Data } from "effect"
import { oneLine } from "../../values/PlainText.ts"
import type { Left } from "../../workspace/restore/RestoreInto.ts"
import * as RestoreLines from "../pages/files/RestoreLines.ts"
import * as Text from "../terminal/Text.ts"

/** Some recorded files are not on the disk, or not as they were recorded. */
export class NotAllRestored extends Data.TaggedError("NotAllRestored")<{
  readonly directory: string
  readonly restored: number
  readonly left: ReadonlyArray<Left>
  /** Whether `--partial` would make it a success. */
  readonly isAcceptable: boolean
  /** Whether the restored files are gone again. */
  readonly isRemoved?: boolean
}> {
  override get message() {
    const { directory, restored, left, isAcceptable, isRemoved } = this
    return [
      `${oneLine(directory)}: expected to restore ${Text.count(restored + left.length, "file")}, restored ${restored}. Not restored:`,
      ...RestoreLines.leftLines(left),
      ...(isRemoved === true ? ["The restored files were removed again."] : []),
      isAcceptable
        ? "--partial accepts this."
        : "The restored files stay. Try again when no other program writes there.",
    ].join("\n")
  }
}

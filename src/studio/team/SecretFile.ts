/** Files of a shared Studio that others must not read or change: keys, secrets, accounts. */

import * as fs from "node:fs"
import { Data, Effect } from "effect"
import * as SmallFile from "../../platform/SmallFile.ts"

/** A file that the share file names is missing, unreadable, or open to other users. */
export class ShareFileRefused extends Data.TaggedError("ShareFileRefused")<{
  readonly file: string
  readonly expected: string
  readonly found: string
  readonly missing: boolean
}> {
  override get message() {
    return `${this.file}: expected ${this.expected}, found ${this.found}.`
  }
}

/** Every user may read (0o004), or the group or every user may write (0o022). */
const OPEN = 0o026

/** Reads a file's text. Fails if other users of the machine may read or change it. */
export const read = (file: string): Effect.Effect<string, ShareFileRefused> =>
  Effect.try({
    try: () => {
      const { mode } = fs.statSync(file)
      if (process.platform !== "win32" && (mode & OPEN) !== 0) {
        throw new Error(`the mode ${(mode & 0o777).toString(8).padStart(4, "0")} (use \`chmod 600\`)`)
      }
      return SmallFile.read(file)
    },
    catch: (cause) =>
      new ShareFileRefused({
        file,
        expected: "a file that other users can neither read nor change",
        found: SmallFile.isMissing(cause) ? "none" : cause instanceof Error ? cause.message : String(cause),
        missing: SmallFile.isMissing(cause),
      }),
  })

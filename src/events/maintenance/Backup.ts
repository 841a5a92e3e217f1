/** What copying a whole log takes and returns, and why a copy was not made. */

import { Data, Schema } from "effect"
import * as Options from "../../values/Options.ts"
import type { OpenError } from "../log/EventLog.ts"
import type { LeaseHeld } from "../log/Lease.ts"
import type { Head } from "../vocabulary/Event.ts"

/** Called with the number of pages that were copied, and of all. */
export type OnPages = (copied: number, of: number) => void

/** Fix the call, or repair the source: nothing was copied, and what was there is as it was. */
export class NotCopied extends Data.TaggedError("NotCopied")<{
  readonly log: string
  readonly to: string
  readonly expected: string
  readonly found: string
  /** An additional hint: one sentence. */
  readonly advice?: string
}> {
  override get message() {
    const { log, to, expected, found, advice } = this
    return `${log} was not copied to ${to}: expected ${expected}, found ${found}.${advice === undefined ? "" : ` ${advice}`}`
  }
}

/** Options of `backup` and `restore`. */
export interface CopyOptions {
  /** The log that is copied. */
  readonly from: string
  /** The name of the copy. Files beside it get its name too, such as `copy.db.segments`. */
  readonly to: string
  /** Whether the keys of personal data are copied. Whoever has them reads the personal fields. Default: false. */
  readonly withKeys?: boolean
  /** Whether a file that is there already is replaced, with all that belongs to it. Default: false. */
  readonly replace?: boolean
  /** Called while the events are copied, with the number of pages that were copied, and of all. */
  readonly onPages?: OnPages
}

/** Schema of `CopyOptions`. */
export const CopyOptions = Options.of<CopyOptions>({
  required: { from: Options.Path, to: Options.Path },
  optional: { withKeys: Schema.Boolean, replace: Schema.Boolean, onPages: Options.callable<OnPages>() },
})

/** What was copied. */
export interface Copied {
  readonly file: string
  /** The head of the copy: that of the log when the copy began, or a later one. */
  readonly head: Head
  readonly events: number
  readonly bytes: number
  /** The copied segments. */
  readonly segments: ReadonlyArray<string>
  readonly plugins: boolean
  readonly keys: boolean
  /**
   * Whether the copy is this user's own log under its name: a restored backup that this user made, on this machine, of a log of
   * their own. False for a backup: a copy has a name that no log of the user's has.
   */
  readonly own: boolean
}

/** Why a backup or a restoration was not made. */
export type CopyError = Options.InvalidOptions | NotCopied | LeaseHeld | OpenError

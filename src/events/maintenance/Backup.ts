/** Options, results and errors of copying a whole log. */

import { Data, Schema } from "effect"
import * as Options from "../../values/Options.ts"
import type { OpenError } from "../log/EventLog.ts"
import type { LeaseHeld } from "../log/Lease.ts"
import { LogFileName } from "../log/LogFileName.ts"
import type { Head } from "../vocabulary/Event.ts"

/** Receives the number of copied pages, and of all pages. */
export type OnPages = (copied: number, of: number) => void

/** Fix the call or repair the source. Nothing was copied, and existing files are unchanged. */
export class NotCopied extends Data.TaggedError("NotCopied")<{
  readonly log: string
  readonly to: string
  readonly expected: string
  readonly found: string
  /** An additional hint, one sentence. */
  readonly advice?: string
}> {
  override get message() {
    const { log, to, expected, found, advice } = this
    return `${log} was not copied to ${to}: expected ${expected}, found ${found}.${advice === undefined ? "" : ` ${advice}`}`
  }
}

/** Options of `backup` and `restore`. */
export interface CopyOptions {
  readonly from: string
  /** The copy's name, which files next to it share, such as `copy.db.segments`. */
  readonly to: string
  /** Copies the keys of personal data too. Anyone who has them can read the personal fields. Default: false. */
  readonly withKeys?: boolean
  /** Replaces an existing file and everything that belongs to it. Default: false. */
  readonly replace?: boolean
  /** Called while events are copied, with the number of copied pages, and of all pages. */
  readonly onPages?: OnPages
}

/** Schema of `CopyOptions`. */
export const CopyOptions = Options.of<CopyOptions>({
  required: { from: LogFileName, to: LogFileName },
  optional: { withKeys: Schema.Boolean, replace: Schema.Boolean, onPages: Options.callable<OnPages>() },
})

/** The copied parts. */
export interface Copied {
  readonly file: string
  /** The copy's head: that of the log at the start of the copy, or a later one. */
  readonly head: Head
  readonly events: number
  readonly bytes: number
  readonly segments: ReadonlyArray<string>
  readonly plugins: boolean
  readonly keys: boolean
  /** The contents of recorded files. */
  readonly files: boolean
  /**
   * True if the copy is this user's own log under its name: a restored backup that this user made, on this machine, of
   * an own log. False for a backup, whose name belongs to no log.
   */
  readonly own: boolean
}

/** Errors of `backup` and `restore`. */
export type CopyError = Options.InvalidOptions | NotCopied | LeaseHeld | OpenError

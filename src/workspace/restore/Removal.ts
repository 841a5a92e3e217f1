/**
 * Decides whether a restore may remove a present file that the recorded tree lacks. Such a file need not be newer,
 * because a snapshot leaves out files that rules exclude and files that it cannot read, and not all of these rules are
 * recorded. A restore therefore removes a file only if two facts are known: a session found it at its path with its
 * present content, and a snapshot of the moment would have seen it. All other files stay. Pure.
 */

import type { Entry } from "../model/Entry.ts"
import { isUnfinished } from "./WrittenFile.ts"

export interface Evidence {
  /**
   * Whether a session found exactly this content there, or a restore wrote it. The present files before a restore prove
   * nothing.
   */
  readonly isSeen: (path: string, present: Entry) => boolean
  /** Whether snapshots of the moment may have left the path out. */
  readonly wasHidden: (path: string) => boolean
  /** Whether a restore wrote it when it left the moment, in a place where nothing was. */
  readonly wasAbsent: (path: string) => boolean
}

/** Why the file stays; undefined if it may go. */
export const whyNot = (path: string, present: Entry, evidence: Evidence): string | undefined => {
  // A killed restore left it.
  if (isUnfinished(path)) return undefined
  if (!evidence.isSeen(path, present))
    return "no session has recorded its present content, so that it may be your own work"
  if (evidence.wasAbsent(path) || !evidence.wasHidden(path)) return undefined
  return "it was ignored at that moment, or could not be read, so that nobody knows whether it was there"
}

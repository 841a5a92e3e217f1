/** The exit codes of the command line. */

export const ok = 0
/** A usage mistake or invalid input, which the caller can correct. */
export const badInput = 1
/** The log is damaged or was tampered with, or a replay diverged. */
export const damaged = 2
export const notFound = 3
/** A defect of Hindcast (`EX_SOFTWARE` of sysexits.h). */
export const bug = 70
/** Stopped by a signal, as shells report Ctrl-C. */
export const interrupted = 130

export const MEANINGS: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [ok, "ok"],
  [badInput, "usage or bad input"],
  [damaged, "tampered or diverged"],
  [notFound, "not found"],
  [bug, "a bug"],
  [interrupted, "interrupted"],
]

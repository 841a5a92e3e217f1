/** How a command that ran on files marks them, by the convention of `git bisect run`. Pure. */

/** `skip`: this state cannot be tested. */
export type Mark = "good" | "bad" | "skip"

export const MARKS = ["good", "bad", "skip"] as const satisfies ReadonlyArray<Mark>

/**
 * The mark for an exit code as a shell reports it: 0 is good, 125 skips the state, up to 127 is bad. A higher one, such
 * as that of a command that a signal ended, is `abort`: it ends the search.
 */
export const ofExitCode = (code: number): Mark | "abort" => {
  if (code === 0) return "good"
  if (code === SKIP) return "skip"
  return code > 0 && code <= LAST_BAD ? "bad" : "abort"
}

const SKIP = 125
const LAST_BAD = 127

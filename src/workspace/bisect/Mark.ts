/** Marks a state by a command's exit code, by the convention of `git bisect run`. Pure. */

/** `skip`: this state cannot be tested. */
export type Mark = "good" | "bad" | "skip"

export const MARKS = ["good", "bad", "skip"] as const satisfies ReadonlyArray<Mark>

/**
 * 0 is good, 125 skips the state, other codes up to 127 are bad. A higher code, such as that of a command that a signal
 * ended, is `abort`: it ends the search.
 */
export const ofExitCode = (code: number): Mark | "abort" => {
  if (code === 0) return "good"
  if (code === SKIP) return "skip"
  return code > 0 && code <= LAST_BAD ? "bad" : "abort"
}

const SKIP = 125
const LAST_BAD = 127

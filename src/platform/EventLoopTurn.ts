/** Tells apart the stretches in which this thread runs without a pause, such as all fibers that one commit resumes. */

/** A stretch is cut after so many milliseconds, so that what was looked at in it does not get old. */
const LONGEST_MS = 1

let number = 0
let startedAt = 0
let underWay = false

/**
 * The number of the stretch that runs now. While it stays the same, nothing reached this thread from outside (a message, a
 * file's content, a timer), so that what was read at its start is as good as what would be read again. A stretch ends
 * with the microtask that it began in, and after a millisecond at most: a call that blocks, such as `spawnSync`, takes longer.
 */
export const current = (): number => {
  const now = performance.now()
  if (now - startedAt > LONGEST_MS) {
    number += 1
    startedAt = now
  }
  if (!underWay) {
    underWay = true
    // Not `queueMicrotask`, which fake timers of an embedding program's tests replace: the stretch would never end.
    Promise.resolve().then(() => {
      underWay = false
      number += 1
      startedAt = performance.now()
    })
  }
  return number
}

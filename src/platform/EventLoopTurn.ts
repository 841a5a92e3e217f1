/** Numbers the turns in which this thread runs without a pause, such as all fibers that one commit resumes. */

/** A turn ends after this time, so that data read in it stays fresh. */
const MAX_TURN_MS = 1

let number = 0
let startedAt = 0
let underWay = false

/**
 * While the number stays the same, nothing reached this thread from outside (a message, a file's content, a timer):
 * data read before is still current. A turn ends with the microtask that it began in, and after a millisecond at most;
 * only a blocking call such as `spawnSync` takes longer.
 */
export const current = (): number => {
  const now = performance.now()
  if (now - startedAt > MAX_TURN_MS) {
    number += 1
    startedAt = now
  }
  if (!underWay) {
    underWay = true
    // Not `queueMicrotask`: fake timers in an embedding program's tests replace it, and the turn would never end.
    Promise.resolve().then(() => {
      underWay = false
      number += 1
      startedAt = performance.now()
    })
  }
  return number
}

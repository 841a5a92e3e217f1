import * as LeakyBucket from "../../platform/LeakyBucket.ts"

/** How many bytes a process may print, log or push in a second by default, beside its answers. */
export const OUTPUT_BYTES_PER_SECOND = 4 * 1024 * 1024

/** Seconds' worth of bytes that may come at once. */
const BURST_SECONDS = 2

/**
 * Keeps what a process says unasked from taking the host's time: most of it is left out of the log anyway. Who says more
 * than it may is not listened to until it has said no more than that on the average, and waits in its writes meanwhile.
 * Its answers wait with it: they are behind it in the same pipe.
 */
export const make = (bytesPerSecond: number, rest: (ms: number) => void): ((bytes: number) => void) => {
  const say = LeakyBucket.make(bytesPerSecond, BURST_SECONDS * bytesPerSecond)
  return (bytes) => {
    const ms = say(bytes)
    if (ms > 0) rest(ms)
  }
}

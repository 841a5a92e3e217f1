/** How many bytes a process may print or log in a second by default, beside its answers. */
export const OUTPUT_BYTES_PER_SECOND = 4 * 1024 * 1024

/** Seconds' worth of bytes that may come at once. */
const BURST_SECONDS = 2

/**
 * Keeps what a process prints and logs from taking the host's time: most of it is left out of the log anyway. Who says more
 * than it may is not listened to until it has said no more than that on the average, and waits in its writes meanwhile.
 * Its answers wait with it: they are behind it in the same pipe.
 */
export const make = (bytesPerSecond: number, rest: (ms: number) => void): ((bytes: number) => void) => {
  /** Bytes beyond what was allowed up to `asOf`. */
  let debt = 0
  let asOf = performance.now()
  return (bytes) => {
    const now = performance.now()
    debt = Math.max(0, debt - ((now - asOf) / 1000) * bytesPerSecond) + bytes
    asOf = now
    const excess = debt - BURST_SECONDS * bytesPerSecond
    if (excess > 0) rest(Math.ceil((excess / bytesPerSecond) * 1000))
  }
}

/** Rate-limits what a plugin process sends without being asked: printed output, log lines and pushed readings. */
import * as RateLimit from "../../values/time/RateLimit.ts"

/** Default limit on printed, logged and pushed bytes per second. Answers to calls do not count. */
export const OUTPUT_BYTES_PER_SECOND = 4 * 1024 * 1024

/** The burst allowance, in seconds' worth of bytes. */
const BURST_SECONDS = 2

/**
 * Rate-limits unsolicited output. When it exceeds the limit, `pause` stops reading of the process's outputs until the
 * average is below the limit again; the plugin then blocks on full pipes. Answers share the pipe, so they are delayed
 * too.
 */
export const make = (bytesPerSecond: number, pause: (ms: number) => void): ((bytes: number) => void) => {
  const rate = { perSecond: bytesPerSecond, burst: BURST_SECONDS * bytesPerSecond }
  let used = RateLimit.unused
  return (bytes) => {
    const next = RateLimit.next(rate, used, performance.now(), bytes)
    used = next.used
    if (next.waitMs > 0) pause(Math.ceil(next.waitMs))
  }
}

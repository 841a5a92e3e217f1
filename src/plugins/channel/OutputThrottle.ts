/** Limits the rate of a plugin's unsolicited output: printed text, log lines and pushed readings. */
import * as RateLimit from "../../values/time/RateLimit.ts"

/** Default limit in bytes per second. Answers to calls do not count. */
export const OUTPUT_BYTES_PER_SECOND = 4 * 1024 * 1024

/** Burst allowance, in seconds' worth of bytes. */
const BURST_SECONDS = 2

/**
 * Above the limit, `pause` stops reading the process's outputs until the average is below it again, and the plugin
 * blocks on full pipes. Answers share the pipe, so they are late too.
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

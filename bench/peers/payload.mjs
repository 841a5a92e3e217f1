/** The payload that every store stores. */

/** A reading of 267 bytes as JSON, the same as in bench/cases/log.mjs. */
export const payload = (index) => ({
  sensor: `room/sensor-${index % 50}`,
  reading: { value: index, text: "x".repeat(150), flags: [true, false, null] },
  priority: 0,
  latencyMs: 1.25,
})

/** `count` payloads, numbered from `from`. */
export const payloads = (from, count) => Array.from({ length: count }, (_, index) => payload(from + index))

/** Payloads per batch. */
export const BATCH = 100

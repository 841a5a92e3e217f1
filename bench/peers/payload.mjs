/** What everyone stores. */

/** The payload of a reading, 267 bytes as JSON: the one that bench/cases/log.mjs appends. */
export const payload = (index) => ({
  sensor: `room/sensor-${index % 50}`,
  reading: { value: index, text: "x".repeat(150), flags: [true, false, null] },
  priority: 0,
  latencyMs: 1.25,
})

/** So many payloads, the first with this number. */
export const payloads = (from, count) => Array.from({ length: count }, (_, index) => payload(from + index))

/** Payloads in one batch. */
export const BATCH = 100

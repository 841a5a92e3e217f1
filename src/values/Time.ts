/** Times in epoch milliseconds: the range for events, and conversions to text, Date and nanoseconds. */

import { Schema } from "effect"

/** 0000-01-01T00:00:00.000Z, the earliest time of RFC 3339. */
export const EARLIEST = -62_167_219_200_000

/** 9999-12-31T23:59:59.999Z, the latest time of RFC 3339. */
export const LATEST = 253_402_300_799_999

/** Schema of an event's time. Logs of 0.2.0 may contain times outside the range; format them with `iso`. */
export const Moment = Schema.Int.pipe(
  Schema.between(EARLIEST, LATEST),
  Schema.annotations({
    identifier: "Moment",
    description: "Milliseconds since 1970-01-01Z, from the year 0 to 9999",
  }),
)

/** Checks the same as `Moment` at a tenth of its cost: it runs for every event. */
export const isMoment = (time: unknown): time is number =>
  typeof time === "number" && Number.isSafeInteger(time) && time >= EARLIEST && time <= LATEST

/**
 * True if the log's clock may return this time: 1970 or later, because event ids (UUID version 7, RFC 9562 §5.7) encode
 * it.
 */
export const isClockTime = (epochMs: number): boolean => epochMs >= 0 && isMoment(epochMs)

/**
 * RFC 3339 text in UTC, to the millisecond. A time outside its range becomes a number of milliseconds, so that every
 * stored event can be shown.
 */
export const iso = (epochMs: number): string =>
  isMoment(epochMs) ? new Date(epochMs).toISOString() : `${epochMs} ms since 1970`

/** A Date, clamped to `EARLIEST` and `LATEST`. */
export const dateOf = (epochMs: number): Date => new Date(Math.min(Math.max(epochMs, EARLIEST), LATEST))

/** Nanoseconds since 1970, clamped to an unsigned 64-bit integer (1970 to 2554). */
export const nanoseconds = (epochMs: number): bigint => {
  const whole = Math.floor(epochMs)
  const exact = BigInt(whole) * 1_000_000n + BigInt(Math.round((epochMs - whole) * 1_000_000))
  return exact < 0n ? 0n : exact > MAX_UINT64 ? MAX_UINT64 : exact
}

const MAX_UINT64 = 2n ** 64n - 1n

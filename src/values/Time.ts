import { Schema } from "effect"

/** 0000-01-01T00:00:00.000Z: the first moment that RFC 3339 can write, in epoch milliseconds. */
export const EARLIEST = -62_167_219_200_000

/** 9999-12-31T23:59:59.999Z: the last one. */
export const LATEST = 253_402_300_799_999

/** The moments that an event may name. A log of 0.2.0 may hold others: whoever reads it writes them by `iso`. */
export const Moment = Schema.Int.pipe(
  Schema.between(EARLIEST, LATEST),
  Schema.annotations({
    identifier: "Moment",
    description: "Milliseconds since 1970-01-01Z, from the year 0 to 9999",
  }),
)

/** Whether an event may name this moment. */
export const isMoment = Schema.is(Moment)

/** Whether a clock can say this: events are recorded from 1970 on, for their ids (UUID version 7, RFC 9562 §5.7) say no time before it. */
export const isClockTime = (epochMs: number): boolean => epochMs >= 0 && isMoment(epochMs)

/**
 * A moment as RFC 3339 writes it, to the millisecond, in UTC. One that is beyond what it can write is the number of milliseconds:
 * what is in a log can be read whatever it is.
 */
export const iso = (epochMs: number): string =>
  isMoment(epochMs) ? new Date(epochMs).toISOString() : `${epochMs} ms since 1970`

/** A moment as a Date: the nearest that an event may name. */
export const dateOf = (epochMs: number): Date => new Date(Math.min(Math.max(epochMs, EARLIEST), LATEST))

/** A moment in nanoseconds since 1970, as formats of 64 bits without a sign hold it: the nearest that they can, from 1970 to 2554. */
export const nanoseconds = (epochMs: number): bigint => {
  const whole = Math.floor(epochMs)
  const exact = BigInt(whole) * 1_000_000n + BigInt(Math.round((epochMs - whole) * 1_000_000))
  return exact < 0n ? 0n : exact > MAX_UINT64 ? MAX_UINT64 : exact
}

const MAX_UINT64 = 2n ** 64n - 1n

/** Replaces a program's clock and random numbers with deterministic ones. */

import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"

export interface Pins {
  /** Start of the run, in epoch milliseconds. */
  readonly clock: number
  /** Milliseconds by which the clock advances each time it is read. */
  readonly tick: number
  readonly seed: number
}

/**
 * Replaces `Date`, `performance.now`, `process.hrtime`, `Math.random` and the random bytes and ids of `crypto`, for the
 * rest of the process.
 */
export const pin = ({ clock, tick: step, seed }: Pins): void => {
  let now = clock
  const tick = () => {
    now += step
    return now
  }
  const elapsed = () => tick() - clock
  put(performance, { now: elapsed })
  put(process, { hrtime: Object.assign(highResolution(elapsed), { bigint: () => BigInt(elapsed()) * 1_000_000n }) })
  globalThis.Date = new Proxy(Date, {
    construct: (date, args, as) => Reflect.construct(date, args.length === 0 ? [tick()] : args, as),
    apply: (date) => new date(tick()).toString(),
    get: (date, name) => (name === "now" ? tick : Reflect.get(date, name)),
  })

  const random = xoroshiro128plus(seed)
  const fill = <Bytes extends ArrayBufferView | null>(into: Bytes): Bytes => {
    if (into === null) return into
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
    for (let index = 0; index < bytes.length; index++) bytes[index] = uniformInt(random, 0, 255)
    return into
  }
  Math.random = () => uniformFloat64(random)
  const randomUUID = () => idOf(fill(new Uint8Array(16)))
  put(globalThis.crypto, { getRandomValues: fill, randomUUID })
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void) => {
    const bytes = fill(Buffer.alloc(size))
    if (done === undefined) return bytes
    setImmediate(done, null, bytes)
    return undefined
  }
  // `crypto.getRandomValues` is the global one.
  put(crypto, { randomUUID, randomBytes })
  syncBuiltinESMExports()
}

const highResolution =
  (elapsed: () => number) =>
  ([seconds, nanoseconds]: readonly [number, number] = [0, 0]): [number, number] => {
    const since = elapsed() - seconds * 1000 - nanoseconds / 1e6
    return [Math.floor(since / 1000), (since % 1000) * 1e6]
  }

const put = (of: object, functions: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(functions)) {
    Object.defineProperty(of, name, { value, configurable: true, writable: true })
  }
}

/** A UUID version 4 (RFC 9562) from these bytes. */
const idOf = (bytes: Uint8Array) => {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  const variant = "89ab"[(bytes[8] ?? 0) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}` as const
}

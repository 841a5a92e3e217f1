/** Hashes of passwords, by scrypt (RFC 7914): `scrypt:N:r:p:SALT:HASH`, salt and hash in base64url. */

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { Effect, Schema } from "effect"

/** In characters. Longer passwords only cost time. */
export const SHORTEST = 12
export const LONGEST = 1_000

/** The cost of new hashes: 32 MiB of memory, and a fraction of a second. */
const COST = { N: 32_768, r: 8, p: 3 } as const

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Memory that a hash of an accounts file may need, in bytes. */
const MAX_MEMORY = 256 * 1024 * 1024

const FORM = /^scrypt:(\d{1,8}):(\d{1,2}):(\d{1,2}):([\w-]{22}):([\w-]{43})$/

interface Parsed {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number }
  readonly salt: Buffer
  readonly hash: Buffer
}

const parsed = (text: string): Parsed | undefined => {
  const [, N, r, p, salt, hash] = FORM.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const isPower = cost.N >= 2 && Number.isInteger(Math.log2(cost.N))
  const isBounded = cost.r >= 1 && cost.p >= 1 && cost.p <= 16 && 128 * cost.N * cost.r <= MAX_MEMORY
  // A cheaper hash would be guessed faster than those that we make.
  const isStrong = cost.N * cost.r * cost.p >= COST.N * COST.r * COST.p
  if (!isPower || !isBounded || !isStrong) return undefined
  return { cost, salt: Buffer.from(salt, "base64url"), hash: Buffer.from(hash, "base64url") }
}

/** A hash that `hindcast password` made. */
export const PasswordHash: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => parsed(text) !== undefined),
  Schema.annotations({ description: "a hash that `hindcast password` printed, scrypt:…" }),
)

export const make = (password: string): Effect.Effect<string> =>
  Effect.suspend(() => {
    const salt = randomBytes(SALT_BYTES)
    return Effect.map(derived(password, { cost: COST, salt }), (hash) =>
      ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), hash.toString("base64url")].join(":"),
    )
  })

/** Whether a password has this hash. Takes as long for a wrong one as for the right one. */
export const isOf = (password: string, hash: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const expected = parsed(hash)
    return expected === undefined
      ? Effect.succeed(false)
      : Effect.map(derived(password, expected), (found) => timingSafeEqual(found, expected.hash))
  })

/** Takes as long as `isOf`, for an account that does not exist. */
export const inVain = (password: string): Effect.Effect<false> =>
  Effect.as(derived(password, { cost: COST, salt: NO_SALT }), false as const)

const NO_SALT = Buffer.alloc(SALT_BYTES)

/** Equal texts may differ in their bytes (Unicode NFC, as RFC 8265 asks). */
const derived = (password: string, { cost, salt }: Pick<Parsed, "cost" | "salt">): Effect.Effect<Buffer> =>
  Effect.async((resume) => {
    const options = { ...cost, maxmem: 2 * 128 * cost.N * cost.r }
    scrypt(password.normalize("NFC"), salt, HASH_BYTES, options, (cause, key) =>
      resume(cause === null ? Effect.succeed(key) : Effect.die(cause)),
    )
  })

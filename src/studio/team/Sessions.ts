/**
 * The sessions of people who signed in with a password, in memory: a restart ends them all. The cookie's value is 256
 * random bits, of which only the digest is kept.
 */

import { createHash } from "node:crypto"
import { newToken } from "../../platform/loopback/Access.ts"
import type { Account } from "./Accounts.ts"

/** `__Host-` binds the cookie to this host, over TLS (RFC 6265bis §4.1.3.2). */
export const COOKIE = "__Host-hindcast"

const HOUR = 3_600_000

const DEFAULT_HOURS = 12

/** A session without a request ends after this time. */
const IDLE_MS = 2 * HOUR

/** Maximum number of sessions of one account. The oldest end first. */
const MAX_EACH = 20

interface Session {
  readonly account: string
  /** Ends the session when the password changes. */
  readonly password: string
  readonly startedAt: number
  seenAt: number
}

export class Sessions {
  readonly #sessions = new Map<string, Session>()
  readonly #longest: number
  readonly #now: () => number

  constructor(hours = DEFAULT_HOURS, now: () => number = () => performance.now()) {
    this.#longest = hours * HOUR
    this.#now = now
  }

  /** Starts a session under a new value, ignoring any that the browser sent before (session fixation). */
  start({ name, password }: Account): string {
    const own = [...this.#sessions].filter(([, { account }]) => account === name)
    for (const [key] of own.slice(0, Math.max(0, own.length + 1 - MAX_EACH))) this.#sessions.delete(key)
    const value = newToken()
    const now = this.#now()
    this.#sessions.set(keyOf(value), { account: name, password, startedAt: now, seenAt: now })
    return value
  }

  /** The account of a session that has not ended; a request continues it. */
  accountOf(value: string, isRequest = true): { readonly account: string; readonly password: string } | undefined {
    const key = keyOf(value)
    const session = this.#sessions.get(key)
    if (session === undefined) return undefined
    const now = this.#now()
    if (now - session.startedAt >= this.#longest || now - session.seenAt >= IDLE_MS) {
      this.#sessions.delete(key)
      return undefined
    }
    if (isRequest) session.seenAt = now
    return session
  }

  end(value: string): void {
    this.#sessions.delete(keyOf(value))
  }

  /** Seconds for which a browser keeps the cookie. */
  get seconds(): number {
    return Math.ceil(this.#longest / 1000)
  }
}

const keyOf = (value: string): string => createHash("sha256").update(value).digest("base64")

export const cookieOf = (value: string, seconds: number): string =>
  `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`

/** The cookie's values in a request: more than one is an attack from a sibling's name. */
export const valuesIn = (cookies: string | undefined): ReadonlyArray<string> =>
  (cookies ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1))

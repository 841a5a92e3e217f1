/**
 * The pace at which the conversations of one kernel ask a model: requests and tokens a minute, as the program declares
 * them and as the provider's answers say. Pure: it decides when a request may leave, and somebody else waits.
 *
 * Requests of one model leave in the order in which they ask, so that no conversation is overtaken forever.
 */

/** Limits that the program declares. */
export interface RateLimit {
  readonly requestsPerMinute?: number
  /** Tokens of requests and answers together. */
  readonly tokensPerMinute?: number
}

/** One of a provider's limits at the moment of an answer. */
export interface Window {
  /** The limit of a whole window; absent if the provider does not say it. */
  readonly limit?: number
  readonly remaining: number
  /** Milliseconds from the answer until the window is renewed. */
  readonly resetMs: number
}

/** A provider's limits, as its answer says them. */
export interface ProviderLimits {
  readonly requests?: Window
  readonly tokens?: Window
}

export type Because = "requests" | "tokens" | "retry-after"

/** When a request may leave. */
export interface Reservation {
  readonly waitMs: number
  /** The limit that makes it wait; undefined if nothing does. */
  readonly because?: Because
}

/** The known limits and use of one model. Times are in milliseconds of one clock. */
export interface Pace {
  /** When requests left or will leave, with their tokens: estimated, then counted. Those of the last minute. */
  readonly sent: ReadonlyArray<Sent>
  readonly requests: Learned | undefined
  readonly tokens: Learned | undefined
  /** The provider refuses requests until then. */
  readonly blockedUntil: number
}

interface Sent {
  readonly id: number
  readonly at: number
  readonly tokens: number
}

interface Learned {
  readonly limit: number | undefined
  readonly remaining: number
  readonly resetAt: number
}

export const unknown: Pace = { sent: [], requests: undefined, tokens: undefined, blockedUntil: 0 }

const MINUTE = 60_000

/** Decides when a request with so many tokens may leave. `reserved` is the pace once it has its place. */
export const reserve = (
  pace: Pace,
  limit: RateLimit,
  { id, now, tokens }: { readonly id: number; readonly now: number; readonly tokens: number },
): Reservation & { readonly reserved: Pace } => {
  const sent = pace.sent.filter(({ at }) => at > now - MINUTE)
  // Nobody overtakes a request that waits.
  let at = Math.max(now, sent.at(-1)?.at ?? now)
  let because: Because | undefined
  const until = (moment: number, reason: Because) => {
    if (moment <= at) return
    at = moment
    because = reason
  }
  if (at > now) because = "requests"
  until(pace.blockedUntil, "retry-after")
  until(
    freeAt(sent, limit.requestsPerMinute, at, () => 1, 1),
    "requests",
  )
  until(
    freeAt(sent, limit.tokensPerMinute, at, (one) => one.tokens, tokens),
    "tokens",
  )
  until(renewedAt(pace.requests, at), "requests")
  until(renewedAt(pace.tokens, at), "tokens")
  const waitMs = Math.ceil(at - now)
  return {
    waitMs,
    ...(waitMs === 0 || because === undefined ? {} : { because }),
    reserved: {
      ...pace,
      sent: [...sent, { id, at, tokens }],
      requests: taken(pace.requests, at, 1),
      tokens: taken(pace.tokens, at, tokens),
    },
  }
}

/** Gives a place back that a request did not use. */
export const giveBack = (pace: Pace, id: number): Pace => ({ ...pace, sent: pace.sent.filter((one) => one.id !== id) })

/** Notes what an answer says: the request's tokens, and the provider's limits. */
export const learn = (
  pace: Pace,
  said: {
    readonly id: number
    readonly now: number
    readonly tokens?: number | undefined
    readonly limits?: ProviderLimits | undefined
    readonly retryAfterMs?: number | undefined
  },
): Pace => {
  const { id, now, tokens, limits, retryAfterMs } = said
  return {
    sent: tokens === undefined ? pace.sent : pace.sent.map((one) => (one.id === id ? { ...one, tokens } : one)),
    requests: learned(limits?.requests, now) ?? pace.requests,
    tokens: learned(limits?.tokens, now) ?? pace.tokens,
    blockedUntil: retryAfterMs === undefined ? pace.blockedUntil : Math.max(pace.blockedUntil, now + retryAfterMs),
  }
}

const learned = (window: Window | undefined, now: number): Learned | undefined =>
  window && { limit: window.limit, remaining: window.remaining, resetAt: now + window.resetMs }

/** The first moment from `at` on at which the last minute has room for `more`. More than the limit gets a minute alone. */
const freeAt = (
  sent: ReadonlyArray<Sent>,
  limit: number | undefined,
  at: number,
  amountOf: (one: Sent) => number,
  more: number,
): number => {
  if (limit === undefined) return at
  let used = sent.filter((one) => one.at > at - MINUTE).reduce((sum, one) => sum + amountOf(one), 0)
  let free = at
  for (const one of sent) {
    if (used === 0 || used + more <= limit) break
    if (one.at <= at - MINUTE) continue
    used -= amountOf(one)
    free = one.at + MINUTE
  }
  return free
}

/** When a used-up window is renewed. */
const renewedAt = (window: Learned | undefined, at: number): number =>
  window === undefined || window.remaining > 0 || at >= window.resetAt ? at : window.resetAt

/** A window after a request. Once it is renewed, the next answer tells what is left; until then, its limit counts. */
const taken = (window: Learned | undefined, at: number, amount: number): Learned | undefined => {
  if (window === undefined) return undefined
  if (at < window.resetAt) return { ...window, remaining: window.remaining - amount }
  return window.limit === undefined
    ? undefined
    : { ...window, remaining: window.limit - amount, resetAt: Math.max(window.resetAt + MINUTE, at) }
}

/**
 * The pace at which the conversations of one kernel ask a model: requests and tokens a minute, as the program declares
 * them and as the provider's answers say. Pure: it decides when a request may leave, and somebody else waits.
 *
 * Requests of one model leave in the order in which they ask, so that no conversation is overtaken forever. Only a place
 * that a waiting request gives back goes to the next request that it suits: nobody waits longer for that.
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
  /** When the headers of the answer came, by the monotonic clock, in milliseconds. Default: when the answer ended. */
  readonly heardAt?: number
}

/** The limit for which a request waits. */
export type Because = "requests" | "tokens" | "retry-after"

/** When a request may leave. */
export interface Reservation {
  readonly waitMs: number
  /** The limit that makes it wait; undefined if nothing does. */
  readonly because?: Because
}

/** The known limits and use of one model. Times are in milliseconds of one clock. */
export interface Pace {
  /** The requests of the last minute and those that wait, in their order. */
  readonly sent: ReadonlyArray<Sent>
  readonly requests: Learned | undefined
  readonly tokens: Learned | undefined
  /** The provider refuses requests until then. */
  readonly blockedUntil: number
}

/** The place of a request. */
interface Sent {
  readonly id: number
  /** When the request left or will leave. */
  readonly at: number
  /** Estimated, then counted. */
  readonly tokens: number
  /** The limit that made it wait; undefined if nothing did. */
  readonly because: Because | undefined
  /** The request gave the place back, and others wait behind it. */
  readonly isFree?: true
}

/** A window as the last answer said it. The requests since then use it up (`after`). */
interface Learned {
  readonly limit: number | undefined
  readonly remaining: number
  readonly resetAt: number
  readonly heardAt: number
  /** The last request that had a place when the answer was noted. */
  readonly lastId: number
}

export const unknown: Pace = { sent: [], requests: undefined, tokens: undefined, blockedUntil: 0 }

const MINUTE = 60_000

/** Longest window and longest wait that are believed, in milliseconds: a day. */
const LONGEST_MS = 86_400_000

/** Counts beyond this count as this. */
const MOST = 1e12

/** Whether a limit of tokens is known. Without one, a request's tokens do not matter. */
export const limitsTokens = (pace: Pace, limit: RateLimit): boolean =>
  limit.tokensPerMinute !== undefined || pace.tokens !== undefined

/** Decides when a request with so many tokens may leave. `reserved` is the pace once it has its place. */
export const reserve = (
  pace: Pace,
  limit: RateLimit,
  { id, now, tokens }: { readonly id: number; readonly now: number; readonly tokens: number },
): Reservation & { readonly reserved: Pace } => {
  const current = upToDate(pace, now)
  const suits = (one: Sent) => one.isFree === true && (tokens <= one.tokens || !limitsTokens(current, limit))
  const free = current.sent.find(suits)
  if (free !== undefined) {
    const own: Sent = { id, at: free.at, tokens, because: free.because }
    const sent = current.sent.map((one) => (one === free ? own : one))
    return { ...reservationOf(own, now), reserved: { ...current, sent } }
  }
  // A place at the end may use the room of a free place, so these are gone.
  const sent = current.sent.filter(({ isFree }) => isFree !== true)
  const own: Sent = { id, tokens, ...placeAfter(sent, current, limit, { from: now, tokens }) }
  return { ...reservationOf(own, now), reserved: { ...current, sent: [...sent, own] } }
}

/** The place of a request; undefined if it has none any more. */
export const placeOf = (pace: Pace, id: number): Sent | undefined => pace.sent.find((one) => one.id === id)

/** How long a place is away, and why. */
export const reservationOf = ({ at, because }: Pick<Sent, "at" | "because">, now: number): Reservation => {
  const waitMs = Math.max(0, Math.ceil(at - now))
  return { waitMs, ...(waitMs === 0 || because === undefined ? {} : { because }) }
}

/** Gives a place back that a request did not use. */
export const giveBack = (pace: Pace, id: number): Pace => {
  const sent = pace.sent.map((one): Sent => (one.id === id ? { ...one, isFree: true } : one))
  return { ...pace, sent: sent.slice(0, sent.findLastIndex(({ isFree }) => isFree !== true) + 1) }
}

/**
 * Notes what an answer says: the request's tokens, and the provider's limits. Requests that wait then wait on until the
 * limits allow them. Numbers that mean nothing, such as NaN and negative ones, are ignored, and limits that are older
 * than the known ones.
 */
export const learn = (
  pace: Pace,
  said: {
    readonly id: number
    readonly now: number
    readonly tokens?: number | undefined
    readonly limits?: ProviderLimits | undefined
    readonly retryAfterMs?: number | undefined
  },
  limit: RateLimit = {},
): Pace => {
  const { id, now, limits } = said
  const tokens = believed(said.tokens, MOST)
  const retryAfterMs = believed(said.retryAfterMs, LONGEST_MS)
  const heardAt = Math.min(now, believed(limits?.heardAt, now) ?? now)
  const lastId = pace.sent.reduce((last, one) => Math.max(last, one.id), id)
  const learned = (known: Learned | undefined, window: Window | undefined): Learned | undefined => {
    const remaining = believed(window?.remaining, MOST)
    const resetMs = believed(window?.resetMs, LONGEST_MS)
    if (remaining === undefined || resetMs === undefined) return known
    if (known !== undefined && known.heardAt > heardAt) return known
    return { limit: believed(window?.limit, MOST), remaining, resetAt: heardAt + resetMs, heardAt, lastId }
  }
  const next: Pace = {
    sent: tokens === undefined ? pace.sent : pace.sent.map((one) => (one.id === id ? { ...one, tokens } : one)),
    requests: learned(pace.requests, limits?.requests),
    tokens: learned(pace.tokens, limits?.tokens),
    blockedUntil: retryAfterMs === undefined ? pace.blockedUntil : Math.max(pace.blockedUntil, now + retryAfterMs),
  }
  const current = limits === undefined && retryAfterMs === undefined ? next : rescheduled(next, limit, now)
  return withoutUncounted(current, limit, { id, now })
}

/**
 * The pace without the requests that nothing counts any more, so that a fast model's minute of requests costs no time:
 * without a declared limit, those that the last answer knew, or the answered one as long as no answer tells a limit.
 */
const withoutUncounted = (
  pace: Pace,
  { requestsPerMinute, tokensPerMinute }: RateLimit,
  answered: { readonly id: number; readonly now: number },
): Pace => {
  if (requestsPerMinute !== undefined || tokensPerMinute !== undefined) return pace
  const { sent, requests, tokens } = pace
  const isUnlimited = requests === undefined && tokens === undefined
  const isCounted = (one: Sent) =>
    one.at > answered.now || (isUnlimited ? one.id !== answered.id : isUsing(requests, one) || isUsing(tokens, one))
  return sent.every(isCounted) ? pace : { ...pace, sent: sent.filter(isCounted) }
}

/** Whether a request uses a window up: the answer that told of it did not know the request. */
const isUsing = (window: Learned | undefined, { id, at }: Sent): boolean =>
  window !== undefined && (id > window.lastId || at > window.heardAt)

/** A number of a provider or a program's model; undefined if it means nothing. */
const believed = (value: number | undefined, most: number): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? Math.min(value, most) : undefined

/** Moves the requests that wait to where the limits now allow them, in their order and never to an earlier moment. */
const rescheduled = (pace: Pace, limit: RateLimit, now: number): Pace => {
  const sent = pace.sent.filter(({ at }) => at <= now)
  for (const one of pace.sent.slice(sent.length)) {
    const { at, because } = placeAfter(sent, pace, limit, { from: one.at, tokens: one.tokens })
    sent.push({ ...one, at, because: because ?? one.because })
  }
  return { ...pace, sent }
}

/** The pace without what is over: requests of the last minute but one, and free places that nobody took. */
const upToDate = (pace: Pace, now: number): Pace => {
  const isOver = ({ at }: Sent) => at <= now - MINUTE
  const over = pace.sent.filter((one) => isOver(one) && one.isFree !== true)
  return {
    ...pace,
    sent: pace.sent.filter((one) => !isOver(one) && (one.isFree !== true || one.at > now)),
    requests: after(pace.requests, over, () => 1),
    tokens: after(pace.tokens, over, ({ tokens }) => tokens),
  }
}

/** The first moment from `from` on at which the limits allow a request behind these, and the limit that delays it. */
const placeAfter = (
  sent: ReadonlyArray<Sent>,
  pace: Pace,
  limit: RateLimit,
  { from, tokens }: { readonly from: number; readonly tokens: number },
): Pick<Sent, "at" | "because"> => {
  // Nobody overtakes a request that waits.
  const last = sent.at(-1)
  let at = Math.max(from, last?.at ?? from)
  let because = at > from ? last?.because : undefined
  const until = (moment: number, reason: Because) => {
    if (moment <= at) return
    at = moment
    because = reason
  }
  until(pace.blockedUntil, "retry-after")
  until(
    freeAt(sent, limit.requestsPerMinute, at, () => 1, 1),
    "requests",
  )
  until(
    freeAt(sent, limit.tokensPerMinute, at, (one) => one.tokens, tokens),
    "tokens",
  )
  until(
    renewedAt(
      after(pace.requests, sent, () => 1),
      at,
    ),
    "requests",
  )
  until(
    renewedAt(
      after(pace.tokens, sent, (one) => one.tokens),
      at,
    ),
    "tokens",
  )
  return { at, because }
}

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

/** A window after the requests that the answer did not know. */
const after = (
  window: Learned | undefined,
  sent: ReadonlyArray<Sent>,
  amountOf: (one: Sent) => number,
): Learned | undefined => {
  if (window === undefined) return undefined
  return sent
    .filter((one) => isUsing(window, one))
    .reduce<Learned | undefined>((left, one) => taken(left, one.at, amountOf(one)), window)
}

/** A window after a request. Once it is renewed, the next answer tells what is left; until then, its limit counts. */
const taken = (window: Learned | undefined, at: number, amount: number): Learned | undefined => {
  if (window === undefined) return undefined
  if (at < window.resetAt) return { ...window, remaining: window.remaining - amount }
  return window.limit === undefined
    ? undefined
    : { ...window, remaining: window.limit - amount, resetAt: Math.max(window.resetAt + MINUTE, at) }
}

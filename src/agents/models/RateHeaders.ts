/** Reads a provider's rate limits from the headers of its answers, whether it answered or refused. */

import type { ProviderLimits, Window } from "../../kernel/pacing/ModelPace.ts"
import { defined } from "../../values/defined.ts"

/** Headers by name in lower case, as the AI SDK's packages return them. */
export type Headers = { readonly [name: string]: string | undefined }

/** Longest window that is believed, in milliseconds: a day. */
const LONGEST_RESET_MS = 86_400_000

/** Counts beyond this are no counts. */
const MOST = 1e12

/**
 * The limits in `anthropic-ratelimit-*` (with times of RFC 3339) and in `x-ratelimit-*` of OpenAI, Groq and compatible
 * servers (with durations such as `6m0s`). Anthropic names the strictest limit of tokens; where it only limits the
 * tokens of requests, these count. Undefined without any.
 *
 * @param received the time of the answer, in epoch milliseconds, if the server's `date` does not say it: the clocks of
 *   both may differ
 */
export const limitsIn = (headers: Headers | undefined, received: number): ProviderLimits | undefined => {
  if (headers === undefined) return undefined
  const sent = Date.parse(headers.date ?? "")
  const now = Number.isFinite(sent) ? sent : received
  const anthropic = (name: string) =>
    windowOf({
      limit: headers[`anthropic-ratelimit-${name}-limit`],
      remaining: headers[`anthropic-ratelimit-${name}-remaining`],
      resetMs: untilDate(headers[`anthropic-ratelimit-${name}-reset`], now),
    })
  const common = (name: string) =>
    windowOf({
      limit: headers[`x-ratelimit-limit-${name}`],
      remaining: headers[`x-ratelimit-remaining-${name}`],
      resetMs: durationOf(headers[`x-ratelimit-reset-${name}`]),
    })
  const requests = anthropic("requests") ?? common("requests")
  const tokens = anthropic("tokens") ?? anthropic("input-tokens") ?? common("tokens")
  return requests === undefined && tokens === undefined ? undefined : defined({ requests, tokens })
}

const windowOf = (said: {
  readonly limit: string | undefined
  readonly remaining: string | undefined
  readonly resetMs: number | undefined
}): Window | undefined => {
  const [limit, remaining] = [countOf(said.limit), countOf(said.remaining)]
  if (remaining === undefined || said.resetMs === undefined) return undefined
  return { ...defined({ limit }), remaining, resetMs: Math.min(LONGEST_RESET_MS, Math.max(0, Math.ceil(said.resetMs))) }
}

const countOf = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^\d{1,13}$/.test(text.trim())) return undefined
  const count = Number(text)
  return count <= MOST ? count : undefined
}

const untilDate = (text: string | undefined, now: number): number | undefined => {
  const at = text === undefined || text.length > 40 ? Number.NaN : Date.parse(text)
  return Number.isFinite(at) ? at - now : undefined
}

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `1s`, `6m0s`, `120ms`, `7.66s`, `2m59.56s`, or a number of seconds. */
const durationOf = (text: string | undefined): number | undefined => {
  if (text === undefined || text.length > 40) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit = "s"]) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  )
}

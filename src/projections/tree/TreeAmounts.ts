/** What tasks of a tree used together as text, for tables. Unknown is not zero. Pure, also for browsers. */

import * as Money from "../../values/Money.ts"
import * as TokenCount from "../summary/TokenCount.ts"

/** A part of `TreeUse`. */
export interface Amounts {
  readonly calls: number
  readonly tokens: number | null
  readonly knownTokens: number
  readonly usd: number | null
  readonly atLeastUsd: number
}

/** `220`; `≥ 220` if those of some requests are unknown, `?` if no request's are known; empty without requests. */
export const tokens = ({ calls, tokens, knownTokens }: Amounts): string =>
  calls === 0 ? "" : TokenCount.inTable({ known: knownTokens, isLowerBound: tokens === null })

/** `$0.1234`; `≥ $0.1234` if a part is unknown, `unknown` if all of it is; empty without requests. */
export const cost = ({ calls, usd, atLeastUsd }: Amounts): string =>
  calls === 0 ? "" : Money.costInTable({ usd, atLeast: atLeastUsd })

/** `3 tasks: 2 achieved, 1 open` in parts: the ended tasks by outcome, and the open ones. */
export const states = (of: {
  readonly outcomes: { readonly [outcome: string]: number }
  readonly open: number
}): ReadonlyArray<string> => [
  ...Object.entries(of.outcomes).flatMap(([name, many]) => (many === 0 ? [] : [`${many} ${name}`])),
  ...(of.open === 0 ? [] : [`${of.open} open`]),
]

/** Orders hits by how well they match. */

import { Effect } from "effect"
import type { Hits, Matched } from "./Hits.ts"
import type { Kind } from "./words/EventText.ts"
import type { WordQuery } from "./words/WordQuery.ts"

/** Number of hits among which the best are chosen: the newest. */
export const RANKED = 1_000

/** Weights by kind. People look first for a task's purpose, and for its failure. */
const WEIGHTS: { readonly [kind in Kind]: number } = {
  goal: 3,
  error: 2,
  note: 1.5,
  message: 1.5,
  argument: 1,
  result: 1,
  other: 0.5,
}

/** The best hits: short texts that contain the words often, goals and errors first. Of equals, the newest first. */
export const best = (hits: Hits, { terms }: WordQuery, limit: number) =>
  Effect.map(hits.matched(RANKED), ({ matched }) => {
    const scored = matched.map((one) => ({ one, score: scoreOf(one, terms.length) }))
    scored.sort((a, b) => b.score - a.score || b.one.hit.position - a.one.hit.position)
    return { hits: scored.slice(0, limit).map(({ one }) => one.hit), next: undefined }
  })

/** Word counts with diminishing returns, divided by the length, like BM25 without the words' rarity. */
const scoreOf = ({ hit, match }: Matched, terms: number): number => {
  const counted = match.counts.reduce((sum, count) => sum + count / (count + 0.5 + match.length / TYPICAL), 0)
  return (WEIGHTS[hit.kind] * counted) / terms
}

/** The length of a typical text, in words. */
const TYPICAL = 40

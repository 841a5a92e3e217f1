/** The tasks that have some words, each with its most telling hit: its goal, else an error, … */

import { Effect, Schema } from "effect"
import type { Kind } from "../../search/words/EventText.ts"
import * as WordQuery from "../../search/words/WordQuery.ts"
import { StudioLog } from "../StudioLog.ts"
import type { SearchCoverage, SearchHit } from "../wire/Search.ts"

/** Words to search for. */
export const Text = Schema.NonEmptyString.pipe(
  Schema.maxLength(WordQuery.MAX_LENGTH),
  Schema.annotations({ description: `a text of at most ${WordQuery.MAX_LENGTH} characters` }),
)

export interface TaskHits {
  /** By task id. */
  readonly hits: ReadonlyMap<string, SearchHit>
  readonly widened: boolean
  readonly coverage: SearchCoverage
  /** Whether there are older hits that were not looked at. */
  readonly cut: boolean
}

/** Number of hits that are looked at: the newest. */
const LOOKED_AT = 5_000

/** How long to look through events that no index covers, in milliseconds. */
const SEARCH_MS = 1_000

/** The kinds that say most about a task come first. */
const RANKS: { readonly [kind in Kind]: number } = {
  goal: 0,
  error: 1,
  note: 2,
  message: 3,
  argument: 4,
  result: 5,
  other: 6,
}

export const of = (text: string) =>
  Effect.gen(function* () {
    const { search } = yield* StudioLog
    const found = yield* search.find({ text, limit: LOOKED_AT, budgetMs: SEARCH_MS })
    const hits = new Map<string, SearchHit>()
    for (const { taskId, ...hit } of found.hits) {
      if (taskId === null) continue
      const known = hits.get(taskId)
      if (known === undefined || RANKS[hit.kind] < RANKS[known.kind]) hits.set(taskId, { ...hit, task: taskId })
    }
    return { hits, widened: found.widened, coverage: found.coverage, cut: found.next !== undefined } satisfies TaskHits
  })

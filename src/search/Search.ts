/** Full-text search over the events of a log: goals, messages, arguments, results, errors and notes. */

import { Context, Effect, Layer, type Scope } from "effect"
import { EventLog, type LogError } from "../events/log/EventLog.ts"
import { Records } from "../events/read/Records.ts"
import * as Building from "./Building.ts"
import * as EventIndex from "./EventIndex.ts"
import { type Hit, Hits } from "./Hits.ts"
import * as Ranking from "./Ranking.ts"
import type { Kind } from "./words/EventText.ts"
import { parse, widened } from "./words/WordQuery.ts"

export type { Hit } from "./Hits.ts"
export { RANKED } from "./Ranking.ts"

/** A search. */
export interface Asked {
  /** Words, "phrases in quotes" and beginnings*. An event has to contain all of them. */
  readonly text: string
  /** Only events of this task. */
  readonly taskId?: string | undefined
  /** Only texts of these kinds. */
  readonly kinds?: ReadonlyArray<Kind> | undefined
  /** Only events before this position. */
  readonly before?: number | undefined
  /** Only events after this position. */
  readonly after?: number | undefined
  /** `newest` first, or the `best` among the newest 1,000. Default: `newest`. */
  readonly order?: "newest" | "best" | undefined
  readonly limit: number
  /** Maximum time for looking through events without an index, in milliseconds. Default: no limit. */
  readonly budgetMs?: number | undefined
}

/** How far the index reaches. */
export interface Coverage {
  /** Events up to this position are covered. */
  readonly position: number
  readonly head: number
  /** Why there is no index, so that a search reads the events themselves; null if there is one. */
  readonly withoutIndex: string | null
}

/** The result of a search. */
export interface Found {
  readonly hits: ReadonlyArray<Hit>
  /** The position before which there may be more hits; undefined at the end. */
  readonly next: number | undefined
  /** Whether no event contains exactly these words, so that the hits contain words that begin with them. */
  readonly widened: boolean
  readonly coverage: Coverage
}

/**
 * Full-text search. The index of a log in a file is in the user's store (`IndexFile`), and that of a log on a server in
 * its database. Without it, such as for a log in memory, searches read the events. They find personal data as long as the log's reader can decrypt it; the index never contains it.
 */
export class Search extends Context.Tag("hindcast/Search")<Search, Search.Service>() {}

/** The type of the service: `Search.Service`. */
export declare namespace Search {
  /** The search of one log. */
  export interface Service {
    readonly coverage: Effect.Effect<Coverage, LogError>
    /**
     * Extends the index to the log's head, in pieces that other processes and later calls continue. `pause` runs
     * between the pieces, and `onProgress` receives the position reached.
     */
    readonly build: (options?: Building.Options) => Effect.Effect<void, LogError>
    /** Searches the covered events. Text without a word finds nothing. */
    readonly find: (asked: Asked) => Effect.Effect<Found, LogError>
  }
}

/** Alias of `Search.Service` for namespace imports. */
export type Service = Search.Service

/** Number of events that a search itself adds to the index before it looks. */
const CATCH_UP = 2_000

/** Opens the index at the first use. */
export const make: Effect.Effect<Search.Service, never, EventLog | Records | Scope.Scope> = Effect.gen(function* () {
  const log = yield* EventLog
  const records = yield* Records
  const index = yield* EventIndex.make(log)
  const look = Effect.gen(function* () {
    const { position: head } = yield* log.head
    const reached = yield* index.reached
    const withoutIndex = index.problem()
    const indexed = withoutIndex === null ? Math.min(reached, head) : 0
    const position = withoutIndex === null && index.mayExtend() ? indexed : head
    return { coverage: { position, head, withoutIndex }, indexed }
  })
  const coverage = Effect.map(look, ({ coverage }) => coverage)
  const build = (options: Building.Options = {}) => Building.run({ log, records, index }, options)
  return {
    coverage,
    build,
    find: (asked) =>
      Effect.gen(function* () {
        const { head, position } = yield* coverage
        if (head > position && head - position <= CATCH_UP) yield* build()
        const query = parse(asked.text)
        const { coverage: covered, indexed } = yield* look
        if (query === undefined) return { hits: [], next: undefined, widened: false, coverage: covered }
        const hits = (wanted: typeof query) =>
          new Hits({ log, index }, wanted, asked, { position: covered.position, indexed })
        const search = (wanted: typeof query) =>
          asked.order === "best" ? Ranking.best(hits(wanted), wanted, asked.limit) : hits(wanted).newest(asked.limit)
        const exact = yield* search(query)
        if (exact.hits.length > 0 || exact.next !== undefined || asked.before !== undefined) {
          return { ...exact, widened: false, coverage: covered }
        }
        const wider = yield* search(widened(query))
        return { ...wider, widened: wider.hits.length > 0, coverage: covered }
      }),
  }
})

export const layer: Layer.Layer<Search, never, EventLog | Records> = Layer.scoped(Search, make)

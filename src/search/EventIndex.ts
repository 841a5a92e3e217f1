/** The index that a search uses: a file in the user's store, or tables of the log's own server. */

import { Effect, type Scope } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import { targetOf } from "../events/sqlite/file/fileIdentity.ts"
import type { WordIndex } from "../events/words/WordIndex.ts"
import { IndexFile, type Row, type Wanted, WORDS_VERSION } from "./IndexFile.ts"
import * as OpenIndex from "./OpenIndex.ts"

/** An index of a log, which the log can build again. Without one, it has no positions. */
export interface EventIndex {
  /** The last position in the index that belongs to this log; 0 without an index. */
  readonly reached: Effect.Effect<number, LogError>
  /** Why there is no index, or why it could not be used the last time; null if there is one. */
  readonly problem: () => string | null
  /** False if this process may not extend the index, so that searches read later events themselves. */
  readonly mayExtend: () => boolean
  /**
   * Adds the rows of all events after `after`, up to `reached`. False, and adds nothing, if another process has extended
   * the index meanwhile; undefined if it cannot be extended now.
   */
  readonly add: (
    after: number,
    rows: ReadonlyArray<Row>,
    reached: { readonly position: number; readonly hash: string },
  ) => Effect.Effect<boolean | undefined>
  /** Positions of events that may match, before a position, the newest first. */
  readonly positions: (wanted: Wanted, before: number, limit: number) => Effect.Effect<ReadonlyArray<number>, LogError>
  /** Positions of events with personal fields, before a position, the newest first. */
  readonly personal: (before: number, limit: number) => Effect.Effect<ReadonlyArray<number>, LogError>
}

/** The index of a log, which opens at its first use. */
export const make = (log: EventLog.Service): Effect.Effect<EventIndex, never, Scope.Scope> =>
  log.wordIndex === undefined ? inFile(log) : Effect.succeed(onServer(log, log.wordIndex(WORDS_VERSION)))

const inFile = (log: EventLog.Service) =>
  Effect.map(
    OpenIndex.make(log, log.file === undefined ? undefined : placeOf(targetOf(log.file.filename))),
    ({ use, reached, problem }): EventIndex => {
      const positionsIn = (find: (file: IndexFile) => ReadonlyArray<number>) =>
        Effect.map(use(find), (found) => found ?? [])
      return {
        reached,
        problem,
        mayExtend: () => true,
        add: (after, rows, end) => use((file) => file.add(after, rows, end)),
        positions: (wanted, before, limit) => positionsIn((file) => file.positions(wanted, before, limit)),
        personal: (before, limit) => positionsIn((file) => file.personal(before, limit)),
      }
    },
  )

const placeOf = (file: string): OpenIndex.IndexPlace<IndexFile> => ({
  open: () => IndexFile.open(file),
  fileOf: () => IndexFile.fileOf(file),
  replace: (old) => IndexFile.replace(old, file),
})

/** After a failure such as a full disk, the index is left alone for so long. In milliseconds. */
const RETRY_MS = 60_000

/** The index never fails a search or a build: what it cannot do, searches do by reading the events. */
const onServer = (log: EventLog.Service, index: WordIndex): EventIndex => {
  let hasRight = true
  let failedAt = Number.NEGATIVE_INFINITY
  const mayExtend = () => hasRight && performance.now() - failedAt > RETRY_MS
  const unlessFailing = <A>(change: Effect.Effect<A, unknown>) =>
    Effect.catchAll(change, () =>
      Effect.sync(() => {
        failedAt = performance.now()
        return undefined
      }),
    )
  const belongs = OpenIndex.comparison(log)
  return {
    reached: Effect.gen(function* () {
      const found = yield* index.reach
      hasRight = found.mayExtend
      if (yield* belongs(found)) return found.position
      // A database that was restored.
      if (mayExtend()) yield* unlessFailing(index.clear(found.position))
      return 0
    }),
    problem: () => null,
    mayExtend,
    add: (after, rows, end) => unlessFailing(index.add(after, rows, end)),
    positions: index.positions,
    personal: index.personal,
  }
}

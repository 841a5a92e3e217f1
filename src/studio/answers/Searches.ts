/** Answers `/api/find` with a stream of JSON lines, and `/api/search` by the index of words. */

import { Chunk, Effect, Option, Queue, Schema, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import * as EventFilter from "../../projections/timetravel/EventFilter.ts"
import { paths } from "../../projections/timetravel/Predicate.ts"
import * as PredicateReads from "../../projections/timetravel/PredicateReads.ts"
import * as PredicateTransitions from "../../projections/timetravel/PredicateTransitions.ts"
import * as EventText from "../../search/words/EventText.ts"
import * as WordQuery from "../../search/words/WordQuery.ts"
import { holder } from "../../values/StepAddress.ts"
import * as Entries from "../course/Entries.ts"
import { REQUEST_BUDGET } from "../course/TaskFilter.ts"
import { StudioLog } from "../StudioLog.ts"
import type { FindLine, SearchAnswer } from "../wire/Asking.ts"
import * as Query from "./Query.ts"

const MAX_HITS = 1_000

export const FindQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Query.OptionalText,
  when: Schema.NonEmptyString,
})

/** Every event at which a predicate becomes true; with a task, only the task's events. */
export const find = ({ timeline, task, when }: typeof FindQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const reads = PredicateReads.observe(yield* Predicate.compile(when, { budget: REQUEST_BUDGET }))
    const { predicate } = reads
    const past = yield* studio.past(timeline)
    const outline = task === undefined ? undefined : yield* studio.outline(past, task)
    const { position: head } = yield* (yield* EventLog).head
    const after = (outline?.positions[0] ?? 1) - 1
    const until = outline?.last ?? head
    const filter = EventFilter.ofPaths(paths(predicate))
    const range = { from: { position: after, state: yield* past.stateAt(after) }, until, filter }
    return searching((tell) =>
      PredicateTransitions.transitions(past, { predicate }, range, (done, of) => tell({ progress: { done, of } })).pipe(
        Stream.orElseIfEmptyStream(() => Stream.execute(reads.check(past, { after, until }))),
        Stream.filter(({ taskId }) => task === undefined || taskId === task),
        Stream.map((event): FindLine => ({ hit: Entries.hit(event) })),
      ),
    )
  })

/** Number of hits of an answer: by default, and at most. */
const FOUND = 50
const MAX_FOUND = 500

export const SearchQuery = Schema.Struct({
  text: Schema.NonEmptyString.pipe(
    Schema.maxLength(WordQuery.MAX_LENGTH),
    Schema.annotations({ description: `a text of at most ${WordQuery.MAX_LENGTH} characters` }),
  ),
  task: Query.OptionalText,
  kind: Schema.optionalWith(Schema.Literal(...EventText.KINDS), { exact: true }),
  order: Schema.optionalWith(Schema.Literal("newest", "best"), { default: () => "newest" as const }),
  before: Schema.optionalWith(Query.Position, { exact: true }),
  limit: Schema.optionalWith(Query.wholeNumber(1, MAX_FOUND), { default: () => FOUND }),
})

/** How long a request reads events that no index covers, in milliseconds. Then the page asks for the rest. */
const SEARCH_MS = 500

/**
 * Events on any timeline whose texts have some words. Includes personal data whose key is available. The answer comes in
 * parts: `next` names the position before which the next part begins.
 */
export const search = ({ text, task, kind, order, before, limit }: typeof SearchQuery.Type) =>
  Effect.gen(function* () {
    const { search } = yield* StudioLog
    const kinds = kind === undefined ? undefined : [kind]
    const asked = { text, taskId: task, kinds, order, before, limit, budgetMs: SEARCH_MS }
    const { hits, next, ...rest } = yield* search.find(asked)
    return {
      ...rest,
      // The page has an entry for a whole compact event.
      hits: hits.map(({ taskId, position, ...hit }) => ({ ...hit, position: holder(position), task: taskId })),
      next: next ?? null,
    } satisfies SearchAnswer
  })

/** A slow client gets only the newest line of progress. */
const MAX_WAITING = 1

type Tell = (line: FindLine) => Effect.Effect<void>

/** The lines of a search: hits and progress as they come, then the end. A failure is a line too. */
const searching = <E extends { readonly message: string }>(
  run: (tell: Tell) => Stream.Stream<FindLine, E>,
): Stream.Stream<FindLine> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const progress = yield* Queue.sliding<FindLine>(MAX_WAITING)
      let hits = 0
      const found = run((line) => Effect.asVoid(progress.offer(line))).pipe(
        Stream.take(MAX_HITS + 1),
        Stream.mapChunks((lines) => {
          const shown = Chunk.take(lines, MAX_HITS - hits)
          hits += Chunk.size(lines)
          return shown
        }),
        Stream.catchAll(({ message }) => Stream.make<[FindLine]>({ problem: message })),
      )
      const told = Stream.merge(Stream.map(found, Option.some), Stream.map(Stream.fromQueue(progress), Option.some), {
        haltStrategy: "left",
      }).pipe(Stream.filterMap((line) => line))
      return Stream.concat(
        told,
        Stream.suspend(() => Stream.make<[FindLine]>({ end: true, cut: hits > MAX_HITS })),
      )
    }),
  )

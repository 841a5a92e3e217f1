/** Answers `/api/find` and `/api/search` with streams of JSON lines. */

import { Chunk, Effect, Option, Queue, Schema, Stream } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { type DecodedEvent, Records } from "../../events/read/Records.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import * as EventFilter from "../../projections/timetravel/EventFilter.ts"
import { paths } from "../../projections/timetravel/Predicate.ts"
import * as PredicateReads from "../../projections/timetravel/PredicateReads.ts"
import * as PredicateTransitions from "../../projections/timetravel/PredicateTransitions.ts"
import * as Entries from "../course/Entries.ts"
import { REQUEST_BUDGET } from "../course/TaskFilter.ts"
import { StudioLog } from "../StudioLog.ts"
import type { FindLine } from "../wire/Asking.ts"
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

/** Maximum length of a search text in characters. V8 may compare the text at each place of a payload. */
const LONGEST_TEXT = 1_000

export const SearchQuery = Schema.Struct({
  text: Schema.NonEmptyString.pipe(
    Schema.maxLength(LONGEST_TEXT),
    Schema.annotations({ description: `a text of at most ${LONGEST_TEXT} characters` }),
  ),
})

/**
 * Every event on any timeline whose payload contains a text, ignoring case. Includes personal data whose key is
 * available.
 */
export const search = ({ text }: typeof SearchQuery.Type) =>
  Effect.gen(function* () {
    const records = yield* Records
    const { position: of } = yield* (yield* EventLog).head
    const wanted = JSON.stringify(text).slice(1, -1).toLowerCase()
    return searching((tell) =>
      Stream.asyncPush<FindLine, LogError>((emit) =>
        records
          .decoded({ until: of }, { decrypted: true }, (page) => {
            for (const record of page) {
              if (record.text.toLowerCase().includes(wanted)) emit.single({ hit: Entries.hit(eventOf(record)) })
            }
            return tell({ progress: { done: page.at(-1)?.link.position ?? of, of } })
          })
          .pipe(
            Effect.matchCause({ onFailure: (cause) => emit.halt(cause), onSuccess: () => emit.end() }),
            Effect.forkScoped,
          ),
      ),
    )
  })

/** The link has all fields of the envelope that a line needs. */
const eventOf = ({ link, text, hash }: DecodedEvent): Event => ({ ...link, payload: JSON.parse(text), hash })

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

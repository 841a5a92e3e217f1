/** Timelines that are not in the log yet: what is appended to them is kept in memory until all of it is committed. */

import { Chunk, Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import {
  type AppendError,
  type Appended,
  type AppendPart,
  type AppendRequest,
  EventLog,
  LogUnavailable,
  type NewEvent,
  NoStream,
} from "../../events/log/EventLog.ts"
import * as MemoryEventLog from "../../events/memory/MemoryEventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"

/** A timeline that is not in the log yet. */
export interface Draft {
  /**
   * Appends all that was recorded to the log, in one commit, with its ids and times. Later appends go to the log. Does
   * nothing if that was done, or if the draft was discarded. Fails with `VersionConflict` if the stream of the first
   * event has events meanwhile.
   */
  readonly commit: Effect.Effect<void, AppendError>
  /** Forgets all that was recorded, and gives the name free. Does nothing after a commit. */
  readonly discard: Effect.Effect<void>
  /** Whether the draft was recorded in the log. */
  readonly isCommitted: () => boolean
}

/** The timelines of a kernel that are not in the log yet. */
export interface DraftTimelines {
  /**
   * The log, whose appends to a drafted timeline are validated and kept in memory. Their versions count from 1, and
   * their positions are provisional. Reads do not see them.
   */
  readonly log: EventLog.Service
  /** The names of the timelines that are being drafted. */
  readonly names: () => ReadonlyArray<string>
  /** Begins a draft; undefined if there is one of that name. */
  readonly begin: (timeline: string) => Effect.Effect<Draft | undefined>
}

/**
 * Most events of a draft, and most characters of their payloads. A draft that would exceed them is committed, so that
 * memory is bounded.
 */
export const MAX_DRAFTED_EVENTS = 5000
const MAX_DRAFTED_CHARACTERS = 32 * 1024 * 1024

export const make = (log: EventLog.Service): DraftTimelines => {
  const drafts = new Map<string, KeptTimeline>()
  /** Discarded timelines: a plugin may tell about one of them late, which must not come into the log. */
  const discarded = new Set<string>()
  const append = (request: AppendRequest) => {
    const { timeline = log.timeline } = request
    const draft = drafts.get(timeline)
    if (draft !== undefined) return draft.append(request)
    return discarded.has(timeline) ? notRecorded(log) : log.append(request)
  }
  return {
    names: () => [...drafts.keys()],
    log: {
      ...log,
      append: (request) => Effect.suspend(() => append(request)),
    },
    begin: (timeline) =>
      Effect.gen(function* () {
        const kept: KeptTimeline = yield* keep(log, (how) => {
          if (drafts.get(timeline) !== kept) return
          drafts.delete(timeline)
          if (how === "discarded") discarded.add(timeline)
        })
        if (drafts.has(timeline)) return yield* Effect.as(kept.discard, undefined)
        drafts.set(timeline, kept)
        discarded.delete(timeline)
        return kept
      }),
  }
}

interface KeptTimeline extends Draft {
  readonly append: EventLog.Service["append"]
}

const notRecorded = (log: EventLog.Service) =>
  new LogUnavailable({ log: log.name, reason: "the timeline was not recorded" })

/** @param ended called when the draft was committed or discarded */
const keep = (log: EventLog.Service, ended: (how: "committed" | "discarded") => void): Effect.Effect<KeptTimeline> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Layer.orDie(MemoryEventLog.layer()), scope)
    const memory = Context.get(built, EventLog)
    const turn = Effect.unsafeMakeSemaphore(1)
    let state: "kept" | "committed" | "discarded" = "kept"
    let [events, characters] = [0, 0]

    const end = (how: "committed" | "discarded") =>
      Effect.suspend(() => {
        state = how
        ended(how)
        return Scope.close(scope, Exit.void)
      })

    const commitNow = Effect.gen(function* () {
      const [first, ...rest] = Chunk.toReadonlyArray(yield* Stream.runCollect(memory.read()))
      if (first !== undefined) {
        yield* log.append({ ...partOf(first), expected: NoStream, with: rest.map(partOf) })
      }
      yield* end("committed")
    })

    const append = (request: AppendRequest): Effect.Effect<Appended, AppendError> =>
      Effect.suspend(() => {
        if (state === "committed") return log.append(request)
        if (state === "discarded") return notRecorded(log)
        if (!canBeKept(request) || events >= MAX_DRAFTED_EVENTS || characters >= MAX_DRAFTED_CHARACTERS)
          return Effect.zipRight(Effect.uninterruptible(commitNow), log.append(request))
        return Effect.tap(memory.append(request), (appended) => {
          events += appended.events.length
          for (const { payload } of appended.events) characters += JSON.stringify(payload).length
        })
      }).pipe(turn.withPermits(1))

    return {
      append,
      commit: Effect.uninterruptible(
        turn.withPermits(1)(Effect.suspend(() => (state === "kept" ? commitNow : Effect.void))),
      ),
      discard: Effect.uninterruptible(
        turn.withPermits(1)(Effect.suspend(() => (state === "kept" ? end("discarded") : Effect.void))),
      ),
      isCommitted: () => state === "committed",
    }
  })

/** A question to a person is answered through the log, and personal data is encrypted by the log's keys. */
const canBeKept = ({ subject, events }: AppendRequest): boolean =>
  subject === undefined && !events.some(({ type }) => type === "ConfirmationRequested")

const partOf = ({ timeline, stream, taskId, actor, ...event }: Event): AppendPart => {
  const { id, type, payload, causationId, occurredAt } = event
  const events: ReadonlyArray<NewEvent> = [{ id, type, payload, causationId, occurredAt }]
  return { timeline, stream, taskId, actor, events }
}

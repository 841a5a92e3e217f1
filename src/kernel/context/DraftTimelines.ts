/** Keeps the appends of a new timeline in memory until all of them are committed at once. */

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
   * Appends all kept events to the log in one commit, with their ids and times. Later appends go to the log. Has no
   * effect after a commit or a discard. Fails with `VersionConflict` if the first event's stream exists by then.
   */
  readonly commit: Effect.Effect<void, AppendError>
  /** Forgets the kept events and frees the name. Has no effect after a commit. */
  readonly discard: Effect.Effect<void>
  readonly isCommitted: () => boolean
}

/** The drafts of a kernel. */
export interface DraftTimelines {
  /**
   * Validates appends to a drafted timeline and keeps them in memory. Versions count from 1, and positions are
   * provisional. Reads do not see them.
   */
  readonly log: EventLog.Service
  readonly names: () => ReadonlyArray<string>
  readonly begin: (timeline: string) => Effect.Effect<Draft | undefined>
}

/**
 * Limits of a draft's events and of their payloads' characters. A draft that would exceed them is committed, to bound
 * memory.
 */
export const MAX_DRAFTED_EVENTS = 5000
const MAX_DRAFTED_CHARACTERS = 32 * 1024 * 1024

export const make = (log: EventLog.Service): DraftTimelines => {
  const drafts = new Map<string, KeptTimeline>()
  /** A plugin may report to a discarded timeline late; the log must not get that. */
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

/** A question to a person is answered through the log, and the log's keys encrypt personal data. */
const canBeKept = ({ subject, events }: AppendRequest): boolean =>
  subject === undefined && !events.some(({ type }) => type === "ConfirmationRequested")

const partOf = ({ timeline, stream, taskId, actor, ...event }: Event): AppendPart => {
  const { id, type, payload, causationId, occurredAt } = event
  const events: ReadonlyArray<NewEvent> = [{ id, type, payload, causationId, occurredAt }]
  return { timeline, stream, taskId, actor, events }
}

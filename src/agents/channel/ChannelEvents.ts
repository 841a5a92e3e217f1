/** The event stream of a channel: a task's events, interleaved with pieces of the answer in progress. */

import { Chunk, Effect, Exit, Option, Queue, Stream } from "effect"
import { CaughtUp, type EventLog, type LogError, type Span } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { isEnd } from "../../kernel/acting/CommandState.ts"
import { defined } from "../../values/defined.ts"
import { type ChannelEvent, type Happening, initial, type Telling, tell } from "./ChannelEvent.ts"
import * as Cursor from "./Cursor.ts"
import type { Deltas } from "./Deltas.ts"

export interface Source {
  readonly log: EventLog.Service
  readonly taskId: string
  readonly deltas: Deltas | undefined
}

/**
 * Streams events after a place, without gaps or repeats and without end. Pieces of an answer come after its
 * `ModelCalled` event and before the event that ends the request.
 */
export const follow = (source: Source, after: Cursor.Cursor): Stream.Stream<ChannelEvent, LogError> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { log, taskId, deltas } = source
      const wake = yield* Effect.makeLatch(false)
      const pages = yield* Queue.bounded<Exit.Exit<ReadonlyArray<Event>, LogError>>(MOST_PAGES)
      const offer = (page: Exit.Exit<ReadonlyArray<Event>, LogError>) => Effect.zipRight(pages.offer(page), wake.open)
      // Without a timeline, to include questions of the task's forks.
      yield* log.follow({ taskId }).pipe(
        Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
        Stream.runForEachChunk((page) => offer(Exit.succeed(Chunk.toReadonlyArray(page)))),
        Effect.catchAllCause((cause) => offer(Exit.failCause(cause))),
        Effect.forkScoped,
      )
      yield* Effect.acquireRelease(
        Effect.sync(() => deltas?.listen(() => wake.unsafeOpen())),
        (stop) => Effect.sync(() => stop?.()),
      )
      const teller = tellerOf(source, after)
      const next: Effect.Effect<Chunk.Chunk<ChannelEvent>, LogError> = Effect.gen(function* () {
        for (;;) {
          // Closed before the check, so that no later event is missed.
          yield* wake.close
          const page = yield* Queue.poll(pages)
          const told = Option.isSome(page) ? (yield* page.value).flatMap(teller.event) : teller.live()
          if (told.length > 0) return Chunk.unsafeFromArray(told)
          if (Option.isNone(page)) yield* wake.await
        }
      })
      return Stream.repeatEffectChunk(next)
    }),
  )

const MOST_PAGES = 2

interface Answer {
  readonly request: string
  readonly position: number
  pieces: number
}

const tellerOf = ({ log, deltas }: Source, after: Cursor.Cursor) => {
  let telling: Telling = initial
  let position = 0
  let answer: Answer | undefined
  /** The running commands, with the number of the last report that was told. */
  const running = new Map<string, { readonly toolName: string; told: number }>()

  const placed = (happening: Happening, timeline: string, told?: number): ChannelEvent => ({
    ...happening,
    position,
    timeline,
    cursor: Cursor.format({
      position,
      ...defined({ told, answer }),
    }),
  })

  const pieces = (): ReadonlyArray<ChannelEvent> => {
    const told: Array<ChannelEvent> = []
    if (answer === undefined || deltas === undefined) return told
    const { request } = answer
    const all = deltas.piecesOf(request)
    while (answer.pieces < all.length) {
      const first = all[answer.pieces]
      if (first === undefined) break
      let text = ""
      for (let piece = all[answer.pieces]; piece !== undefined; piece = all[answer.pieces]) {
        if (piece.index !== first.index || piece.kind !== first.kind) break
        text += piece.text
        answer.pieces += 1
      }
      const { index, kind } = first
      told.push(placed({ type: "onDelta", request, index, kind, text }, log.timeline))
    }
    return told
  }

  const progressOf = (commandId: string): ReadonlyArray<ChannelEvent> => {
    const command = running.get(commandId)
    const newest = deltas?.progressOf(commandId)
    if (command === undefined || newest === undefined || newest.number <= command.told) return []
    command.told = newest.number
    const { toolName } = command
    return [placed({ type: "onToolProgress", commandId, toolName, progress: newest.report }, log.timeline)]
  }

  const live = (): ReadonlyArray<ChannelEvent> => [...pieces(), ...[...running.keys()].flatMap(progressOf)]

  /** Follows the commands that run. Returns what is left to tell of one that ends. */
  const follow = (event: Event): ReadonlyArray<ChannelEvent> => {
    if (is(event, "ActuatorCommanded")) {
      running.set(event.payload.commandId, { toolName: event.payload.actuator, told: 0 })
      return []
    }
    const { commandId } = event.payload
    if (!isEnd(event.type) || typeof commandId !== "string") return []
    const last = progressOf(commandId)
    running.delete(commandId)
    return last
  }

  const event = (event: Event): ReadonlyArray<ChannelEvent> => {
    const isOwn = isIn(log.spans, event)
    const isNew = event.position >= after.position
    const progress = isOwn ? follow(event) : []
    const ends = isOwn && (is(event, "ModelResponded") || is(event, "ModelFailed"))
    const last = ends && isNew && event.causationId === answer?.request ? pieces() : []
    if (ends && event.causationId === answer?.request) answer = undefined
    position = event.position
    if (isOwn && is(event, "ModelCalled") && event.payload.hedgeOf === undefined) {
      const known = after.answer?.position === position ? after.answer.pieces : 0
      answer = { request: event.id, position, pieces: known }
    }
    const [next, happenings] = tell(telling, event, isOwn)
    telling = next
    if (!isNew) return []
    const from = position > after.position ? 0 : (after.told ?? happenings.length)
    const told = happenings.map((happening, index) => {
      const isLast = index === happenings.length - 1
      return placed(happening, event.timeline, isLast ? undefined : index + 1)
    })
    return [...last, ...progress, ...told.slice(from)]
  }

  return { event, live }
}

const isIn = (spans: ReadonlyArray<Span>, { timeline, position }: Event): boolean =>
  spans.some((span) => span.timeline === timeline && position <= span.until)

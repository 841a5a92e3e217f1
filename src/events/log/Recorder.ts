/** Appends events of one stream in the order in which a program decides them, with the right expected versions. */

import { Cause, Effect, Exit, Option } from "effect"
import * as OneAtATime from "../../platform/OneAtATime.ts"
import type { WallClockWatch } from "../../platform/WallClockWatch.ts"
import { defined } from "../../values/defined.ts"
import { type Event, newId } from "../vocabulary/Event.ts"
import { firstEvent } from "./AppendRequest.ts"
import {
  type AppendError,
  type Appended,
  type AppendPart,
  type AppendRequest,
  type CoreNewEvent,
  type EventLog,
  Exact,
  NoStream,
  VersionConflict,
} from "./EventLog.ts"
import * as StreamState from "./StreamState.ts"

/**
 * Appends to one stream as one actor. Concurrent appends expect the versions that the appends before them leave, so
 * they commit together.
 */
export interface Recorder {
  /**
   * Appends an event and its consequences in one commit, and returns the first as stored. It is the cause of every
   * consequence that names none. If another program has appended, the append repeats after its events, unless the log
   * refuses it (see `AppendError`).
   */
  readonly record: (
    event: CoreNewEvent,
    ...consequences: ReadonlyArray<CoreNewEvent>
  ) => Effect.Effect<Event, AppendError>
  /**
   * Appends events in one commit, each with its own cause, and returns them as stored. Repeats like `record`. Given ids
   * must be new.
   */
  readonly recordAll: (
    events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
  ) => Effect.Effect<ReadonlyArray<Event>, AppendError>
  /**
   * Like `recordAll`, but only if no other program has appended to the stream; otherwise records nothing and returns
   * undefined. Waits until no append is pending, in order of the calls, and gives up after `MAX_AWAITED` appends. The
   * ids of the events must be new.
   *
   * @param applies decides after the wait whether to record at all
   */
  readonly recordUndisturbed: <E>(
    events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
    applies: Effect.Effect<boolean, E>,
  ) => Effect.Effect<ReadonlyArray<Event> | undefined, AppendError | E>
  /**
   * Queues an event for the next commit of this recorder, or of another actor's recorder of the stream, where it comes
   * first. Returns its id. For events that mean nothing alone, such as a decision whose command follows at once:
   * without a next commit, the log never has it. If it is invalid, the append that brings it fails. If the log cannot
   * be written, the next append brings it.
   */
  readonly hold: (event: CoreNewEvent) => string
  /** Appends the held events now, if there are any. */
  readonly recordHeld: Effect.Effect<void, AppendError>
  /**
   * Appends the first event of a stream, and returns it. If the stream has events, fails with them (`VersionConflict`).
   */
  readonly recordFirst: (event: CoreNewEvent, more?: WithFirst) => Effect.Effect<Event, AppendError>
  /**
   * Appends events in one commit and returns the first. Fails with `VersionConflict` if another program has, or may
   * have, appended after `version`; the conflict's events start after the last one up to which all are this recorder's.
   * Given ids must be new.
   */
  readonly recordAfter: (
    version: number,
    event: CoreNewEvent,
    ...others: ReadonlyArray<CoreNewEvent>
  ) => Effect.Effect<Event, AppendError>
  /** A recorder of the same stream for another actor. */
  readonly as: (actor: string) => Recorder
}

/** Additions of an append to a stream's first event. */
export interface WithFirst {
  /** Whose personal data the event holds; later events of the task inherit it. */
  readonly subject?: string | undefined
  /** The task whose subject that is, if the caller does not know the subject. */
  readonly subjectOfTask?: string | undefined
  /** Further events of the stream in the same commit. */
  readonly followedBy?: ReadonlyArray<CoreNewEvent>
  /** Events of other streams in the same commit. */
  readonly elsewhere?: ReadonlyArray<AppendPart>
}

export interface RecorderTarget {
  readonly stream: string
  readonly taskId: string | null
  readonly actor: string
}

/**
 * Creates a recorder. Use one per stream and program: a second one would take the first one's appends for another
 * program's.
 *
 * @param noticed receives events of other programs when an append meets them
 * @param clock its changes are recorded (`ClockChanged`) before the next event. Default: none
 */
export const make = (
  log: EventLog.Service,
  recording: RecorderTarget,
  noticed: (events: ReadonlyArray<Event>) => void = () => {},
  clock?: WallClockWatch,
): Recorder =>
  recorderFor(
    log,
    recording,
    StreamState.make(noticed, () => clockChange(recording.actor, clock)),
  )

const clockChange = (actor: string, clock: WallClockWatch | undefined): CoreNewEvent | undefined => {
  const byMs = clock?.changedByMs()
  return byMs === undefined ? undefined : { type: "ClockChanged", id: newId(), actor, payload: { byMs } }
}

/** So that a program that always records cannot block `recordUndisturbed`. */
const MAX_AWAITED = 64

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const uninterrupted: Restore = (effect) => effect

const recorderFor = (log: EventLog.Service, recording: RecorderTarget, state: StreamState.StreamState): Recorder => {
  const append = (
    request: Pick<AppendRequest, "events" | "expected" | "newIds" | "subject" | "subjectOfTask" | "with">,
  ) => Effect.flatMap(log.append({ ...recording, ...request }), firstEvent)

  /** Counts an append as pending until it ends, even by interruption. */
  const begun = <A, E>(appending: Effect.Effect<A, E>, restore: Restore): Effect.Effect<A, E> => {
    state.pending += 1
    return OneAtATime.endingWith(restore(appending), ended)
  }

  const ended = () => {
    state.pending -= 1
    if (state.waiting.size > 0) for (const wake of [...state.waiting]) wake()
  }

  /** Appends after all pending appends. After a conflict, `again` decides. */
  const appendNext = <A>(
    events: ReadonlyArray<CoreNewEvent>,
    newIds: boolean,
    again: () => Effect.Effect<Appended | A, AppendError>,
    restore: Restore,
  ): Effect.Effect<Appended | A, AppendError> => {
    const { version, round } = state
    state.version += events.length
    state.pending += 1
    // Every event of an agent passes here, so one step of Effect's runtime covers everything that follows an append.
    return Effect.matchCauseEffect(restore(log.append({ ...recording, events, newIds, expected: Exact(version) })), {
      onSuccess: (appended) => {
        ended()
        state.committed = Math.max(state.committed, appended.version)
        return Effect.succeed(appended)
      },
      onFailure: (cause) => {
        ended()
        const conflict = Option.filter(Cause.failureOption(cause), (error) => error instanceof VersionConflict)
        if (Option.isNone(conflict)) {
          StreamState.unsure(state)
          return Effect.failCause(cause)
        }
        StreamState.rebase(state, conflict.value, round)
        return restore(again())
      },
    })
  }

  const nextEnd = Effect.async<void>((resume) => {
    const wake = () => {
      state.waiting.delete(wake)
      resume(Effect.void)
    }
    state.waiting.add(wake)
    return Effect.sync(() => state.waiting.delete(wake))
  })

  /** Appends once nothing is pending, waiting for at most `most` appends. */
  const appendUndisturbed = <E>(
    events: ReadonlyArray<CoreNewEvent>,
    applies: Effect.Effect<boolean, E>,
    most: number,
  ): Effect.Effect<ReadonlyArray<Event> | undefined, AppendError | E> =>
    Effect.suspend(() => {
      if (state.pending > 0 && most > 0) return Effect.zipRight(nextEnd, appendUndisturbed(events, applies, most - 1))
      return Effect.flatMap(applies, (still) =>
        Effect.uninterruptibleMask((restore): Effect.Effect<ReadonlyArray<Event> | undefined, AppendError | E> => {
          if (!still) return Effect.succeed(undefined)
          if (state.pending > 0 && most > 0) return restore(appendUndisturbed(events, applies, most - 1))
          // If a pending append failed, another program's events could take its place unnoticed.
          if (state.version !== state.committed) return Effect.succeed(undefined)
          return withHeld((held) =>
            Effect.map(
              appendNext([...held, ...events], true, () => putBack(held), held.length === 0 ? restore : uninterrupted),
              (appended) => appended?.events.slice(held.length),
            ),
          )
        }),
      )
    })

  const appendInOrder = (events: ReadonlyArray<CoreNewEvent>, newIds: boolean): Effect.Effect<Appended, AppendError> =>
    Effect.uninterruptibleMask((restore) => appendNext(events, newIds, () => appendInOrder(events, newIds), restore))

  const appendAll = (
    events: ReadonlyArray<CoreNewEvent>,
    newIds: boolean,
  ): Effect.Effect<ReadonlyArray<Event>, AppendError> =>
    withHeld(
      (held) =>
        Effect.map(appendInOrder([...held, ...events], newIds), (appended) => appended.events.slice(held.length)),
      newIds,
    )

  const appendFirst = (events: ReadonlyArray<CoreNewEvent>, newIds: boolean): Effect.Effect<Event, AppendError> =>
    Effect.flatMap(appendAll(events, newIds), (recorded) => firstEvent({ events: recorded }))

  /**
   * Appends with the held events, uninterrupted because nobody else would append them. They go first, separately, if
   * the append is invalid, or if its own ids may be old: the log looks for all ids of an append or for none.
   *
   * @param newIds true if the ids of the append's own events are new
   */
  const withHeld = <A>(
    append: (held: ReadonlyArray<CoreNewEvent>) => Effect.Effect<A, AppendError>,
    newIds = true,
  ): Effect.Effect<A, AppendError> => {
    const bringing = Effect.suspend(() => {
      const { held, heldAreNew } = state
      state.held = []
      state.heldAreNew = true
      const alone: Effect.Effect<unknown, AppendError> = heldAreNew
        ? appendInOrder(held, true)
        : Effect.forEach(held, (event) => appendInOrder([event], false))
      const apart = () => Effect.flatMap(unlessFailed(held, alone), () => append([]))
      return newIds && heldAreNew ? Effect.catchTag(unlessFailed(held, append(held)), "InvalidEvent", apart) : apart()
    })
    return Effect.suspend(() => {
      const change = state.clockChange()
      if (change !== undefined) state.held = [change, ...state.held]
      return state.held.length === 0 ? append([]) : Effect.uninterruptible(bringing)
    })
  }

  /** Holds the events again if the log could not be written. It may have stored them nevertheless. */
  const unlessFailed = <A>(held: ReadonlyArray<CoreNewEvent>, appending: Effect.Effect<A, AppendError>) =>
    Effect.tapError(appending, ({ _tag }) => {
      if (_tag === "InvalidEvent") return Effect.void
      state.heldAreNew = false
      return putBack(held)
    })

  const putBack = (held: ReadonlyArray<CoreNewEvent>) =>
    Effect.sync(() => {
      state.held = [...held, ...state.held]
    })

  const appendAfter =
    (version: number, events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>]) => (restore: Restore) => {
      const expected = version < state.ownFrom ? version : Math.max(version, state.committed)
      const after = expected + events.length
      const isNext = expected === state.version
      if (isNext) state.version = after
      const { committed } = state
      const appending = append({ events, newIds: true, expected: Exact(expected) })
      return Effect.onExit(begun(appending, restore), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) return isNext ? StreamState.unsure(state) : undefined
          StreamState.appendedAfter(state, expected, after, committed)
        }),
      )
    }

  return {
    record: (event, ...consequences) => {
      if (consequences.length === 0) return appendFirst([event], event.id === undefined)
      const id = event.id ?? newId()
      const events = [{ ...event, id }, ...consequences.map((consequence) => ({ causationId: id, ...consequence }))]
      const areNew = event.id === undefined && consequences.every((consequence) => consequence.id === undefined)
      return appendFirst(events, areNew)
    },
    recordAll: (events) => appendAll(events, true),
    recordUndisturbed: (events, applies) => state.oneByOne(appendUndisturbed(events, applies, MAX_AWAITED)),
    hold: (event) => {
      const id = newId()
      state.held = [...state.held, { ...event, id, actor: recording.actor }]
      return id
    },
    recordHeld: Effect.suspend(() =>
      state.held.length === 0
        ? Effect.void
        : withHeld((held) => (held.length === 0 ? Effect.void : Effect.asVoid(appendInOrder(held, true)))),
    ),
    recordFirst: (event, { subject, subjectOfTask, followedBy = [], elsewhere } = {}) => {
      const events = [event, ...followedBy]
      const asked = { events, expected: NoStream, ...defined({ subject, subjectOfTask, with: elsewhere }) }
      return Effect.tap(append(asked), () => {
        StreamState.begun(state, events.length)
      })
    },
    // One by one: of many with the same expected version, all but the first would read the others' events.
    recordAfter: (version, ...events) => state.oneByOne(Effect.uninterruptibleMask(appendAfter(version, events))),
    as: (actor) => recorderFor(log, { ...recording, actor }, state),
  }
}

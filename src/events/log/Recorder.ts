/** Appends the events of one stream in the order in which a program decides them, with the right expected versions. */

import { type Context, Effect } from "effect"
import { type Event, newId } from "../vocabulary/Event.ts"
import { firstEvent } from "./AppendRequest.ts"
import {
  type AppendError,
  type Appended,
  type AppendRequest,
  type CoreNewEvent,
  type EventLog,
  Exact,
  NoStream,
  type VersionConflict,
} from "./EventLog.ts"

/**
 * Appends to one stream as one actor. Every append expects the version at which the recorder knows the stream to be.
 * Concurrent appends expect the versions that the appends before them leave, so that they are committed together.
 */
export interface Recorder {
  /**
   * Appends an event and its consequences in one commit. The first event is the cause of every consequence that names
   * no other cause. Returns the first event as stored. If another program appended to the stream meanwhile, the append
   * is repeated after its events, unless the log refuses it (see `AppendError`).
   */
  readonly record: (
    event: CoreNewEvent,
    ...consequences: ReadonlyArray<CoreNewEvent>
  ) => Effect.Effect<Event, AppendError>
  /** Appends events in one commit, each with its own cause. Returns them as stored. It is repeated as `record` is. */
  readonly recordAll: (
    events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
  ) => Effect.Effect<ReadonlyArray<Event>, AppendError>
  /**
   * Appends events as `recordAll` does, but only if nothing else is pending and no other program has appended to the stream:
   * otherwise nothing is recorded, and it returns undefined. The ids of the events must be new.
   */
  readonly recordUndisturbed: (
    events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
  ) => Effect.Effect<ReadonlyArray<Event> | undefined, AppendError>
  /** Waits until no append of this recorder is pending. */
  readonly settled: Effect.Effect<void>
  /** Appends the first event of a stream. Fails with the existing events if there are any (`VersionConflict`). */
  readonly recordFirst: (event: CoreNewEvent) => Effect.Effect<Event, AppendError>
  /**
   * Appends an event, and others in the same commit, if the stream is at `version`. Returns the first. Otherwise fails
   * with the events after that version (`VersionConflict`).
   */
  readonly recordAfter: (
    version: number,
    event: CoreNewEvent,
    ...others: ReadonlyArray<CoreNewEvent>
  ) => Effect.Effect<Event, AppendError>
  /** A recorder of the same stream for another actor. */
  readonly as: (actor: string) => Recorder
}

/** The stream, task and actor of a recorder. */
export interface RecorderTarget {
  readonly stream: string
  readonly taskId: string | null
  readonly actor: string
}

/**
 * Makes a recorder. Use one per stream and program: two recorders would treat each other's appends as another
 * program's.
 *
 * @param noticed called with events that other programs appended to the stream, when an append meets them
 */
export const make = (
  log: Context.Tag.Service<EventLog>,
  recording: RecorderTarget,
  noticed: (events: ReadonlyArray<Event>) => void = () => {},
): Recorder =>
  recorderFor(log, recording, { version: 0, committed: 0, round: 0, pending: 0, waiting: new Set(), noticed })

/** The stream as it will be when all pending appends are committed. */
interface StreamState {
  version: number
  /** The version that is known to be committed. */
  committed: number
  /**
   * Counts the conflicts that corrected `version`. A conflict of an append from an earlier round carries no newer
   * version.
   */
  round: number
  /** How many appends are pending, and who waits until there is none. */
  pending: number
  readonly waiting: Set<() => void>
  readonly noticed: (events: ReadonlyArray<Event>) => void
}

const recorderFor = (log: Context.Tag.Service<EventLog>, recording: RecorderTarget, state: StreamState): Recorder => {
  const append = (request: Pick<AppendRequest, "events" | "expected">) =>
    Effect.flatMap(log.append({ ...recording, ...request }), firstEvent)

  /** Appends events after all appends that are pending. After a conflict, `again` decides what happens. */
  const appendNext = <A>(
    events: ReadonlyArray<CoreNewEvent>,
    newIds: boolean,
    again: () => Effect.Effect<Appended | A, AppendError>,
  ): Effect.Effect<Appended | A, AppendError> =>
    Effect.suspend(() => {
      const { version, round } = state
      state.version += events.length
      state.pending += 1
      const appending = log.append({ ...recording, events, newIds, expected: Exact(version) })
      return Effect.catchTag(
        Effect.ensuring(Effect.map(appending, committed), ended),
        "VersionConflict",
        (conflict) => {
          rebase(conflict, round)
          return again()
        },
      )
    })

  const committed = (appended: Appended): Appended => {
    state.committed = Math.max(state.committed, appended.version)
    return appended
  }

  /** One pending append has ended. */
  const ended = Effect.sync(() => {
    state.pending -= 1
    if (state.pending > 0) return
    for (const go of state.waiting) go()
    state.waiting.clear()
  })

  const settled = Effect.async<void>((resume) => {
    if (state.pending === 0) return resume(Effect.void)
    const go = () => resume(Effect.void)
    state.waiting.add(go)
    return Effect.sync(() => state.waiting.delete(go))
  })

  const appendAll = (events: ReadonlyArray<CoreNewEvent>, newIds = false): Effect.Effect<Appended, AppendError> =>
    appendNext(events, newIds, () => appendAll(events, newIds))

  const appendInOrder = (events: ReadonlyArray<CoreNewEvent>, newIds: boolean): Effect.Effect<Event, AppendError> =>
    Effect.flatMap(appendAll(events, newIds), firstEvent)

  const rebase = ({ actual, missed }: VersionConflict, round: number) => {
    if (round !== state.round) return
    state.noticed(missed)
    state.version = actual
    state.committed = actual
    state.round += 1
  }

  return {
    record: (event, ...consequences) => {
      if (consequences.length === 0) return appendInOrder([event], false)
      const id = event.id ?? newId()
      const events = [{ ...event, id }, ...consequences.map((consequence) => ({ causationId: id, ...consequence }))]
      const areNew = event.id === undefined && consequences.every((consequence) => consequence.id === undefined)
      return appendInOrder(events, areNew)
    },
    recordAll: (events) => Effect.map(appendAll(events), ({ events }) => events),
    recordUndisturbed: (events) =>
      Effect.suspend(() =>
        // If one that is pending failed, events of another program could take its place unnoticed.
        state.version !== state.committed
          ? Effect.succeed(undefined)
          : Effect.map(
              appendNext(events, true, () => Effect.succeed(undefined)),
              (appended) => appended?.events,
            ),
      ),
    settled,
    recordFirst: (event) =>
      Effect.tap(append({ events: [event], expected: NoStream }), () => {
        state.version = 1
        state.committed = 1
      }),
    recordAfter: (version, event, ...others) =>
      Effect.suspend(() => {
        const after = version + 1 + others.length
        if (version === state.version) state.version = after
        return Effect.tap(append({ events: [event, ...others], expected: Exact(version) }), () => {
          state.version = Math.max(state.version, after)
          state.committed = Math.max(state.committed, after)
        })
      }),
    as: (actor) => recorderFor(log, { ...recording, actor }, state),
  }
}

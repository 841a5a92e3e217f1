import { type Context, Effect } from "effect"
import { type Event, newId } from "../vocabulary/Event.ts"
import {
  type AppendError,
  type AppendRequest,
  type CoreNewEvent,
  type EventLog,
  Exact,
  NoStream,
  type VersionConflict,
} from "./EventLog.ts"

/**
 * Appends to one stream in one name. Every append expects the version at which the recorder knows the stream to stand.
 * Appends that are under way at the same time expect the versions that those before them leave, and are committed together.
 */
export interface Recorder {
  /**
   * Appends an event, and in the same commit what follows from it: a consequence that does not say otherwise has the
   * first event as its cause. Answers with the first event as it stands in the log. What another program has appended to
   * the stream meanwhile is passed over, as long as the log lets this one append at all.
   */
  readonly record: (
    event: CoreNewEvent,
    ...consequences: ReadonlyArray<CoreNewEvent>
  ) => Effect.Effect<Event, AppendError>
  /** Appends an event that begins its stream; where there is one, fails with what it begins with (`VersionConflict`). */
  readonly recordFirst: (event: CoreNewEvent) => Effect.Effect<Event, AppendError>
  /** Appends an event if its stream still stands at a version; else fails with what came after it (`VersionConflict`). */
  readonly recordAfter: (version: number, event: CoreNewEvent) => Effect.Effect<Event, AppendError>
  /** Appends to the same stream in another name. */
  readonly as: (actor: string) => Recorder
}

/** Who appends what to where. */
export interface Recording {
  readonly stream: string
  readonly taskId: string | null
  readonly actor: string
}

/** One recorder a stream, for all that a program appends to it: two would take each other for strangers. */
export const make = (log: Context.Tag.Service<EventLog>, recording: Recording): Recorder =>
  inName(log, recording, { version: 0, round: 0 })

/** Where a stream stands once all is committed that is under way. */
interface Standing {
  version: number
  /** Counts how often that was wrong: what is under way since before the last time is told nothing new by its conflict. */
  round: number
}

const inName = (log: Context.Tag.Service<EventLog>, recording: Recording, standing: Standing): Recorder => {
  const append = (request: Pick<AppendRequest, "events" | "expected">) =>
    Effect.flatMap(log.append({ ...recording, ...request }), ({ events: [first] }) =>
      first === undefined ? Effect.dieMessage("an append answered without events") : Effect.succeed(first),
    )

  const inTurn = (events: ReadonlyArray<CoreNewEvent>): Effect.Effect<Event, AppendError> =>
    Effect.suspend(() => {
      const { version, round } = standing
      standing.version += events.length
      return append({ events, expected: Exact(version) }).pipe(
        Effect.catchTag("VersionConflict", (conflict) => {
          adopt(conflict, round)
          return inTurn(events)
        }),
      )
    })

  const adopt = ({ actual }: VersionConflict, round: number) => {
    if (round !== standing.round) return
    standing.version = actual
    standing.round += 1
  }

  return {
    record: (event, ...consequences) => {
      if (consequences.length === 0) return inTurn([event])
      const id = event.id ?? newId()
      return inTurn([{ ...event, id }, ...consequences.map((consequence) => ({ causationId: id, ...consequence }))])
    },
    recordFirst: (event) =>
      Effect.tap(append({ events: [event], expected: NoStream }), () => {
        standing.version = 1
      }),
    recordAfter: (version, event) =>
      Effect.suspend(() => {
        if (version === standing.version) standing.version += 1
        return append({ events: [event], expected: Exact(version) })
      }),
    as: (actor) => inName(log, { ...recording, actor }, standing),
  }
}

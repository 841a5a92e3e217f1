/**
 * The stream of a recorded run's task. It takes no lease: several programs record to one log, each appending to its own
 * task's stream, and the log orders the commits.
 */

import { Effect, Option, Stream } from "effect"
import * as DirectAppend from "../../events/append/DirectAppend.ts"
import type { AppendError, CoreNewEvent, EventLog } from "../../events/log/EventLog.ts"
import { CaughtUp, Exact, InvalidEvent, VersionConflict } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { cancelledReason, TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import * as WallClockWatch from "../../platform/WallClockWatch.ts"

/** Events to append. Those without a cause get the opening of the task. */
export type Told = readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>]

export interface AppendOptions {
  /** Commit within `LATEST_MS`, or with the next events. */
  readonly later?: boolean
  /** They begin something in the world, so they wait while the task is paused. */
  readonly begins?: boolean
  /** Replacement events if the log refuses these, for example for a result that is too large. */
  readonly otherwise?: (refused: InvalidEvent) => Told
}

export interface RunStream {
  /** Appends events in one commit, in the order of calls. Rejects with `TaskClosed` if someone else ended the task. */
  readonly append: (events: Told, options?: AppendOptions) => Promise<void>
  /** Set once someone else has ended the task. */
  readonly ended: () => TaskClosed | undefined
}

/** Maximum delay of a commit, in milliseconds. */
const LATEST_MS = 20

/** A batch takes no further calls once it has this many events. An append holds at most 10,000. */
const MOST_EVENTS = 1000

interface Waiting extends AppendOptions {
  readonly events: Told
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export interface RunTarget {
  readonly log: EventLog.Service
  readonly run: <A>(effect: Effect.Effect<A, AppendError>) => Promise<A>
  readonly taskId: string
  readonly actor: string
  /** The event that causes all others, and the stream's version after it. */
  readonly opened: { readonly id: string; readonly version: number; readonly position: number }
}

/** The stream's only writer, except for those who pause, cancel or close the task. */
export const make = ({ log, run, taskId, actor, opened }: RunTarget): RunStream => {
  const stream = `task/${taskId}`
  let waiting: Array<Waiting> = []
  let { version, position } = opened
  let isCommitting = false
  let isPaused = false
  let isFollowing = false
  let later: ReturnType<typeof setTimeout> | undefined
  let ended: TaskClosed | undefined

  const eventOf = (event: CoreNewEvent): CoreNewEvent => ({ causationId: opened.id, ...event })
  const append = DirectAppend.appending(log, run)
  const write = (events: ReadonlyArray<CoreNewEvent>) =>
    append({ stream, taskId, actor, expected: Exact(version), newIds: true, givenAway: true, events })
  const clock = WallClockWatch.make()
  /** Clock change in milliseconds that no commit has reported yet. */
  let changedByMs = 0

  /** Puts a pending clock change before the events. */
  const afterChange = (events: ReadonlyArray<CoreNewEvent>): ReadonlyArray<CoreNewEvent> => {
    changedByMs += clock.changedByMs() ?? 0
    if (changedByMs === 0) return events
    const now = Date.now()
    return [
      eventOf({ type: "ClockChanged", payload: { byMs: changedByMs } }),
      // Times from before the clock was set back would look like a long wait.
      ...events.map((event) => ({ ...event, occurredAt: Math.min(event.occurredAt ?? now, now) })),
    ]
  }

  /** Takes the next batch. Events that begin something stay back while the task is paused. */
  const next = (): ReadonlyArray<Waiting> => {
    const batch: Array<Waiting> = []
    const left: Array<Waiting> = []
    let size = 0
    for (const one of waiting) {
      const isNext = !(isPaused && one.begins === true) && size < MOST_EVENTS
      ;(isNext ? batch : left).push(one)
      if (isNext) size += one.events.length
    }
    waiting = left
    if (isPaused && left.length > 0) followUntilContinued()
    return batch
  }

  const commit = async (): Promise<void> => {
    if (isCommitting) return
    isCommitting = true
    clearTimeout(later)
    later = undefined
    try {
      for (let batch = next(); batch.length > 0; batch = next()) await commitBatch(batch)
    } finally {
      isCommitting = false
    }
  }

  const commitBatch = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
    try {
      const appended = await write(afterChange(batch.flatMap(({ events }) => events.map(eventOf))))
      changedByMs = 0
      version = appended.version
      position = appended.position
      for (const { resolve } of batch) resolve()
    } catch (error) {
      await recover(error, batch).catch((error) => rejectAll(batch, error))
    }
  }

  const recover = async (error: unknown, batch: ReadonlyArray<Waiting>): Promise<void> => {
    if (error instanceof VersionConflict) await meet(error, batch)
    else if (error instanceof InvalidEvent) await oneByOne(error, batch)
    else rejectAll(batch, error)
  }

  /** Someone else appended to the stream: a pause, a cancellation, a close or a note. */
  const meet = async ({ actual, missed }: VersionConflict, batch: ReadonlyArray<Waiting>): Promise<void> => {
    version = actual
    await learn(missed)
    if (ended === undefined) waiting.unshift(...batch)
    else rejectAll([...batch, ...waiting.splice(0)], ended)
  }

  const learn = async (events: ReadonlyArray<Event>): Promise<void> => {
    for (const event of events) {
      position = Math.max(position, event.position)
      if (is(event, "TaskPaused")) isPaused = true
      if (is(event, "TaskContinued")) isPaused = false
      if (is(event, "TaskCancelled")) ended = new TaskClosed({ taskId, because: "cancelled" })
      if (is(event, "TaskClosed")) ended ??= new TaskClosed({ taskId })
    }
    const cancelled = events.find((event) => is(event, "TaskCancelled"))
    if (cancelled === undefined || !is(cancelled, "TaskCancelled")) return
    if (events.some((event) => is(event, "TaskClosed"))) return
    const { by, reason } = cancelled.payload
    const payload = { outcome: "abandoned", reason: cancelledReason(by, reason) } as const
    // A kernel on the same log closes it too; the first one wins.
    const closed = eventOf({ type: "TaskClosed", causationId: cancelled.id, payload })
    await write(afterChange([closed])).catch(ignoringConflict)
  }

  /** One event of a batch was refused; appends the others without it. */
  const oneByOne = async (error: InvalidEvent, batch: ReadonlyArray<Waiting>): Promise<void> => {
    const [only] = batch
    if (batch.length > 1) for (const one of batch) await commitBatch([one])
    else if (only?.otherwise === undefined) only?.reject(error)
    else await commitBatch([{ resolve: only.resolve, reject: only.reject, events: only.otherwise(error) }])
  }

  const followUntilContinued = () => {
    if (isFollowing) return
    isFollowing = true
    const answered = log.follow({ stream, after: position }).pipe(
      Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
      Stream.filter((event) => ENDS_PAUSE.has(event.type)),
      Stream.runHead,
      Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed })),
    )
    run(answered).then(
      // The next append then meets the event that ended the pause.
      () => {
        isFollowing = false
        isPaused = false
        return commit()
      },
      (error) => {
        isFollowing = false
        rejectAll(waiting.splice(0), error)
      },
    )
  }

  return {
    ended: () => ended,
    append: (events, options = {}) =>
      new Promise<void>((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        waiting.push({ ...options, events, resolve, reject })
        if (options.later === true) later ??= setTimeout(() => void commit(), LATEST_MS)
        else void commit()
      }),
  }
}

const ENDS_PAUSE: ReadonlySet<string> = new Set(["TaskContinued", "TaskCancelled", "TaskClosed"])

const rejectAll = (batch: ReadonlyArray<Waiting>, error: unknown): void => {
  for (const { reject } of batch) reject(error)
}

const ignoringConflict = (error: unknown): void => {
  if (!(error instanceof VersionConflict)) throw error
}

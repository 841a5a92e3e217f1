/**
 * The stream of a recorded run's task. No kernel works on the task and no lease is taken, so that several programs record
 * to one log at once: each appends to the stream of its own task, and the log orders the commits.
 */

import { Effect, Option, Stream } from "effect"
import type { AppendError, CoreNewEvent, EventLog } from "../../events/log/EventLog.ts"
import { CaughtUp, Exact, InvalidEvent, VersionConflict } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { cancelledReason, TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import * as WallClockWatch from "../../platform/WallClockWatch.ts"

/** Events, of which each is caused by the opening of the task unless it names another cause. */
export type Told = readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>]

/** How events are appended. */
export interface AppendOptions {
  /** They need not be committed at once: within `LATEST_MS`, or with the next events that are. */
  readonly later?: boolean
  /** They begin something new in the world: they wait while the task is paused. */
  readonly begins?: boolean
  /** What is appended instead if the log refuses them, such as a result that is too large. */
  readonly otherwise?: (refused: InvalidEvent) => Told
}

/** The stream of one task. */
export interface RunStream {
  /** Appends events in one commit, in the order of the calls. Rejects with `TaskClosed` if the task was ended by another. */
  readonly append: (events: Told, options?: AppendOptions) => Promise<void>
  /** Why nothing more can be appended. */
  readonly ended: () => TaskClosed | undefined
}

/** How long events may wait for others to be committed with, in milliseconds. */
const LATEST_MS = 20

/** Most events of one commit: an append holds at most 10,000, and a call has few. */
const MOST_EVENTS = 1000

/** Events that wait for their commit. */
interface Waiting extends AppendOptions {
  readonly events: Told
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** What a stream needs. */
export interface RunTarget {
  readonly log: EventLog.Service
  readonly run: <A>(effect: Effect.Effect<A, AppendError>) => Promise<A>
  readonly taskId: string
  readonly actor: string
  /** The event that everything is caused by, and the version of the stream after it. */
  readonly opened: { readonly id: string; readonly version: number; readonly position: number }
}

/** The stream of an open task. It is the task's only writer, except for those who pause, cancel or close it. */
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
  const write = (events: ReadonlyArray<CoreNewEvent>) =>
    run(log.append({ stream, taskId, actor, expected: Exact(version), newIds: true, givenAway: true, events }))
  const clock = WallClockWatch.make()
  /** By how much the clock changed, as long as no commit has told it. */
  let changedByMs = 0

  /** Events, after the change of the clock that no commit has told. */
  const afterChange = (events: ReadonlyArray<CoreNewEvent>): ReadonlyArray<CoreNewEvent> => {
    changedByMs += clock.changedByMs() ?? 0
    if (changedByMs === 0) return events
    const now = Date.now()
    return [
      eventOf({ type: "ClockChanged", payload: { byMs: changedByMs } }),
      // What happened by the clock that was set back since would count as that much time.
      ...events.map((event) => ({ ...event, occurredAt: Math.min(event.occurredAt ?? now, now) })),
    ]
  }

  /** The events of the next commit. Those that begin something wait while the task is paused. */
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

  /** Another program appended to the stream: somebody paused, cancelled or closed the task, or wrote a note. */
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
    // A kernel at work on the log closes it as well: one of the two is first.
    const closed = eventOf({ type: "TaskClosed", causationId: cancelled.id, payload })
    await write(afterChange([closed])).catch(ignoringConflict)
  }

  /** One of several events is refused: the others are appended without it. */
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
      // The next append meets what ended the pause, and does by it.
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

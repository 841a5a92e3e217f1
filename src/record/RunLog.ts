/** Where a run is recorded: what becomes of it when the log fails. */

import { Data } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import type { ToldEvent } from "../kernel/tasks/Task.ts"
import * as KeptAlive from "../platform/KeptAlive.ts"

/** What a run does when its log fails: it goes on unrecorded and says so once, or it stops. */
export type OnLogFailure = "go-on" | "stop"

/** The log of the run failed, and the run was to stop. Mend the log, and begin again. */
export class RecordingFailed extends Data.TaggedError("RecordingFailed")<{
  readonly taskId: string
  readonly log: string
  readonly reason: string
  readonly failure: unknown
}> {
  override get message() {
    return `Run ${this.taskId} stopped, because its log ${this.log} failed: ${this.reason}`
  }
}

/** Appends to a run's log. */
export interface RunLog {
  readonly taskId: string
  /**
   * Records events in one commit. Without an answer, they were not recorded: the log failed, and the run goes on. Fails with
   * `RecordingFailed` if the run is to stop, and with `TaskClosed` if a person cancelled it.
   */
  readonly tell: (
    ...events: readonly [ToldEvent, ...ReadonlyArray<ToldEvent>]
  ) => Promise<ReadonlyArray<Event> | undefined>
  /** Does something with the log. Answers and fails as `tell`. */
  readonly attempt: <A>(does: () => Promise<A>) => Promise<A | undefined>
  /** Waits for what is being recorded, and for what is recorded meanwhile. */
  readonly settled: () => Promise<void>
  /** Takes note of work that nobody awaits. */
  readonly inBackground: (work: Promise<unknown>) => void
  readonly hasFailed: () => boolean
}

export const make = (options: {
  readonly taskId: string
  readonly log: string
  readonly onLogFailure: OnLogFailure
  readonly tell: (events: readonly [ToldEvent, ...ReadonlyArray<ToldEvent>]) => Promise<ReadonlyArray<Event>>
}): RunLog => {
  const { taskId, log, onLogFailure } = options
  const underWay = new Set<Promise<unknown>>()
  let failure: RecordingFailed | undefined

  const fail = (cause: unknown): RecordingFailed => {
    if (failure !== undefined) return failure
    const reason = cause instanceof Error ? cause.message : String(cause)
    failure = new RecordingFailed({ taskId, log, reason, failure: cause })
    if (onLogFailure === "go-on") {
      process.emitWarning(
        `Nothing more of run ${taskId} is recorded: its log ${log} failed (${reason}). The program goes on.`,
        { type: "HindcastWarning", code: "HINDCAST_LOG_FAILED" },
      )
    }
    return failure
  }

  const attempt = async <A>(does: () => Promise<A>): Promise<A | undefined> => {
    // A recording with a hole would replay otherwise than it was.
    if (failure === undefined) {
      const work = KeptAlive.during(does())
      track(work)
      try {
        return await work
      } catch (cause) {
        if (isCancelled(cause)) throw cause
        fail(cause)
      }
    }
    if (onLogFailure === "stop") throw failure
    return undefined
  }

  const track = (work: Promise<unknown>) => {
    const settled = work.then(
      () => {},
      () => {},
    )
    underWay.add(settled)
    settled.then(() => underWay.delete(settled))
  }

  return {
    taskId,
    attempt,
    tell: (...events) => attempt(() => options.tell(events)),
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    // Whoever does the work reports its failure by the next call.
    inBackground: track,
    hasFailed: () => failure !== undefined,
  }
}

/** Whether a person ended the task of the run: that is no failure of the log. */
const isCancelled = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "TaskClosed"

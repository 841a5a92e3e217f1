/** Where a run is recorded: what becomes of it when the log fails. */

import { Data } from "effect"
import type { InvalidEvent } from "../../events/log/EventLog.ts"
import * as KeptAlive from "../../platform/KeptAlive.ts"
import * as Within from "../Within.ts"
import type { AppendOptions, RunStream, Told } from "./RunStream.ts"

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
   * Records events in one commit. Answers whether they were recorded: they were not if the log failed and the run goes on.
   * Rejects with `RecordingFailed` if the run is to stop, and with `TaskClosed` if a person cancelled it.
   */
  readonly tell: (...events: Told) => Promise<boolean>
  readonly append: (events: Told, options: AppendOptions) => Promise<boolean>
  /**
   * Records events that need not be on the disk before what comes next: soon, with others. Throws `TaskClosed` if a person
   * has cancelled the run. Where the run stops if the log fails, they are recorded first.
   */
  readonly tellSoon: (...events: Told) => Promise<void>
  /** Does something with the log. Without an answer, the log failed. Rejects as `tell`. */
  readonly attempt: <A>(does: () => Promise<A>) => Promise<A | undefined>
  /** Waits for what is being recorded, and for what is recorded meanwhile. */
  readonly settled: () => Promise<void>
  /** Takes note of work that nobody awaits. */
  readonly inBackground: (work: Promise<unknown>) => void
  readonly hasFailed: () => boolean
  /** Throws `RecordingFailed` if the log failed and the run is to stop. */
  readonly assertRecording: () => void
}

export const make = (options: {
  readonly taskId: string
  readonly log: string
  readonly onLogFailure: OnLogFailure
  readonly stream: RunStream
  /** Called once, with why nothing more is recorded. */
  readonly onFailed?: (failed: RecordingFailed) => void
}): RunLog => {
  const { taskId, log, onLogFailure, stream, onFailed = () => {} } = options
  const underWay = new Set<Promise<unknown>>()
  let failure: RecordingFailed | undefined

  const fail = (cause: unknown): RecordingFailed => {
    if (failure !== undefined) return failure
    const reason = cause instanceof Error ? cause.message : String(cause)
    failure = new RecordingFailed({ taskId, log, reason, failure: cause })
    onFailed(failure)
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

  const append: RunLog["append"] = async (events, how) => {
    const caused = Within.causing()
    const { otherwise } = how
    const options =
      otherwise === undefined ? how : { ...how, otherwise: (refused: InvalidEvent) => caused(otherwise(refused)) }
    return (await attempt(() => stream.append(caused(events), options).then(() => true))) ?? false
  }

  return {
    taskId,
    attempt,
    append,
    tell: (...events) => append(events, {}),
    tellSoon: async (...events) => {
      const ended = stream.ended()
      if (ended !== undefined) throw ended
      if (onLogFailure === "stop") await append(events, {})
      // If it fails, the next call says so.
      else append(events, { later: true }).catch(() => {})
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    // Whoever does the work reports its failure by the next call.
    inBackground: track,
    hasFailed: () => failure !== undefined,
    assertRecording: () => {
      if (failure !== undefined && onLogFailure === "stop") throw failure
    },
  }
}

/** Whether a person ended the task of the run: that is no failure of the log. */
const isCancelled = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "TaskClosed"

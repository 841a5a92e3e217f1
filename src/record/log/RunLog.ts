/** Appends a run's events, and decides what to do if the log fails. */

import { Data } from "effect"
import type { InvalidEvent } from "../../events/log/EventLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as KeptAlive from "../../platform/recorded/KeptAlive.ts"
import * as Within from "../Within.ts"
import type { AppendOptions, RunStream, Told } from "./RunStream.ts"

/** The reaction of a run when its log fails: continue unrecorded with one warning, or stop. */
export type OnLogFailure = "go-on" | "stop"

/** The log failed and `onLogFailure` is `stop`. Repair the log and start again. */
export class RecordingFailed extends Data.TaggedError("RecordingFailed")<{
  readonly taskId: string
  readonly log: string
  readonly reason: string
  readonly failure: unknown
}> {
  override get message() {
    return `Run ${this.taskId} stopped: its log ${this.log} failed: ${this.reason}`
  }
}

export interface RunLog {
  readonly taskId: string
  /**
   * Records events in one commit. Returns false if the log has failed and the run continues. Rejects with
   * `RecordingFailed` if the run stops on failure, and with `TaskClosed` if a person cancelled it.
   */
  readonly tell: (...events: Told) => Promise<boolean>
  readonly append: (events: Told, options: AppendOptions) => Promise<boolean>
  /**
   * Records events soon, in a later commit, without waiting for the disk. Throws `TaskClosed` if a person cancelled the
   * run. If the run stops on failure, it waits like `tell`.
   */
  readonly tellSoon: (...events: Told) => Promise<void>
  /** Runs an operation on the log. Returns undefined if the log has failed; rejects like `tell`. */
  readonly attempt: <A>(does: () => Promise<A>) => Promise<A | undefined>
  /** Waits for all pending work, including work that begins in the meantime. */
  readonly settled: () => Promise<void>
  readonly inBackground: (work: Promise<unknown>) => void
  readonly hasFailed: () => boolean
  /** Throws `RecordingFailed` if the log has failed and the run stops on failure. */
  readonly assertRecording: () => void
}

export const make = (options: {
  readonly taskId: string
  readonly log: string
  readonly onLogFailure: OnLogFailure
  readonly stream: RunStream
  readonly onFailed?: (failed: RecordingFailed) => void
}): RunLog => {
  const { taskId, onLogFailure, stream, onFailed = () => {} } = options
  const log = ServerUrl.nameOf(options.log)
  let underWay = 0
  /** Called when nothing is under way any more. */
  let idle: Array<() => void> = []
  let failure: RecordingFailed | undefined

  const fail = (cause: unknown): RecordingFailed => {
    if (failure !== undefined) return failure
    const reason = cause instanceof Error ? cause.message : String(cause)
    failure = new RecordingFailed({ taskId, log, reason, failure: cause })
    onFailed(failure)
    if (onLogFailure === "go-on") {
      process.emitWarning(
        `Run ${taskId} is no longer recorded: its log ${log} failed (${reason}). The program continues.`,
        { type: "HindcastWarning", code: "HINDCAST_LOG_FAILED" },
      )
    }
    return failure
  }

  const attempt = async <A>(does: () => Promise<A>): Promise<A | undefined> => {
    // After the first failure, nothing more is recorded: a recording with a gap would not replay.
    if (failure === undefined) {
      const work = does()
      begin()
      KeptAlive.begin()
      try {
        return await work
      } catch (cause) {
        if (isCancelled(cause)) throw cause
        fail(cause)
      } finally {
        KeptAlive.end()
        end()
      }
    }
    if (onLogFailure === "stop") throw failure
    return undefined
  }

  const begin = () => {
    underWay += 1
  }
  const end = () => {
    underWay -= 1
    if (underWay > 0) return
    const waiting = idle
    idle = []
    for (const resume of waiting) resume()
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
      // The next call reports a failure.
      else append(events, { later: true }).catch(() => {})
    },
    settled: async () => {
      while (underWay > 0) {
        await new Promise<void>((resolve) => idle.push(resolve))
        // Whoever waited for the last work may now begin more.
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    },
    // The next call reports its failure.
    inBackground: (work) => {
      begin()
      work.then(end, end)
    },
    hasFailed: () => failure !== undefined,
    assertRecording: () => {
      if (failure !== undefined && onLogFailure === "stop") throw failure
    },
  }
}

/** Whether a person ended the run's task, which is no failure of the log. */
const isCancelled = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "TaskClosed"

/** A run that a playback answers, for replays and for forks up to their fork point. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import type { Redaction } from "../http/Redaction.ts"
import * as JsonCopy from "../JsonCopy.ts"
import * as Names from "../Names.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import * as RecordOptions from "../RecordOptions.ts"
import { type Recorded, type Run, RunEnded } from "../Run.ts"
import * as Thrown from "../Thrown.ts"
import * as ClosedRun from "./ClosedRun.ts"
import type { Diverged, NothingReplayed } from "./Diverged.ts"
import type { Playback } from "./Playback.ts"
import * as PlaybackFetch from "./PlaybackFetch.ts"
import * as ReplayedAnswer from "./ReplayedAnswer.ts"
import * as RequestDifference from "./RequestDifference.ts"

/** Makes the calls that the playback does not answer. */
export type LiveCalls = Omit<Run, "taskId">

export interface PlaybackRun {
  readonly run: Run
  readonly playback: Playback
  /**
   * Closes the task of a program that has ended without ending its run: as `failed` if it differs from the recording.
   * Returns the fault.
   */
  readonly close: (outcome: TaskOutcome, reason?: string) => Promise<Found>
}

type Found = Diverged | NothingReplayed | undefined

export const make = (playback: Playback, redaction: Redaction, live: LiveCalls): PlaybackRun => {
  const { taskId } = playback.recording
  let isEnded = false
  const assertOpen = (call: string) => {
    const divergence = playback.divergence()
    if (divergence !== undefined) throw divergence
    if (isEnded) throw new RunEnded({ taskId, call })
  }
  const claim = Names.claiming(assertOpen)

  const answerTo = <Answer>(
    line: string,
    does: () => Answer,
    given?: Json,
    askedIn: (event: Event) => Json = () => null,
  ): Answer => {
    assertOpen(line)
    const match = playback.match({
      line,
      // Calls without arguments are all equal.
      digest: given === undefined ? "" : digest(given),
      difference: ({ asked }) => RequestDifference.first("the arguments", askedIn(asked), given ?? null),
    })
    if (match.kind === "diverged") throw match.diverged
    return match.kind === "live"
      ? ClosedNetwork.outside(does)
      : (ReplayedAnswer.of(line, match.interaction.answer) as Answer)
  }
  const answered =
    <Args extends ReadonlyArray<unknown>, Result>(
      line: string,
      does: Recorded<Args, Result>,
      jsonOf: (args: Args) => Json,
      askedIn: (event: Event) => Json,
    ): Recorded<Args, Result> =>
    (...args) =>
      promised(() => answerTo(line, () => does(...args), redaction.value(jsonOf(args)), askedIn))
  const outside: Fetch = (input, init) => ClosedNetwork.outside(() => live.fetch(input, init))
  const fetch = PlaybackFetch.make(playback, redaction, outside)

  const drawn = (line: "now" | "random"): number => {
    const value: unknown = answerTo(line, live[line])
    return typeof value === "number" ? value : Number.NaN
  }
  /** The one place that ends a run. A run that diverged has failed, whatever its program reports. */
  const end = async (found: Found, outcome: TaskOutcome, reason?: string) => {
    isEnded = true
    const own = outcome === "failed" ? reason : undefined
    await (found === undefined ? live.end(outcome, reason) : live.end("failed", own ?? found.message))
    return found
  }

  const run: Run = {
    taskId,
    fetch: async (input, init) => {
      assertOpen("fetch")
      return fetch(input, init)
    },
    tool: (name, does, options) => {
      claim("tool", name)
      const askedIn = ({ payload }: Event) => payload.args ?? null
      return answered(`tool program/${name}`, live.tool(name, does, options), JsonCopy.argsOf, askedIn)
    },
    io: (name, does) => {
      claim("io", name)
      const askedIn = ({ payload }: Event) => payload.request ?? null
      return answered(`io ${name}`, live.io(name, does), JsonCopy.of, askedIn)
    },
    sensor: (name, reads) => {
      claim("sensor", name)
      const read = live.sensor(name, reads)
      return () => promised(() => answerTo(`sensor program/${name}`, read))
    },
    leave: async () => {
      assertOpen("run.leave")
      isEnded = true
      await live.leave()
      const found = playback.ended()
      if (found !== undefined) throw found
    },
    now: () => drawn("now"),
    random: () => drawn("random"),
    end: async (outcome, reason) => {
      assertOpen("run.end")
      const ended = RecordOptions.endOf(outcome, reason)
      const found = await end(playback.ended(ended.outcome), ended.outcome, ended.reason)
      if (found !== undefined) throw found
    },
  }
  return {
    run,
    playback,
    close: async (outcome, reason) => (isEnded ? playback.ended() : end(playback.ended(), outcome, reason)),
  }
}

/** Turns a synchronous throw into a rejection. */
const promised = async <Answer>(does: () => Promise<Answer>): Promise<Answer> => does()

/**
 * Runs a program on a recorded run and closes the task: as `failed`, with a rejection, if the program rejects or
 * differs from the recording.
 */
export const carryOut = async <A>(
  { run, playback, close }: PlaybackRun,
  program: (run: Run) => A | PromiseLike<A>,
  closing: ClosedRun.Closing,
): Promise<A> => {
  let answer: A
  try {
    answer = await ClosedRun.during(playback, closing, () => program(run))
  } catch (error) {
    const cause = playback.divergence() ?? error
    // If closing fails too, the program failed for the same reason: its log, or a cancellation.
    await close("failed", Thrown.messageOf(cause)).catch(() => {})
    throw cause
  }
  const found = await close("achieved")
  if (found !== undefined) throw found
  return answer
}

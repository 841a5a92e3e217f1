/**
 * The one rule of a replay: which recorded call answers a call, which call diverges, and whether the program made all
 * recorded calls. A fork is a replay up to its fork point; a replay is a fork at the end. No I/O.
 */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as CallsLeft from "./CallsLeft.ts"
import { Diverged, type Live, NothingReplayed } from "./Diverged.ts"
import type { Interaction, Recording } from "./Recording.ts"
import * as ReplayedAnswer from "./ReplayedAnswer.ts"
import type { Difference } from "./RequestDifference.ts"

export interface Call extends Pick<Interaction, "line" | "digest"> {
  readonly isModel?: boolean
  /** Describes how it differs from the recorded call in its place. */
  readonly difference: (instead: Interaction) => Difference
}

export interface Answered extends Interaction {
  readonly answer: ReplayedAnswer.Given
}

export type Match =
  | { readonly kind: "recorded"; readonly interaction: Answered }
  /** Make the call for real: it comes after the fork point, or is live. */
  | { readonly kind: "live" }
  /** `instead` is the nearest recorded call; an examination answers with it. */
  | { readonly kind: "diverged"; readonly diverged: Diverged; readonly instead: Interaction | undefined }

export interface Playback {
  readonly recording: Recording
  /** Returns the answer to a call. After a divergence every call diverges, so nothing more runs for real. */
  readonly match: (call: Call) => Match
  /** Registers a divergence. Returns the first one. */
  readonly diverge: (call: string, position: number | null, difference: Difference) => Diverged
  readonly divergence: () => Diverged | undefined
  /**
   * The fault of a program that has ended: its first divergence, the first recorded call that it did not make, or no
   * call at all. Undefined if it acted as recorded.
   *
   * @param outcome the outcome with which the program itself ended its run
   */
  readonly ended: (outcome?: TaskOutcome) => Diverged | NothingReplayed | undefined
  /** Whether calls answered before the fork point are still to be made. */
  readonly isPast: () => boolean
  /** Number of calls answered from the recording, and made for real. */
  readonly counts: () => { readonly recorded: number; readonly live: number }
}

export interface PlaybackOptions {
  /** The fork point, after which calls run for real. Default: none; every call must be recorded. */
  readonly until?: number | undefined
  /** The calls to make for real. Default: none. */
  readonly live?: Live | undefined
  /** Whether to continue after divergences and answer later calls, as an examination does. Default: false. */
  readonly goesOn?: boolean
}

/** Whether a call runs for real. Clock and random numbers never do: they would differ each time. */
const isLive = (live: Live | undefined, line: string, isModel: boolean): boolean =>
  live !== undefined && line !== "now" && line !== "random" && (live === "model") === isModel

export const of = (recording: Recording, { until, live, goesOn = false }: PlaybackOptions = {}): Playback => {
  const { taskId, end } = recording
  const isFork = until !== undefined
  const replayed = recording.calls.filter(({ asked, line }) => !isLive(live, line, is(asked, "ModelCalled")))
  const past = replayed.filter(({ position }) => until === undefined || position <= until).map(asOf(until))
  const future = CallsLeft.of(replayed.filter(({ position }) => until !== undefined && position > until))
  const left = CallsLeft.of(past)
  const counts = { recorded: 0, live: 0 }
  let divergence: Diverged | undefined

  const diverge: Playback["diverge"] = (call, position, difference) => {
    const found = new Diverged({ taskId, call, position, difference, ...defined({ until }) })
    if (goesOn) return found
    divergence ??= found
    return divergence
  }
  const diverged = (call: Call, difference: Difference, position: number | null, instead?: Interaction): Match => ({
    kind: "diverged",
    diverged: diverge(call.line, position, difference),
    instead,
  })
  const made = (): Match => {
    counts.live++
    return { kind: "live" }
  }

  /** Answers a recorded call unless another call had to precede it. */
  const recorded = (call: Call, own: Interaction): Match => {
    const before = left.passedBy(own)
    left.take(own)
    if (before !== undefined) return diverged(call, orderOf(before, own, call), before.position, own)
    if (own.answer.kind === "none" && isFork) return made()
    left.takeWithin(own)
    return given(call, own)
  }
  const given = (call: Call, own: Interaction): Match => {
    counts.recorded++
    const reason = ReplayedAnswer.whyNot(own)
    return reason === undefined
      ? { kind: "recorded", interaction: own as Answered }
      : diverged(call, reason, own.position, own)
  }

  const unrecorded = (call: Call): Match => {
    // After the fork point, an equal call runs for real.
    const spare = isFork && left.first() === undefined ? undefined : left.takeSpare(call)
    if (spare !== undefined) return given(call, spare)
    const instead = left.firstOf(call.line)
    if (isFork) return afterMoment(call, instead)
    if (instead !== undefined) {
      if (goesOn) left.take(instead)
      return diverged(call, call.difference(instead), instead.position, instead)
    }
    return diverged(call, { where: `the calls of ${call.line}`, recorded: "no further call", now: "one more" }, null)
  }

  /** A call that may come after the fork point; all calls recorded before must precede it. */
  const afterMoment = (call: Call, instead: Interaction | undefined): Match => {
    const later = future.like(call)
    if (later !== undefined) future.take(later)
    const first = instead ?? left.first()
    if (first === undefined) return made()
    // A call recorded after the fork point keeps its order. A new one may result from a call made for real.
    const mayPass = later === undefined ? counts.live > 0 && !isAnswered(instead) : left.passedBy(later) === undefined
    if (mayPass) return made()
    const where = "the calls before the fork point"
    const difference = first === instead ? call.difference(first) : { where, recorded: first.line, now: call.line }
    return diverged(call, difference, first.position, first)
  }

  return {
    recording,
    diverge,
    divergence: () => divergence,
    counts: () => counts,
    isPast: () => left.all().some(isAnswered),
    match: (call) => {
      if (divergence !== undefined) return { kind: "diverged", diverged: divergence, instead: undefined }
      if (isLive(live, call.line, call.isModel === true)) return made()
      const own = left.like(call)
      return own === undefined ? unrecorded(call) : recorded(call, own)
    },
    ended: (outcome) => {
      if (divergence !== undefined) return divergence
      if (!isFork && outcome !== undefined && end !== undefined && end.outcome !== outcome) {
        return diverge("run.end", end.position, { where: "the outcome", recorded: end.outcome, now: outcome })
      }
      const [first] = past
      if (counts.recorded + counts.live === 0) {
        const place = first === undefined ? null : { call: first.line, position: first.position }
        return new NothingReplayed({ taskId, recorded: past.length, first: place })
      }
      const [unmade] = left.all()
      if (unmade === undefined) return undefined
      const where = isFork ? "the calls before the fork point" : "the calls"
      return diverge(unmade.line, unmade.position, { where, recorded: unmade.line, now: "the end of the program" })
    },
  }
}

const isAnswered = (one: Interaction | undefined): boolean => one !== undefined && one.answer.kind !== "none"

/** A call as the log had it at a position: without its answer, if that came later. */
const asOf =
  (until: number | undefined) =>
  (one: Interaction): Interaction =>
    until === undefined || one.answeredAt === null || one.answeredAt <= until ? one : { ...one, answer: UNANSWERED }

const UNANSWERED = { kind: "none" } as const

const orderOf = (before: Interaction, own: Interaction, { line }: Call): Difference => ({
  where: "the order of the calls",
  recorded: `${before.line} @${before.position} first`,
  now: `${line} @${own.position}, which was made after that answer`,
})

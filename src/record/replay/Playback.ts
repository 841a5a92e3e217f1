/**
 * The one rule of a replay: which recorded call answers a call of the program, which one diverges, and whether the program did all
 * that was recorded. A fork is a replay up to its moment; a replay is a fork at the end. Pure but for what it remembers.
 */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as CallsLeft from "./CallsLeft.ts"
import { Diverged, type Live, NothingReplayed } from "./Diverged.ts"
import type { Interaction, Recording } from "./Recording.ts"
import * as ReplayedAnswer from "./ReplayedAnswer.ts"
import type { Difference } from "./RequestDifference.ts"

/** A call that the program makes. */
export interface Call extends Pick<Interaction, "line" | "digest"> {
  /** Whether it is a request to a model. */
  readonly isModel?: boolean
  /** Where it differs from the recorded call in whose place it came. */
  readonly difference: (instead: Interaction) => Difference
}

/** A recorded call whose answer can be given again. */
export interface Answered extends Interaction {
  readonly answer: ReplayedAnswer.Given
}

/** What answers a call. */
export type Match =
  | { readonly kind: "recorded"; readonly interaction: Answered }
  /** It is made for real: it comes after the moment of a fork, or is to be made anew. */
  | { readonly kind: "live" }
  /** @param instead the recorded call that is nearest to it, which an examination answers it by */
  | { readonly kind: "diverged"; readonly diverged: Diverged; readonly instead: Interaction | undefined }

/** A recorded run that answers a program. */
export interface Playback {
  readonly recording: Recording
  /** What answers a call. After a divergence every call diverges, so that nothing is made for real. */
  readonly match: (call: Call) => Match
  /** Notes that the program did otherwise than was recorded. Returns the first divergence. */
  readonly diverge: (call: string, position: number | null, difference: Difference) => Diverged
  /** The first divergence so far. */
  readonly divergence: () => Diverged | undefined
  /**
   * What is wrong with a program that has ended: its first divergence, the first recorded call that it did not make, or that it made
   * no call at all. Undefined if it did as was recorded.
   *
   * @param outcome the one that it ended its run with itself
   */
  readonly ended: (outcome?: TaskOutcome) => Diverged | NothingReplayed | undefined
  /** Whether calls that were answered before the moment are still to be made. */
  readonly isPast: () => boolean
  /** How many calls were answered from the recording, and how many were made for real. */
  readonly counts: () => { readonly recorded: number; readonly live: number }
}

/** How far a recording is replayed, and how. */
export interface PlaybackOptions {
  /** The moment after which calls are made for real, as in a fork. Default: none, and each call has to be recorded. */
  readonly until?: number | undefined
  /** What is made anew. Default: nothing. */
  readonly live?: Live | undefined
  /** Whether each divergence is told by itself, and what follows is answered all the same, as in an examination. Default: false. */
  readonly goesOn?: boolean
}

/** Whether a call is made anew. The time and chance never are: a replay would have others. */
const isLive = (live: Live | undefined, line: string, isModel: boolean): boolean =>
  live !== undefined && line !== "now" && line !== "random" && (live === "model") === isModel

/** No call is made yet. */
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
    const found = new Diverged({ taskId, call, position, difference })
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

  /** A call that was recorded: it is answered, if no other one had to come before it. */
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

  /** A call that was not recorded up to the end of what is replayed. */
  const unrecorded = (call: Call): Match => {
    // After the moment of a fork, the same is asked again for real.
    const spare = isFork && left.first() === undefined ? undefined : left.takeSpare(call)
    if (spare !== undefined) return given(call, spare)
    const instead = left.firstOf(call.line)
    if (isFork) return afterMoment(call, instead)
    if (instead !== undefined) {
      if (goesOn) left.take(instead)
      return diverged(call, call.difference(instead), instead.position, instead)
    }
    return diverged(call, { where: `the calls of ${call.line}`, recorded: "no more of them", now: "one more" }, null)
  }

  /** A call that may come after the moment of a fork: all that was recorded before comes before it. */
  const afterMoment = (call: Call, instead: Interaction | undefined): Match => {
    const later = future.like(call)
    if (later !== undefined) future.take(later)
    const first = instead ?? left.first()
    if (first === undefined) return made()
    // What the program did after the moment has its order. Of what it did never, some may come of what is made for real.
    const mayPass = later === undefined ? counts.live > 0 && !isAnswered(instead) : left.passedBy(later) === undefined
    if (mayPass) return made()
    const where = "the calls before the moment"
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
      const where = isFork ? "the calls before the moment" : "the calls"
      return diverge(unmade.line, unmade.position, { where, recorded: unmade.line, now: "the end of the program" })
    },
  }
}

const isAnswered = (one: Interaction | undefined): boolean => one !== undefined && one.answer.kind !== "none"

/** A call as the log had it at a moment: one that was answered later was under way, and has no answer that can be given. */
const asOf =
  (until: number | undefined) =>
  (one: Interaction): Interaction =>
    until === undefined || one.answeredAt === null || one.answeredAt <= until ? one : { ...one, answer: UNANSWERED }

const UNANSWERED = { kind: "none" } as const

/** How the order of two calls differs. */
const orderOf = (before: Interaction, own: Interaction, { line }: Call): Difference => ({
  where: "the order of the calls",
  recorded: `${before.line} @${before.position} first`,
  now: `${line} @${own.position}, which came after the answer to it`,
})

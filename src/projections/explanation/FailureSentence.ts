/** The state of a task, and the one sentence about it. */

import { at, count, number, shorten } from "../../values/Formats.ts"
import type { JsonObject } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as PendingConfirmations from "../state/PendingConfirmations.ts"
import type { Activity } from "../summary/Activity.ts"
import * as Outcome from "../summary/Outcome.ts"
import { nameOf } from "./Course.ts"
import type { Examined } from "./Explanation.ts"
import type { Failures } from "./Failure.ts"
import type { Standing } from "./FailureChain.ts"
import * as LinkRules from "./LinkRules.ts"
import type { Suspect } from "./Suspects.ts"

/** The activity of an open task. */
export interface Present {
  /** Null if it is closed; undefined if nobody looked. */
  readonly activity?: Activity | null | undefined
}

/** Maximum length of a reason, in characters. */
const REASON = 160

/** The kinds of suspects that tell enough for the sentence. The others are places to look at, but no cause to name. */
const TELLING: ReadonlySet<string> = new Set([
  ...["worked around", "stale read", "sources disagree", "problem in a result", "altered value"],
])

/** The kinds that tell enough only of a task that failed: they are common in others. */
const TELLING_OF_FAILED: ReadonlySet<string> = new Set(["after an input", "loop"])

export const standingOf = (audit: TaskAudit, { activity }: Present): Standing => {
  const outcome = Outcome.of(audit)
  if (outcome === "open") return activity === "stopped" ? "stopped" : "open"
  return outcome === "achieved" || outcome === "finished" ? outcome : "failed"
}

/** The suspects that tell enough for the sentence, likeliest first. It names the last failure itself already. */
export const tellingSuspects = (
  { suspects }: Pick<Examined, "suspects">,
  { last }: Failures,
  standing: Standing,
): ReadonlyArray<Suspect> =>
  standing === "open"
    ? []
    : suspects().filter(
        ({ at, kind }) =>
          (last === null || at < last.at || !isBad(standing)) &&
          at !== last?.at &&
          (TELLING.has(kind) || (isBad(standing) && TELLING_OF_FAILED.has(kind))),
      )

/** Whether a task with this standing failed. */
export const isBad = (standing: Standing): boolean => standing === "failed" || standing === "stopped"

/** The sentence: the task's state, the last failure that matters, and its likeliest cause. */
export const of = (examined: Examined, failures: Failures, present: Present): string => {
  const { audit } = examined
  const standing = standingOf(audit, present)
  const first = lookFirst(tellingSuspects(examined, failures, standing))
  switch (standing) {
    case "failed":
      return `${endOf(audit)}${failureOf(failures, examined)}${first}.`
    case "stopped":
      return `Stopped unexpectedly ${at(audit.range.to)} after ${stepsOf(audit)}: its process ended without closing the task${failureOf(failures, examined)}${first}.`
    case "open":
      return ofOpen({ activity: present.activity, steps: audit.steps, to: audit.range.to, asked: askedIn(examined) })
    case "finished":
      return `Finished after ${stepsOf(audit)}, and nobody judged the result${toLookAt(failures, examined)}${first}.`
    case "achieved":
      return `Achieved after ${stepsOf(audit)}${saying(audit)}${costOf(examined)}${toLookAt(failures, examined)}${first}.`
  }
}

const ENDS = { failed: "Failed", truncated: "Stopped by a limit", abandoned: "Abandoned" } as const

const endOf = (audit: TaskAudit): string =>
  `${ENDS[audit.outcome === "failed" || audit.outcome === "truncated" ? audit.outcome : "abandoned"]} after ${stepsOf(audit)}${saying(audit)}`

const stepsOf = ({ steps }: TaskAudit): string => count(steps, "step")

/** The recorded reason, as a quotation: it is the agent's or the kernel's, and not a finding. */
const saying = ({ reason }: TaskAudit): string =>
  reason === undefined || reason.trim() === "" ? "" : ` (“${shorten(oneLine(reason.trim()), REASON)}”)`

const failureOf = ({ last, madeGood }: Failures, { own }: Examined): string => {
  if (last === null) return noneFailed(madeGood, own)
  const times = last.times > 1 ? `, the last of ${last.times} such failures` : ""
  const later = last.later > 2 ? `, ${last.later} calls before the end` : ""
  return `; ${last.brief ?? last.says} (${at(last.at)}${times}${later})`
}

const noneFailed = (madeGood: number, { steps }: Examined["own"]): string => {
  if (steps.length === 0) return "; no call is recorded"
  if (madeGood === 0) return "; no call failed"
  return `; ${madeGood === 1 ? "one call failed, and a later attempt" : `${madeGood} calls failed, and later attempts`} succeeded`
}

const lookFirst = ([suspect]: ReadonlyArray<Suspect>): string =>
  suspect === undefined ? "" : `; look first at ${at(suspect.at)}: ${LinkRules.phraseOf(suspect.kind)} (inferred)`

/** A failed call of a task that did not fail: a place to look at, and no cause. */
const toLookAt = ({ last, madeGood }: Failures, { own }: Examined): string =>
  last === null
    ? noneFailed(madeGood, own)
    : `; look at its last ${last.step === null ? "failure" : "call without success"}, which need not be a cause: ${last.says} (${at(last.at)})`

/** Facts about an open task that need none of its events. */
export interface Open {
  readonly activity: Activity | null | undefined
  readonly steps: number
  /** The position of its last event. */
  readonly to: number
  /** The question to a person that waits longest. */
  readonly asked: Pick<PendingConfirmations.PendingConfirmation, "shown" | "position"> | undefined
}

/** The sentence about an open task that did not stop unexpectedly: it has not failed. */
export const ofOpen = ({ activity, steps, to, asked }: Open): string => {
  const so = "It has not failed: it"
  switch (activity) {
    case "waiting":
      return `${so} waits for a person${asked === undefined ? "" : ` to decide on ${questionIn(asked.shown)} (${at(asked.position)})`}.`
    case "running":
      return `${so} is running, ${count(steps, "step")} so far.`
    case "paused":
      return `${so} is paused after ${count(steps, "step")}.`
    case "unfinished":
      return `${so}s recording ends ${at(to)} after ${count(steps, "step")} without a close, and may still continue.`
    default:
      return `${so} is open after ${count(steps, "step")}, and Hindcast cannot tell whether its process is still running.`
  }
}

const askedIn = ({ events }: Examined): Open["asked"] =>
  oldest(Object.values(events.reduce(PendingConfirmations.projection.evolve, {})))

/** The question that waits longest. */
export const oldest = <Asked extends { readonly position: number }>(all: ReadonlyArray<Asked>): Asked | undefined =>
  all.toSorted((a, b) => a.position - b.position)[0]

const questionIn = ({ actuator, args, plugin, request, target }: JsonObject): string =>
  typeof actuator === "string"
    ? nameOf({ actuator, args: args ?? null })
    : shorten(oneLine([plugin, request, target].filter((one) => typeof one === "string").join(" ")), REASON)

/** The points that the score which counts took from a task that did not fail. */
const costOf = ({ lost }: Examined): string => {
  if (lost.length === 0) return ""
  const sum = lost.reduce((total, { amount }) => total + amount, 0)
  return `, but lost ${number(-sum)} points`
}

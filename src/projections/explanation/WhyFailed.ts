/**
 * Why a task failed: one sentence and a chain of events. The command line, assistants, Studio and reports all show this
 * one explanation. Each link says whether the log records it or a rule infers it. A task that did not fail says so.
 */

import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { at, count, number, shorten, value } from "../../values/Formats.ts"
import { type Json, pointerToken } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as Sum from "../../values/Sum.ts"
import type { ScoreChoice } from "../report/ScoreChoice.ts"
import * as EventSummary from "../summary/EventSummary.ts"
import { type Cause, type Difference, TimeTravel } from "../timetravel/TimeTravel.ts"
import type { Step } from "./Course.ts"
import * as Explanation from "./Explanation.ts"
import * as Failure from "./Failure.ts"
import { type Brief, type Link, ROLES, type Standing, type WhyFailed } from "./FailureChain.ts"
import * as FailureSentence from "./FailureSentence.ts"
import * as LinkRules from "./LinkRules.ts"
import type { Suspect } from "./Suspects.ts"
import * as Unread from "./Unread.ts"

export type { Brief, Link, Standing, WhyFailed } from "./FailureChain.ts"

/** Maximum numbers of links of some roles. */
const MOST = { suspect: 3, cost: 2, changed: 4 } as const

/** Maximum length of a text from the log within a link, in characters. */
const TEXT = 200

/**
 * Explains a task of the log's timeline in short.
 *
 * @param scores the score whose lost points it explains. Default: the one that counts
 */
export const brief = (taskId: string, present: FailureSentence.Present = {}, scores?: ScoreChoice) =>
  Effect.map(Explanation.examine(taskId, scores), (examined) =>
    briefOf(examined, failuresOf(examined, present), present),
  )

/** Explains a task of the log's timeline. The parameters are those of `brief`. */
export const load = (taskId: string, present: FailureSentence.Present = {}, scores?: ScoreChoice) =>
  Effect.flatMap(Explanation.examine(taskId, scores), (examined) => of(examined, present))

/** Explains an examined task. */
export const of = (examined: Explanation.Examined, present: FailureSentence.Present = {}) =>
  Effect.gen(function* () {
    const travel = yield* TimeTravel
    const { timeline, position: head } = { timeline: (yield* EventLog).timeline, position: examined.audit.range.to }
    const failures = failuresOf(examined, present)
    const short = briefOf(examined, failures, present)
    const suspects = suspectsOf(examined, failures, short.standing)
    const pivots = pivotsOf(examined, failures, suspects, short.standing)
    const decisions = yield* Effect.forEach(pivots, ({ at: position }) =>
      Effect.map(travel.why(`${timeline}@${position}`), decisionIn),
    )
    const [first] = pivots
    const given = { ...examined, decision: decisions[0]?.event }
    const since = first === undefined ? null : changesFrom(examined, first.at)
    const differences = since === null ? [] : yield* travel.diff(`${timeline}@${since}`, `${timeline}@${head}`)
    const links: ReadonlyArray<Link> = [
      ...endOf(examined),
      ...costsOf(examined),
      ...failureOf(failures),
      ...decisionsOf(decisions),
      ...suspects.map(linkOf),
      ...(first === undefined ? [] : [...Unread.readBefore(first, given), ...Unread.unreadBefore(first, given)]),
      ...suspects.flatMap(unreadOf),
      ...changesOf(examined, differences),
    ]
    const chain = links.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
    const whole: WhyFailed = { ...short, chain, rules: rulesOf(chain), notes: notesOf(examined, short.standing) }
    return whole
  })

const failuresOf = ({ events, own, audit }: Explanation.Examined, { activity }: FailureSentence.Present) =>
  Failure.of(events, own, audit.outcome !== null || activity === "stopped")

const briefOf = (
  examined: Explanation.Examined,
  failures: Failure.Failures,
  present: FailureSentence.Present,
): Brief => {
  const { audit } = examined
  const standing = FailureSentence.standingOf(audit, present)
  const [telling] = FailureSentence.tellingSuspects(examined, failures, standing)
  const fallback = FailureSentence.isBad(standing) ? audit.range.to : null
  return {
    taskId: audit.taskId,
    timeline: audit.timeline,
    standing,
    sentence: FailureSentence.of(examined, failures, present),
    moment: failures.last?.at ?? telling?.at ?? fallback,
  }
}

const endOf = ({ events }: Explanation.Examined): ReadonlyArray<Link> => {
  const closed = events.findLast(({ type }) => type === "TaskClosed")
  const last = closed ?? events.at(-1)
  if (last === undefined) return []
  const says =
    closed === undefined ? `its last event: ${last.type} ${EventSummary.of(last)}`.trim() : EventSummary.of(last)
  return [{ position: last.position, role: "end", says, basis: "recorded" }]
}

const costsOf = ({ lost }: Explanation.Examined): ReadonlyArray<Link> =>
  lost
    .flatMap(({ position, amount, name, measure }) => (position === null ? [] : [{ position, amount, name, measure }]))
    .toSorted((a, b) => a.amount - b.amount)
    .slice(0, MOST.cost)
    .map(({ position, amount, name, measure }) => ({
      position,
      role: "cost",
      says: `${number(Sum.round(amount))} by ${text(measure)}: ${text(name)}`,
      basis: "recorded",
    }))

const failureOf = ({ last }: Failure.Failures): ReadonlyArray<Link> =>
  last === null ? [] : [{ position: last.at, role: "failure", says: last.says, basis: "recorded" }]

/** The suspects before the failure, likeliest first; of a task that did not fail, only those that tell much. */
const suspectsOf = (
  examined: Explanation.Examined,
  failures: Failure.Failures,
  standing: Standing,
): ReadonlyArray<Suspect> =>
  (FailureSentence.isBad(standing)
    ? examined.suspects().filter(({ at: position }) => failures.last === null || position < failures.last.at)
    : FailureSentence.tellingSuspects(examined, failures, standing)
  ).slice(0, MOST.suspect)

/** Kinds of suspects about missing readings, rather than about actions. */
const NOT_TOLD: ReadonlySet<string> = new Set(["unheard value", "unheard number"])

const linkOf = ({ at: position, says, kind }: Suspect): Link => ({
  position,
  role: NOT_TOLD.has(kind) ? "unread" : "suspect",
  says: shorten(oneLine(says), 2 * TEXT),
  basis: "inferred",
  rule: kind,
})

const unreadOf = ({ unread, kind }: Suspect): ReadonlyArray<Link> =>
  unread === undefined
    ? []
    : [{ position: unread.at, role: "unread", says: text(unread.says), basis: "inferred", rule: kind }]

/** The calls whose decisions led to the failure: a suspect that tells much, and the call that failed or came last. */
const pivotsOf = (
  examined: Explanation.Examined,
  failures: Failure.Failures,
  suspects: ReadonlyArray<Suspect>,
  standing: Standing,
): ReadonlyArray<Step> => {
  const { own } = examined
  const { last } = failures
  const stepAt = ({ at: position }: Suspect) =>
    own.steps.find((step) => step.at === position || (step.end !== null && step.end.at === position))
  // Each call of a loop had its own decision: the last one counts.
  const telling = FailureSentence.tellingSuspects(examined, failures, standing).filter(({ kind }) => kind !== "loop")
  const suspected = (telling.length > 0 || last !== null ? telling : suspects)
    .map(stepAt)
    .find((step) => step !== undefined)
  const before = last === null ? own.steps.at(-1) : (last.step ?? own.steps.findLast((step) => step.at < last.at))
  const failed = last !== null || FailureSentence.isBad(standing) ? before : undefined
  return [...new Set([suspected, failed].filter((step) => step !== undefined))]
}

interface Decision {
  readonly event: Event
  readonly rule: string | undefined
}

const DECIDING: ReadonlyArray<string> = ["DecisionMade", "ModelResponded", "IoAnswered"]

/** The nearest decision among the causes of a call, else the nearest answer; with the rule that led there, if any. */
const decisionIn = (chain: ReadonlyArray<Cause>): Decision | undefined => {
  const index = DECIDING.map((type) => chain.findIndex((event, index) => index > 0 && event.type === type)).find(
    (index) => index >= 0,
  )
  const event = index === undefined ? undefined : chain[index]
  if (index === undefined || event === undefined) return undefined
  return { event, rule: chain.slice(0, index + 1).find(({ rule }) => rule !== undefined)?.rule }
}

const decisionsOf = (decisions: ReadonlyArray<Decision | undefined>): ReadonlyArray<Link> => {
  const seen = new Set<number>()
  return decisions.flatMap((decision): ReadonlyArray<Link> => {
    if (decision === undefined || seen.has(decision.event.position)) return []
    const { event, rule } = decision
    seen.add(event.position)
    const link = { position: event.position, role: "decision" as const, says: decided(event) }
    return [rule === undefined ? { ...link, basis: "recorded" } : { ...link, basis: "inferred", rule }]
  })
}

const decided = (event: Event): string => {
  if (is(event, "ModelResponded")) return text(`the model answered ${answerIn(event.payload.response)}`.trim())
  if (!is(event, "DecisionMade")) return `${event.type} ${EventSummary.of(event)}`
  const { agent, choice, rationale } = event.payload
  const said = rationale ?? choice.say
  const chosen = typeof choice.act === "string" ? `${choice.act} ${value(choice.args, 60)}` : value(choice, TEXT)
  return text(`${agent} chose ${typeof said === "string" && said !== "" ? `“${said}”` : chosen}`)
}

/** The text of an answer, else the calls in it; empty if neither is recorded. */
const answerIn = (response: Json): string => {
  const parts = isObject(response) && Array.isArray(response.parts) ? response.parts.filter(isObject) : []
  const said = parts.map(({ text: one }) => one).find((one) => typeof one === "string" && one.trim() !== "")
  if (typeof said === "string") return `“${said.trim()}”`
  const calls = parts.flatMap(({ tool, args }) => (typeof tool === "string" ? [`${tool} ${value(args, 60)}`] : []))
  return calls.length === 0 ? "" : `with ${calls.join(", ")}`
}

/** The position before the call that the chain is about; null if no world changed. */
const changesFrom = ({ own }: Explanation.Examined, pivot: number): number | null =>
  own.changes.length === 0 ? null : StepPosition.before(pivot)

const changesOf = (
  { audit: { taskId } }: Explanation.Examined,
  differences: ReadonlyArray<Difference>,
): ReadonlyArray<Link> => {
  const own = `/tasks/${pointerToken(taskId)}/environment`
  const found = differences.filter(({ path }) => path.startsWith(own) || path.startsWith("/shared/environment"))
  return found.slice(0, MOST.changed).map((difference) => {
    const path = difference.path.startsWith(own) ? difference.path.slice(own.length) : difference.path
    const now = difference.op === "remove" ? "removed" : `now ${value(difference.value, 60)}`
    return { position: difference.event, role: "changed", says: `${text(path)}: ${now}`, basis: "recorded" }
  })
}

const rulesOf = (chain: ReadonlyArray<Link>): WhyFailed["rules"] =>
  Object.fromEntries(chain.flatMap(({ rule }) => (rule === undefined ? [] : [[rule, LinkRules.saysOf(rule)]])))

const notesOf = ({ audit, examinedFrom, own }: Explanation.Examined, standing: Standing) => [
  ...(examinedFrom > audit.range.from ? [`Only the events from ${at(examinedFrom)} on were examined.`] : []),
  ...(own.steps.length === 0 && standing !== "open" ? ["No call is recorded, so none could be examined."] : []),
  ...((audit.acting.unrecorded ?? 0) > 0
    ? [`The results of ${count(audit.acting.unrecorded ?? 0, "call")} are not recorded.`]
    : []),
]

const text = (of: string): string => shorten(oneLine(of), TEXT)

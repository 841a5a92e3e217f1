/**
 * The part of their budgets that tasks spent: the rule by which agents, their parents and trees count. Every paid request
 * counts, including retries and hedges that failed or lost. A request that has not ended reserves what it may use. Pure.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { Use } from "../../events/vocabulary/Tasks.ts"
import { is, isStep, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as ModelCallEnd from "../state/ModelCallEnd.ts"

/** The spending so far. */
export interface Spending {
  /** Requests to models that their providers may charge for: answered ones, and failed ones that they had accepted. */
  readonly steps: number
  readonly commands: number
  /** Undefined if it is unknown for an answer. */
  readonly tokens: number | undefined
  /** In US dollars; undefined if it is unknown for an answer, or for the known tokens of a failure. */
  readonly usd: number | undefined
  /** Charged requests of unknown use since the last answer. */
  readonly unknown: number
  /** Requests since the last answer that a kernel's end cut off, with what they reserve. Default: none. */
  readonly lost?: Lost | undefined
  /** Requests that have not ended, by the id of their event. Default: none. */
  readonly open?: SafeRecord.SafeRecord<Reserved | null> | undefined
}

/** The most that a request may use: tokens, and US dollars if its agent's budget limits these. */
export interface Reserved {
  readonly tokens: number
  readonly usd?: number
}

/** Lost requests: their number, and the sum of what they reserve. */
interface Lost {
  readonly requests: number
  readonly tokens: number
  readonly usd: number
}

export const none: Spending = { steps: 0, commands: 0, tokens: 0, usd: 0, unknown: 0 }

/** After an event of a task, in the order of the log. Critics' requests do not count. */
export const after = (spent: Spending, event: Event): Spending => {
  if (isStep(event)) return { ...spent, commands: spent.commands + 1 }
  if (is(event, "TaskResumed")) return withOpenLost(spent)
  if (ModelCallEnd.isOfCritic(event)) return spent
  if (is(event, "ModelCalled")) {
    return { ...spent, open: SafeRecord.set(spent.open ?? {}, event.id, event.payload.reserves ?? null) }
  }
  if (is(event, "ModelResponded")) return answered(ended(spent, event), event.payload)
  return is(event, "ModelFailed") ? failed(ended(spent, event), event.payload) : spent
}

/** The types of events that `after` counts. */
export const TYPES = ["ModelCalled", "ModelResponded", "ModelFailed", "ActuatorCommanded", "TaskResumed"] as const

const ended = ({ open = {}, ...spent }: Spending, { causationId }: Event): Spending => {
  const rest = causationId === null ? open : SafeRecord.remove(open, causationId)
  return Object.keys(rest).length === 0 ? spent : { ...spent, open: rest }
}

/** Counts the requests that have not ended as lost: nobody knows what they used. */
export const withOpenLost = ({ open = {}, ...spent }: Spending): Spending =>
  Object.values(open).reduce((all, reserved) => lost(all, reserved ?? undefined), spent)

/** Leaves the requests that have not ended out. */
export const withoutOpen = ({ open: _, ...spent }: Spending): Spending => spent

/**
 * After a request that the end of a kernel cut off, or one that is under way. It takes what it may have used at most; as
 * far as this is not known, the next answer tells it.
 */
export const lost = (spent: Spending, { tokens = 0, usd = 0 }: Partial<Reserved> = {}): Spending => {
  const before = spent.lost ?? { requests: 0, tokens: 0, usd: 0 }
  return {
    ...spent,
    steps: spent.steps + 1,
    tokens: spent.tokens === undefined ? undefined : spent.tokens + tokens,
    usd: spent.usd === undefined ? undefined : spent.usd + usd,
    lost: { requests: before.requests + 1, tokens: before.tokens + tokens, usd: before.usd + usd },
  }
}

/**
 * After an answer. It also tells what the requests of unknown use before it used, the failed attempts and the hedge that
 * lost: at least the same input, since they were the same request. A lost request was answered, perhaps, so that it used
 * at least as much as this one.
 */
export const answered = (
  { lost: { requests, ...reserved } = { requests: 0, tokens: 0, usd: 0 }, ...spent }: Spending,
  answer: Pick<PayloadOf<"ModelResponded">, "usage" | "cost">,
): Spending => {
  const { usage, metered, priced, usd } = ModelCallEnd.ofAnswer(answer)
  const tokens = tokensIn(usage)
  const unknownTokens = spent.unknown * usage.inputTokens + Math.max(0, requests * tokens - reserved.tokens)
  const unknownUsd = spent.unknown * usd + Math.max(0, requests * usd - reserved.usd)
  return {
    ...spent,
    steps: spent.steps + 1,
    tokens: spent.tokens === undefined || !metered ? undefined : spent.tokens + tokens + unknownTokens,
    usd: spent.usd === undefined || !priced ? undefined : spent.usd + usd + unknownUsd,
    unknown: 0,
  }
}

/** After a failure or a cancellation. */
export const failed = (
  spent: Spending,
  failure: Pick<PayloadOf<"ModelFailed">, "kind" | "response" | "usage" | "cost">,
): Spending => {
  const { usage, charged, metered, priced, usd } = ModelCallEnd.ofFailure(failure)
  if (!charged) return spent
  const known = tokensIn(usage)
  return {
    ...spent,
    steps: spent.steps + 1,
    tokens: spent.tokens === undefined ? undefined : spent.tokens + known,
    usd: spent.usd === undefined || (metered && !priced) ? undefined : spent.usd + usd,
    unknown: spent.unknown + (metered || known > 0 || usd > 0 ? 0 : 1),
  }
}

/** A recorded use; null is unknown there. */
export const ofUse = ({ steps, commands, tokens, usd }: Use): Spending => ({
  ...{ steps, commands, tokens: tokens ?? undefined, usd: usd ?? undefined },
  unknown: 0,
})

/** The use as the log has it. */
export const useOf = ({ steps, commands, tokens, usd }: Spending): Use => ({
  ...{ steps, commands, tokens: tokens ?? null, usd: usd ?? null },
})

/** The sum of two of which no request is under way (`withOpenLost`, `withoutOpen`). */
export const plus = (a: Spending, b: Spending): Spending => ({
  steps: a.steps + b.steps,
  commands: a.commands + b.commands,
  tokens: a.tokens === undefined || b.tokens === undefined ? undefined : a.tokens + b.tokens,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
  unknown: a.unknown + b.unknown,
  ...defined({
    lost: a.lost === undefined || b.lost === undefined ? (a.lost ?? b.lost) : lostTogether(a.lost, b.lost),
  }),
})

const lostTogether = (a: Lost, b: Lost): Lost => ({
  ...{ requests: a.requests + b.requests, tokens: a.tokens + b.tokens, usd: a.usd + b.usd },
})

const tokensIn = ({ inputTokens, outputTokens }: ModelCallEnd.CountedUsage): number =>
  ModelCallEnd.addTokens(inputTokens, outputTokens)

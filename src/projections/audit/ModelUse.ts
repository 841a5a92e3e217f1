/** The model section of a task's audit: its model calls with tokens and cost, in total and by model. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { evolveBy, isStep, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import type { Projection } from "../fold/Projection.ts"
import * as ModelCallEnd from "../state/ModelCallEnd.ts"

/** What providers' caches saved. */
export const CacheSaving = Schema.Struct({
  usd: Schema.NullOr(Schema.Finite).annotations({
    description: "In US dollars, negative if writing cost more than reading saved; null if unknown for any call",
  }),
  known: Schema.Finite.annotations({ description: "The sum over the calls of which it is known, in US dollars" }),
  unknown: Schema.NonNegativeInt.annotations({
    description: "Calls that used a cache, of which it is unknown what this saved",
  }),
}).annotations({ identifier: "CacheSaving" })

export type CacheSaving = typeof CacheSaving.Type

/** The cost of model calls. */
export const ModelSpending = Schema.Struct({
  usd: Schema.NullOr(Schema.NonNegative).annotations({
    description: "In US dollars; null if the cost of any call is unknown",
  }),
  atLeast: Schema.NonNegative.annotations({ description: "The sum of the known costs, in US dollars" }),
  unpriced: Schema.NonNegativeInt.annotations({
    description: "Calls of unknown cost: without a known price, without recorded usage, or not ended",
  }),
  prices: Schema.Array(Schema.String).annotations({ description: "The price tables, as `name@version`, sorted" }),
  saved: Schema.optionalWith(
    CacheSaving.annotations({ description: "What caches saved; absent if no call recorded the use of one" }),
    { exact: true },
  ),
}).annotations({ identifier: "ModelSpending" })

export type ModelSpending = typeof ModelSpending.Type

/** A count that is absent if no call recorded it. */
const rarely = (description: string) =>
  Schema.optionalWith(Schema.NonNegativeInt.annotations({ description }), { exact: true })

const tokens = {
  inputTokens: Schema.NonNegativeInt.annotations({ description: "Tokens of the requests, including cached ones" }),
  outputTokens: Schema.NonNegativeInt.annotations({ description: "Tokens of the answers, including reasoning" }),
  cachedTokens: Schema.NonNegativeInt.annotations({
    description: "Part of `inputTokens`, read from a provider's cache",
  }),
  reasoningTokens: Schema.NonNegativeInt.annotations({ description: "Part of `outputTokens`" }),
  cacheWriteTokens: rarely("Part of `inputTokens`, written to a provider's cache"),
  cacheWrite1hTokens: rarely("Part of `cacheWriteTokens`, written for an hour"),
  inputAudioTokens: rarely("Part of `inputTokens`: audio"),
  inputImageTokens: rarely("Part of `inputTokens`: images and documents"),
  inputVideoTokens: rarely("Part of `inputTokens`: video"),
  cachedAudioTokens: rarely("Part of `cachedTokens`: audio"),
  cachedImageTokens: rarely("Part of `cachedTokens`: images and documents"),
  cachedVideoTokens: rarely("Part of `cachedTokens`: video"),
  outputAudioTokens: rarely("Part of `outputTokens`: audio"),
  outputImageTokens: rarely("Part of `outputTokens`: images"),
  outputVideoTokens: rarely("Part of `outputTokens`: video"),
  webSearches: rarely("Web searches by the provider"),
}

const counts = {
  calls: Schema.NonNegativeInt.annotations({ description: "Calls, answered or not" }),
  failed: Schema.NonNegativeInt.annotations({
    description: "Calls that failed or were cancelled, in their last attempt",
  }),
  ...tokens,
}

const used = {
  ...counts,
  retries: rarely("Further attempts at calls that had failed, which a recorded program's client made"),
  steps: rarely("Commands that its answers requested, or that agents did after it answered them"),
  unmetered: Schema.NonNegativeInt.annotations({
    description:
      "Calls with unknown tokens: without recorded usage, with a part of it, or not ended. The sums include the known tokens",
  }),
  cost: ModelSpending,
}

/** Model calls. A failed or cancelled call counts with its recorded tokens and cost. */
export const ModelUse = Schema.Struct({
  ...used,
  byModel: Schema.Record({ key: Schema.String, value: Schema.Struct(used) }).annotations({
    description: "The same sums per model, by `provider/model`; `unknown` if an answer names no request",
  }),
}).annotations({ identifier: "ModelUse" })

export type ModelUse = typeof ModelUse.Type

/** The calls of one model, or of several. */
export type UseOfModel = ModelUse["byModel"][string]

const Counted = Schema.Struct({
  ...counts,
  steps: Schema.NonNegativeInt,
  retries: Schema.NonNegativeInt,
  /** Ended calls whose tokens are known, and those whose cost is known. */
  metered: Schema.NonNegativeInt,
  priced: Schema.NonNegativeInt,
  usd: Sum.Sum,
  prices: Schema.Array(Schema.String),
  /** Calls that used a cache; the known savings, and the calls of which they are unknown. */
  cached: Schema.NonNegativeInt,
  saved: Sum.Sum,
  unsaved: Schema.NonNegativeInt,
})
type Counted = typeof Counted.Type

const State = Schema.Struct({
  models: Schema.Record({ key: Schema.String, value: Counted }),
  /** The models of calls that have not ended, by the id of the request. */
  open: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** The model that each agent called last; under an empty name in a task with one agent. */
  asked: Schema.Record({ key: Schema.String, value: Schema.String }),
})
type State = typeof State.Type

const noTokens: ModelCallEnd.CountedUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

const noCalls: Counted = {
  calls: 0,
  failed: 0,
  ...noTokens,
  steps: 0,
  retries: 0,
  metered: 0,
  priced: 0,
  usd: Sum.zero,
  prices: [],
  cached: 0,
  saved: Sum.zero,
  unsaved: 0,
}

/**
 * The model calls of the agents. The cause of an answer or a failure is its request. An end without a known cause ends
 * the oldest open request; without one, it counts as a call of an unknown model. Critics' calls are not part of the
 * agents' work.
 */
export const projection: Projection<State> = {
  name: "TaskAudit.ModelUse",
  version: 6,
  state: State,
  initial: { models: {}, open: {}, asked: {} },
  evolve: evolveBy<State>({
    ModelCalled: (state, { provider, model, agentId = "", retryOf }, event) => {
      if (ModelCallEnd.isOfCritic(event)) return state
      const name = `${provider}/${model}`
      const asked = SafeRecord.set(state.asked, agentId, name)
      const counted = retryOf === undefined ? called(state, name) : retried(state, name)
      return { ...counted, open: SafeRecord.set(state.open, event.id, name), asked }
    },
    ActuatorCommanded: (state, { agentId = "" }, event) => {
      const name = SafeRecord.get(state.asked, agentId)
      if (name === undefined || !isStep(event)) return state
      return count(state, name, (before) => ({ ...before, steps: before.steps + 1 }))
    },
    SourceStated: (state, { used }) =>
      Object.entries(used?.models ?? {}).reduce((all, [name, of]) => stated(all, name, of), state),
    ModelResponded: (state, answer, event) => ended(state, event, ModelCallEnd.ofAnswer(answer)),
    ModelFailed: (state, failure, event) => ended(state, event, ModelCallEnd.ofFailure(failure)),
  }),
}

type Stated = NonNullable<PayloadOf<"SourceStated">["used"]>["models"][string]

/** Totals that a source states for a model replace those of its calls so far. */
const stated = (state: State, name: string, { usd, inputTokens, outputTokens }: Stated): State =>
  SafeRecord.get(state.models, name) === undefined
    ? state
    : count(state, name, (before) => ({
        ...before,
        ...defined({ inputTokens, outputTokens }),
        ...(inputTokens === undefined || outputTokens === undefined ? {} : { metered: before.calls + before.retries }),
        ...(usd === undefined
          ? {}
          : { usd: Sum.add(Sum.zero, usd), priced: before.calls + before.retries, prices: ["source"] }),
      }))

const called = (state: State, name: string): State =>
  count(state, name, (before) => ({ ...before, calls: before.calls + 1 }))

/** The previous attempt failed, but the call has not. */
const retried = (state: State, name: string): State =>
  count(state, name, (before) => ({
    ...before,
    retries: before.retries + 1,
    failed: Math.max(0, before.failed - 1),
  }))

const count = (state: State, name: string, update: (before: Counted) => Counted): State => ({
  ...state,
  models: SafeRecord.set(state.models, name, update(SafeRecord.get(state.models, name) ?? noCalls)),
})

const UNKNOWN = "unknown"

const ended = (state: State, event: Event, end: ModelCallEnd.ModelCallEnd): State => {
  if (ModelCallEnd.isOfCritic(event)) return state
  const request = requestOf(state, event)
  const name = request === undefined ? UNKNOWN : (SafeRecord.get(state.open, request) ?? UNKNOWN)
  const before = request === undefined ? called(state, name) : state
  const after = count(before, name, (counted) => add(counted, end))
  return request === undefined ? after : { ...after, open: SafeRecord.remove(after.open, request) }
}

const requestOf = ({ open }: State, { causationId }: Event): string | undefined =>
  causationId !== null && Object.hasOwn(open, causationId) ? causationId : Object.keys(open)[0]

const add = (
  before: Counted,
  { failed, usage, metered, usd, prices, priced, saved }: ModelCallEnd.ModelCallEnd,
): Counted => ({
  ...before,
  failed: before.failed + (failed ? 1 : 0),
  ...ModelCallEnd.addUsage(before, usage),
  metered: before.metered + (metered ? 1 : 0),
  priced: before.priced + (priced ? 1 : 0),
  usd: Sum.add(before.usd, usd),
  prices: prices === undefined ? before.prices : union(before.prices, [prices]),
  cached: before.cached + (saved === undefined ? 0 : 1),
  saved: Sum.add(before.saved, saved ?? 0),
  unsaved: before.unsaved + (saved === null ? 1 : 0),
})

const union = (some: ReadonlyArray<string>, more: ReadonlyArray<string>): ReadonlyArray<string> =>
  more.every((each) => some.includes(each)) ? some : [...new Set([...some, ...more])].sort()

/** Builds the section from the folded state; undefined if no model was called. */
export const section = ({ models }: State): ModelUse | undefined => {
  const byModel = Object.fromEntries(Object.entries(models).map(([name, counted]) => [name, useOf(counted)]))
  const all = Object.values(byModel)
  return all.length === 0 ? undefined : { ...total(all), byModel }
}

const useOf = ({
  metered,
  priced,
  usd,
  prices,
  cached,
  saved,
  unsaved,
  steps,
  retries,
  ...counted
}: Counted): UseOfModel => ({
  ...counted,
  ...rareCounts({ retries, steps }),
  unmetered: counted.calls + retries - metered,
  cost: spending(
    Sum.value(usd),
    counted.calls + retries - priced,
    prices,
    cached === 0 ? undefined : saving(Sum.value(saved), unsaved),
  ),
})

const rareCounts = ({ retries, steps }: { readonly retries: number; readonly steps: number }) => ({
  ...(retries === 0 ? {} : { retries }),
  ...(steps === 0 ? {} : { steps }),
})

const spending = (
  atLeast: number,
  unpriced: number,
  prices: ReadonlyArray<string>,
  saved: CacheSaving | undefined,
): ModelSpending => ({
  usd: unpriced === 0 ? atLeast : null,
  atLeast,
  unpriced,
  prices,
  ...defined({ saved }),
})

const saving = (known: number, unknown: number): CacheSaving => ({ usd: unknown === 0 ? known : null, known, unknown })

/** No model calls. */
export const none: UseOfModel = useOf(noCalls)

/** The sum of several models or tasks. */
export const total = (parts: ReadonlyArray<UseOfModel>): UseOfModel => ({
  calls: parts.reduce((sum, { calls }) => sum + calls, 0),
  failed: parts.reduce((sum, { failed }) => sum + failed, 0),
  ...parts.reduce<ModelCallEnd.CountedUsage>(ModelCallEnd.addUsage, noTokens),
  ...rareCounts({
    retries: parts.reduce((sum, { retries = 0 }) => sum + retries, 0),
    steps: parts.reduce((sum, { steps = 0 }) => sum + steps, 0),
  }),
  unmetered: parts.reduce((sum, { unmetered }) => sum + unmetered, 0),
  cost: totalCost(parts.map(({ cost }) => cost)),
})

export const totalCost = (costs: ReadonlyArray<ModelSpending>): ModelSpending =>
  spending(
    Sum.of(costs.map(({ atLeast }) => atLeast)),
    costs.reduce((sum, { unpriced }) => sum + unpriced, 0),
    costs.reduce<ReadonlyArray<string>>((all, { prices }) => union(all, prices), []),
    totalSaving(costs.flatMap(({ saved }) => saved ?? [])),
  )

/** The sum of savings; undefined without any. */
export const totalSaving = (savings: ReadonlyArray<CacheSaving>): CacheSaving | undefined =>
  savings.length === 0
    ? undefined
    : saving(
        Sum.of(savings.map(({ known }) => known)),
        savings.reduce((sum, { unknown }) => sum + unknown, 0),
      )

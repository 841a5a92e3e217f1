/**
 * Prices the model calls of a log with today's price table, each at the time of its answer. Read-only: recorded costs
 * stay unchanged. Counts a recorded program's tokens again from the raw response.
 */

import { Effect } from "effect"
import { EventLog, type LogError } from "../events/log/EventLog.ts"
import * as Pages from "../events/read/Pages.ts"
import type { ModelCost, ModelUsage } from "../events/vocabulary/Deciding.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as Prices from "../kernel/pricing/Prices.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import { type CacheSaving, totalSaving } from "../projections/audit/ModelUse.ts"
import * as ModelCallEnd from "../projections/state/ModelCallEnd.ts"
import { piecesOf } from "../providers/BodyPieces.ts"
import { isOfficial } from "../providers/WireFormats.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import * as Sum from "../values/Sum.ts"
import { canParseUrl } from "../values/url/canParseUrl.ts"
import * as HttpMessage from "./http/HttpMessage.ts"

/** The sum of known costs in US dollars, and the number of calls without one. */
export interface Costs {
  readonly atLeast: number
  readonly unpriced: number
  /** What providers' caches saved, as in audits; absent if no call used one. */
  readonly saved?: CacheSaving
}

export interface RepricedModel {
  /** `provider/model`. */
  readonly model: string
  readonly calls: number
  readonly recorded: Costs
  readonly repriced: Costs
  /** Number of calls whose cost differs from the recorded one by more than a millionth of a dollar. */
  readonly changed: number
  /** Number of calls without a cost, by reason. */
  readonly unknown: { readonly [why: string]: number }
}

export interface Repricing {
  readonly calls: number
  readonly recorded: Costs
  readonly repriced: Costs
  readonly models: ReadonlyArray<RepricedModel>
}

/** Prices the finished calls of a log, or of one task. */
export const reprice = (taskId?: string): Effect.Effect<Repricing, LogError, EventLog> =>
  Effect.gen(function* () {
    const { readPage } = yield* EventLog
    const calls = new Calls(yield* Prices.load())
    const only = taskId === undefined ? {} : { taskId }
    yield* Pages.forEach(readPage, { types: TYPES, ...only }, (page) => page.forEach((event) => calls.take(event)))
    return calls.end()
  })

const TYPES = ["ModelCalled", "ModelResponded", "ModelFailed", "IoAnswered"]

/** A request whose answer or raw response has not been read yet. */
interface Open {
  readonly provider: string
  readonly model: string
  /** Whether the request went to the provider's own server, as far as the log shows. */
  readonly official: boolean
  ended?: { readonly usage: ModelUsage | undefined; readonly cost: ModelCost | undefined; readonly at: number }
}

interface Total {
  calls: number
  changed: number
  recorded: Sum.Sum
  repriced: Sum.Sum
  recordedUnpriced: number
  repricedUnpriced: number
  /** The saving of each call that used a cache. */
  readonly recordedSavings: Array<CacheSaving>
  readonly repricedSavings: Array<CacheSaving>
  readonly unknown: { [why: string]: number }
}

class Calls {
  readonly #prices: Prices.PriceTable
  readonly #open = new Map<string, Open>()
  readonly #totals = new Map<string, Total>()

  constructor(prices: Prices.PriceTable) {
    this.#prices = prices
  }

  take(event: Event): void {
    if (is(event, "ModelCalled")) {
      const { provider, model, request } = event.payload
      this.#open.set(event.id, { provider, model, official: isOfOfficial(request) })
      return
    }
    if (is(event, "ModelResponded") || is(event, "ModelFailed")) {
      const { usage, cost } = event.payload
      this.#requestOf(event).ended = { usage, cost, at: event.occurredAt }
    } else if (is(event, "IoAnswered") && event.causationId !== null) {
      const call = this.#open.get(event.causationId)
      if (call?.ended === undefined) return
      const counted = usageIn(call.provider, event.payload.result)
      if (counted !== undefined) call.ended = { ...call.ended, usage: counted }
      this.#close(event.causationId, call)
    }
  }

  end(): Repricing {
    for (const [id, call] of this.#open) this.#close(id, call)
    const totals = [...this.#totals].sort(([a], [b]) => (a < b ? -1 : 1))
    const models = totals.map(
      ([model, total]): RepricedModel => ({
        model,
        calls: total.calls,
        recorded: {
          ...{ atLeast: Sum.value(total.recorded), unpriced: total.recordedUnpriced },
          ...defined({ saved: totalSaving(total.recordedSavings) }),
        },
        repriced: {
          ...{ atLeast: Sum.value(total.repriced), unpriced: total.repricedUnpriced },
          ...defined({ saved: totalSaving(total.repricedSavings) }),
        },
        changed: total.changed,
        unknown: total.unknown,
      }),
    )
    const sum = (of: (model: RepricedModel) => Costs): Costs => ({
      atLeast: Sum.of(models.map((model) => of(model).atLeast)),
      unpriced: models.reduce((all, model) => all + of(model).unpriced, 0),
      ...defined({ saved: totalSaving(models.flatMap((model) => of(model).saved ?? [])) }),
    })
    return {
      calls: models.reduce((all, { calls }) => all + calls, 0),
      recorded: sum(({ recorded }) => recorded),
      repriced: sum(({ repriced }) => repriced),
      models,
    }
  }

  /** The request that an event ends: its cause, otherwise the oldest open one, as in audits. */
  #requestOf({ id, causationId }: Event): Open {
    const named = causationId === null ? undefined : this.#open.get(causationId)
    const found = named ?? [...this.#open.values()].find(({ ended }) => ended === undefined)
    if (found !== undefined) return found
    const unknown = { provider: "unknown", model: "unknown", official: true }
    this.#open.set(id, unknown)
    return unknown
  }

  #close(id: string, { provider, model, official, ended }: Open): void {
    this.#open.delete(id)
    if (ended === undefined) return
    const total = this.#totalOf(`${provider}/${model}`)
    const priced = this.#price(provider, model, official, ended)
    const [before, now] = [ended.cost?.usd, "usd" in priced ? priced.usd : undefined]
    total.calls++
    total.recordedSavings.push(...savingsOf(ended.usage, ended.cost))
    total.repricedSavings.push(...savingsOf(ended.usage, "usd" in priced ? priced : undefined))
    if (before === undefined) total.recordedUnpriced++
    else total.recorded = Sum.add(total.recorded, before)
    if ("usd" in priced) total.repriced = Sum.add(total.repriced, priced.usd)
    else {
      total.repricedUnpriced++
      total.unknown[priced.why] = (total.unknown[priced.why] ?? 0) + 1
    }
    if (before === undefined ? now !== undefined : now === undefined || Math.abs(before - now) > SAME) total.changed++
  }

  #price(
    provider: string,
    model: string,
    official: boolean,
    { usage, cost, at }: NonNullable<Open["ended"]>,
  ): ModelCost | Prices.Unpriced {
    // A cost stated by the provider overrides every table.
    if (cost?.prices === Prices.SOURCE) return cost
    if (usage === undefined || (usage.inputTokens === 0 && usage.outputTokens === 0)) return NO_TOKENS
    return official ? this.#prices.price(provider, model, usage, at) : ANOTHER_SERVER
  }

  #totalOf(model: string): Total {
    const found = this.#totals.get(model)
    if (found !== undefined) return found
    const total: Total = {
      calls: 0,
      changed: 0,
      recorded: Sum.zero,
      repriced: Sum.zero,
      recordedUnpriced: 0,
      repricedUnpriced: 0,
      recordedSavings: [],
      repricedSavings: [],
      unknown: {},
    }
    this.#totals.set(model, total)
    return total
  }
}

/** The savings of a call's cache, by the rule of audits; none if it used no cache. */
const savingsOf = (usage: ModelUsage | undefined, cost: ModelCost | undefined): ReadonlyArray<CacheSaving> => {
  if (usage === undefined) return []
  const { saved } = ModelCallEnd.ofAnswer({ usage, ...defined({ cost }) })
  if (saved === undefined) return []
  return [{ usd: saved, known: saved ?? 0, unknown: saved === null ? 1 : 0 }]
}

/** Costs that differ by less count as equal, in US dollars. */
const SAME = 1e-6

const NO_TOKENS: Prices.Unpriced = { why: "its tokens are not on record" }
const ANOTHER_SERVER: Prices.Unpriced = { why: "it was asked of another server than the provider's own" }

/** Recordings name the address. A kernel's agent without one called the provider itself. */
const isOfOfficial = (request: Json): boolean => {
  const url = textOf(fieldOf(fieldOf(request, "http"), "url"))
  return url === undefined || (canParseUrl(url) && isOfficial(new URL(url).host))
}

const FORMATS: { readonly [provider: string]: ProviderUsage.UsageFormat } = {
  anthropic: ProviderUsage.anthropic,
  openai: ProviderUsage.openAi,
  google: ProviderUsage.gemini,
}

/** The usage in a raw response; undefined if it has none or is not in the log. */
const usageIn = (provider: string, result: unknown): ModelUsage | undefined => {
  const [format, chunks] = [FORMATS[provider], fieldOf(result, "chunks")]
  if (format === undefined || !HttpMessage.areChunks(chunks)) return undefined
  const counted = ProviderUsage.counting(format)
  for (const piece of piecesOf(HttpMessage.joinedText(chunks))) counted.take(piece)
  return ProviderUsage.whole(counted.usage())
}

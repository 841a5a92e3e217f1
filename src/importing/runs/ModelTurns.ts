/** Records a run's requests to models and their answers. A request holds the messages since the last one. */

import type { ModelCost, ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { digest, sha256 } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import { ofAgent, type RunWriter } from "./RunEvent.ts"
import { elapsed } from "./SourceTimes.ts"
import { logJson, nameFrom } from "./Untrusted.ts"

export interface ModelRequest {
  readonly key: string
  readonly provider: string
  readonly model: string
  readonly agentId?: string | undefined
  /** The whole request, if the source has it. Default: the messages since the last turn. */
  readonly messages?: ReadonlyArray<Json>
}

export interface ModelTurn extends ModelRequest {
  readonly parts: ReadonlyArray<Json>
  readonly usage: ModelUsage
  /** In US dollars, as the source states it. */
  readonly usd?: number | undefined
  readonly askedAt: number | null
  readonly at: number | null
}

/** A request without an answer. */
export interface FailedTurn extends ModelRequest {
  readonly kind: ModelFailureKind
  readonly reason: string
  readonly at: number | null
  /** What came before the failure. Default: nothing. */
  readonly parts?: ReadonlyArray<Json>
  readonly usage?: ModelUsage | undefined
}

export class ModelTurns {
  readonly #writer: RunWriter
  /** Messages for each agent's next request. */
  readonly #untold = new Map<string, Array<Json>>()
  /** Tokens by `provider/model`. */
  readonly used = new Map<string, { inputTokens: number; outputTokens: number }>()
  /** Key of the last event that gave each agent a message. */
  readonly #lastTold = new Map<string, string>()

  constructor(writer: RunWriter) {
    this.#writer = writer
  }

  /** Adds a message to the agent's next request. `by` is the key of the event that caused it. */
  told(message: JsonObject, agentId?: string, by?: string): void {
    const untold = this.#untold.get(agentId ?? "")
    if (untold === undefined) this.#untold.set(agentId ?? "", [message])
    else untold.push(message)
    if (by !== undefined) this.#lastTold.set(agentId ?? "", by)
  }

  /** Drops pending messages, for sources that have whole requests. */
  untold(): void {
    this.#untold.clear()
  }

  guided(key: string, systemPrompt: string, at: number | null): void {
    const { json } = logJson(systemPrompt)
    const guide = { systemPrompt: String(json), memoryPolicy: {}, initialMemories: [] }
    const body = { type: "GuideApplied", payload: { digest: digest(guide), ...guide } } as const
    this.#writer.write(`guided:${key}`, body, { at })
  }

  turn(turn: ModelTurn): void {
    const { key, parts, usage, askedAt, at } = turn
    this.#asked(turn, askedAt ?? at)
    const finish = parts.some((part) => (part as JsonObject).type === "call") ? "calls" : "stop"
    const response = { parts: parts.map((part) => logJson(part).json), finish } as const
    const used = this.used.get(`${turn.provider}/${turn.model}`) ?? { inputTokens: 0, outputTokens: 0 }
    used.inputTokens += usage.inputTokens
    used.outputTokens += usage.outputTokens
    this.used.set(`${turn.provider}/${turn.model}`, used)
    const price = this.#costOf(turn)
    const cost = price === null ? {} : { cost: price }
    this.#writer.write(
      `answered:${key}`,
      {
        type: "ModelResponded",
        payload: { response, usage, ...cost, ...defined({ latencyMs: elapsed(askedAt, at) }) },
      },
      { at, cause: `asked:${key}` },
    )
  }

  /** The cost that the source states, otherwise from the price table. Some sources write 0 for unknown. */
  #costOf({ provider, model, usage, usd, at }: ModelTurn): ModelCost | null {
    if (usd !== undefined && usd > 0) return { usd, prices: "source" }
    // Sources without token counts have zeros; the cost is then unknown.
    const isMetered = usage.inputTokens > 0 || usage.outputTokens > 0
    return isMetered ? this.#writer.prices.costOf(provider, model, usage, at ?? undefined) : null
  }

  failed(turn: FailedTurn): void {
    const { key, kind, reason, at, parts = [], usage } = turn
    this.#asked(turn, at)
    const response = parts.length === 0 ? undefined : parts.map((part) => logJson(part).json)
    this.#writer.write(
      `answered:${key}`,
      { type: "ModelFailed", payload: { kind, reason: plainText(reason), ...defined({ response, usage }) } },
      { at, cause: `asked:${key}` },
    )
  }

  #asked({ key, provider, model, agentId, messages }: ModelRequest, at: number | null): void {
    const { json } = logJson({ messages: messages ?? this.#untold.get(agentId ?? "") ?? [] })
    this.#untold.delete(agentId ?? "")
    const payload = {
      provider: nameFrom(provider),
      model: nameFrom(model),
      requestDigest: sha256(JSON.stringify(json)),
      request: json,
      ...ofAgent(agentId),
    }
    const cause = this.#lastTold.get(agentId ?? "")
    const asked = cause === undefined ? payload : { ...payload, inferred: { cause: "told-last" as const } }
    this.#writer.writeAt(`asked:${key}`, { type: "ModelCalled", payload: asked }, at, cause ?? "opened")
  }

  /** Records that a summary replaced earlier messages. */
  compacted(key: string, messages: number, summary: string, at: number | null): void {
    const { json } = logJson(summary)
    const payload = { policy: this.#writer.source, messages: Math.max(1, messages), summary: String(json) }
    this.#writer.write(`compacted:${key}`, { type: "MemoryCompacted", payload }, { at })
  }
}

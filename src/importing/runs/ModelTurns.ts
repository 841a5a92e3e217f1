/** What the models of a run were asked and answered. A request holds what is new in it since the last one. */

import type { ModelCost, ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { digest, sha256 } from "../../values/Digest.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import { ofAgent, type RunWriter } from "./RunEvent.ts"
import { elapsed } from "./SourceTimes.ts"
import { logJson, nameFrom } from "./Untrusted.ts"

/** A request to a model. */
export interface ModelRequest {
  readonly key: string
  readonly provider: string
  readonly model: string
  readonly agentId?: string | undefined
  /** The whole request, where the source has it. Default: the messages since the last turn. */
  readonly messages?: ReadonlyArray<Json>
}

/** A request with its answer. */
export interface ModelTurn extends ModelRequest {
  /** The parts of the answer: text, reasoning and calls. */
  readonly parts: ReadonlyArray<Json>
  readonly usage: ModelUsage
  /** What the source says that it cost, in US dollars. */
  readonly usd?: number | undefined
  readonly askedAt: number | null
  readonly at: number | null
}

/** A request that was not answered. */
export interface FailedTurn extends ModelRequest {
  readonly kind: ModelFailureKind
  readonly reason: string
  readonly at: number | null
}

export class ModelTurns {
  readonly #writer: RunWriter
  /** What the model of each agent will be told with its next request. */
  readonly #untold = new Map<string, Array<Json>>()
  /** What the calls of each model used, by `provider/model`. */
  readonly used = new Map<string, { inputTokens: number; outputTokens: number }>()
  /** The key of the last event that each agent was told something by. */
  readonly #lastTold = new Map<string, string>()

  constructor(writer: RunWriter) {
    this.#writer = writer
  }

  /** The model will be told a message with its next request, because of an event where one is named. */
  told(message: JsonObject, agentId?: string, by?: string): void {
    const untold = this.#untold.get(agentId ?? "")
    if (untold === undefined) this.#untold.set(agentId ?? "", [message])
    else untold.push(message)
    if (by !== undefined) this.#lastTold.set(agentId ?? "", by)
  }

  /** Forgets what the model would be told: the source says with each request what it was. */
  untold(): void {
    this.#untold.clear()
  }

  /** The agent was told who it is. */
  guided(key: string, systemPrompt: string, at: number | null): void {
    const { json } = logJson(systemPrompt)
    const guide = { systemPrompt: String(json), memoryPolicy: {}, initialMemories: [] }
    const body = { type: "GuideApplied", payload: { digest: digest(guide), ...guide } } as const
    this.#writer.write(`guided:${key}`, body, { at })
  }

  /** A model was asked, and answered. */
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
      { type: "ModelResponded", payload: { response, usage, ...cost, latencyMs: elapsed(askedAt, at) } },
      { at, cause: `asked:${key}` },
    )
  }

  /** What an answer cost: as its source says, else by the table of prices. Some sources write 0 where they do not know. */
  #costOf({ provider, model, usage, usd, at }: ModelTurn): ModelCost | null {
    if (usd !== undefined && usd > 0) return { usd, prices: "source" }
    // A source without tokens has zeros: what such a call cost is not known.
    const isMetered = usage.inputTokens > 0 || usage.outputTokens > 0
    return isMetered ? this.#writer.prices.costOf(provider, model, usage, at ?? undefined) : null
  }

  /** A model was asked, and did not answer. */
  failed(turn: FailedTurn): void {
    const { key, kind, reason, at } = turn
    this.#asked(turn, at)
    this.#writer.write(
      `answered:${key}`,
      { type: "ModelFailed", payload: { kind, reason: plainText(reason), latencyMs: 0 } },
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

  /** A conversation was replaced by a summary. */
  compacted(key: string, messages: number, summary: string, at: number | null): void {
    const { json } = logJson(summary)
    const payload = { policy: this.#writer.source, messages: Math.max(1, messages), summary: String(json) }
    this.#writer.write(`compacted:${key}`, { type: "MemoryCompacted", payload }, { at })
  }
}

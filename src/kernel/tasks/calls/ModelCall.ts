/** A request to a language model, its response, and its failure. */

import { Data } from "effect"
import type { ModelCost, ModelFailureKind, ModelUsage } from "../../../events/vocabulary/Deciding.ts"
import type * as Spending from "../../../projections/tree/Spending.ts"
import type { Json } from "../../../values/Json.ts"
import type { ProviderLimits } from "../../pacing/ModelPace.ts"

/** An agent's request to a language model. */
export interface ModelCallRequest {
  readonly provider: string
  readonly model: string
  /** The whole request, or the part that is new since this agent's last one. The log keeps it. */
  readonly request: Json
  /** Digest of the whole request. Default: that of `request`. */
  readonly requestDigest?: string
}

/** The model's response with its tokens. */
export interface ModelCallResponse {
  readonly response: Json
  readonly usage: ModelUsage
  readonly cost?: ModelCost
  /** The provider's rate limits, as its answer says them. Not recorded. */
  readonly limits?: ProviderLimits
  /** The other call of a hedged request. Its own event records it. */
  readonly lost?: ReadonlyArray<Spent>
}

/**
 * The model did not answer, or not completely. It is recorded, and a replay fails with it again. Retry if
 * `isTransient(kind)`; otherwise see the reason.
 */
export class ModelCallFailed extends Data.TaggedError("ModelCallFailed")<{
  readonly provider: string
  readonly model: string
  readonly kind: ModelFailureKind
  readonly reason: string
  /** The partial answer. */
  readonly response?: Json
  /** The used tokens, as far as known. */
  readonly usage?: ModelUsage
  readonly cost?: ModelCost
  /** The wait that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number
  /** The agent's wait before its retry, in milliseconds, if recorded. */
  readonly retryInMs?: number
  /** The model that the agent asks instead, if recorded. */
  readonly fallbackTo?: string
  /** The provider's rate limits, as its answer says them. Not recorded. */
  readonly limits?: ProviderLimits
  /** The other call of a hedged request. Its own event records it. */
  readonly lost?: ReadonlyArray<Spent>
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer (${this.kind}): ${this.reason}`
  }
}

/** A request that the end of a kernel cut off: what it reserves, or how it ended, if that was recorded. */
export type LostCall = { readonly reserves: Spending.Reserved | undefined } | { readonly end: Spent }

/** How a call ended whose answer was not taken, with its use as far as it is known. */
export type Spent = Pick<ModelCallFailed, "kind" | "response" | "usage" | "cost">

/** A language model as an agent uses it: it streams one turn from a conversation and tools. */

import type { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { ModelCost, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { ProviderLimits } from "../../kernel/pacing/ModelPace.ts"
import type { ModelCallFailed } from "../../kernel/tasks/ModelCalls.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { AnswerPart, Message } from "./Message.ts"
import type { UnknownProvider } from "./UnusableModel.ts"

/** A tool as a model sees it. */
export interface ToolDescription {
  /** A name that every provider accepts: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string
  readonly description: string
  readonly args: JsonObject
}

/** The request for one turn. */
export interface TurnRequest {
  /** The system prompt; empty for none. */
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDescription>
  readonly temperature?: number
  /** Limit of the answer, in tokens. Default: the provider's. */
  readonly maxOutputTokens?: number
  /** Whether the model must, may or must not call tools, or which one it must call. Default: it may. */
  readonly toolChoice?: ToolChoice
  /** How much the model reasons before it answers. Default: the provider's. */
  readonly reasoning?: Reasoning
  /** How soon the provider answers, and at which price. Default: the provider's. */
  readonly serviceTier?: ServiceTier
  /** Options of the provider's package, by provider, such as `{ anthropic: { effort: "low" } }`. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
}

/** Hints about a request that do not change its answer. */
export interface TurnHints {
  /** How long the provider may cache the request's beginning for the next request. Default: it is not told to. */
  readonly cache?: CacheTime
  /** The id of the request's `ModelCalled` event, the cause of what a plugin's provider asks of the host. */
  readonly called?: string
}

/** How long a provider caches the beginning of a request: five minutes or an hour after its last use. */
export type CacheTime = "5m" | "1h"

/** How hard a model thinks; `off` switches reasoning off where the model allows it. */
export type Effort = "off" | "minimal" | "low" | "medium" | "high" | "max"

/** An effort, or a number of tokens to reason with. */
export type Reasoning = Effort | { readonly budgetTokens: number }

/** A provider's tiers: `flex` is slow and cheap, `priority` fast and dear. */
export type ServiceTier = "standard" | "flex" | "priority"

/** Whether a model must, may or must not call tools, or the name of the tool that it must call. */
export type ToolChoice = "auto" | "required" | "none" | { readonly tool: string }

/**
 * Why an answer ended: the model was done (`stop`), requests tool calls (`calls`), or reached the limit of tokens
 * (`length`).
 */
export type Finish = "stop" | "calls" | "length"

/** A whole answer, which ended cleanly. Only the calls of such an answer are executed. */
export interface Turn {
  readonly parts: ReadonlyArray<AnswerPart>
  readonly finish: Finish
  readonly usage: ModelUsage
  /** The cost in US dollars that the provider names. Default: by a price table. */
  readonly cost?: number
  /** The provider's rate limits, as its answer says them. Default: unknown. */
  readonly limits?: ProviderLimits
}

/** A piece of an answer while it streams. The pieces with one index, joined, are one part of the answer. */
export interface Delta {
  /** The place of the part in the answer, from 0. */
  readonly index: number
  /** For a call, `text` is a piece of its arguments' JSON. */
  readonly kind: "text" | "reasoning" | "call"
  readonly text: string
}

/** A language model. */
export interface Model {
  readonly provider: string
  readonly model: string
  /**
   * Removes the model's key, which a server may have echoed, from a text. Default: returns the text unchanged. A turn
   * and its deltas arrive without the key; the parts of a cancelled answer do not.
   */
  readonly redact?: (text: string) => string
  /**
   * Why the model cannot fulfil a wish of an agent, as far as that is known without a request. Default: undefined, it
   * takes all.
   */
  readonly unfulfilled?: (wishes: Pick<TurnRequest, "reasoning" | "serviceTier">) => string | undefined
  /** The cost of an answer by the model's own prices; null if unknown. Default: by the table of prices. */
  readonly costOf?: (usage: ModelUsage) => ModelCost | null
  /**
   * The model within a task, for one that a plugin provides: its turns outside of a task fail. Fails if no plugin of the
   * task has the model. Default: the model itself.
   */
  readonly inTask?: (task: Pick<Task, "capabilities" | "generate">) => Effect.Effect<Model, UnknownProvider | LogError>
  /**
   * Asks the model for one turn. `onDelta` receives each piece as it arrives; the possible start of the model's key is
   * held back, so that no key spans several deltas. An answer that did not end cleanly fails, with its parts and usage
   * as far as they are known. Interrupting the effect closes the connection. `onUsage` receives the tokens so far, if
   * the provider reports them before the end; nothing else is known of an interrupted turn.
   */
  readonly turn: (
    request: TurnRequest,
    onDelta: (delta: Delta) => void,
    onUsage?: (usage: ModelUsage) => void,
    hints?: TurnHints,
  ) => Effect.Effect<Turn, ModelCallFailed>
}

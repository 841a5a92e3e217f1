/** A language model as an agent uses it: it streams one turn from a conversation and tools. */

import type { Effect } from "effect"
import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { ModelCallFailed } from "../../kernel/tasks/ModelCalls.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { AnswerPart, Message } from "./Message.ts"

/** A tool as a model is told of it. */
export interface ToolDescription {
  /** A name that every provider takes: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments: that of an object. */
  readonly args: JsonObject
}

/** What a model is asked in one turn. */
export interface TurnRequest {
  /** The system prompt; empty for none. */
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDescription>
  /** Default: the provider's. */
  readonly temperature?: number
  /** Limit of the answer, in tokens. Default: the provider's. */
  readonly maxOutputTokens?: number
}

/**
 * Why an answer ended: the model was done (`stop`), wants tools to be called (`calls`), or reached the limit of tokens
 * (`length`).
 */
export type Finish = "stop" | "calls" | "length"

/** A whole answer, which ended cleanly. Only the calls of such an answer are executed. */
export interface Turn {
  readonly parts: ReadonlyArray<AnswerPart>
  readonly finish: Finish
  readonly usage: ModelUsage
  /** What it cost in US dollars, where the provider says it. Default: what a price table says. */
  readonly cost?: number
}

/** A piece of an answer while it streams. The pieces with one index, joined, are one part of the answer. */
export interface Delta {
  /** The place of the part in the answer, from 0. */
  readonly index: number
  /** Of a call, `text` is a piece of its arguments' JSON. */
  readonly kind: "text" | "reasoning" | "call"
  readonly text: string
}

/** A language model. */
export interface Model {
  /** The provider's name, as in `anthropic/claude-sonnet-4-5`. */
  readonly provider: string
  /** The provider's name of the model. */
  readonly model: string
  /**
   * Takes the model's key out of a text, which a server may have echoed. Default: texts stay as they are. It is used for
   * what had come of an answer that was cancelled; a turn and its deltas are given without the key.
   */
  readonly redact?: (text: string) => string
  /**
   * Asks the model for one turn. `onDelta` is called with each piece as it comes; the end of a piece that may be the
   * beginning of the model's key comes with the next one, so that no key is told in several. An answer that did not end cleanly
   * fails, with what had come and the usage as far as it is known. If the effect is interrupted, the connection is
   * closed. `onUsage` is called with the tokens used so far, where the provider says them before the end: they are all
   * that is known of a turn that is interrupted.
   */
  readonly turn: (
    request: TurnRequest,
    onDelta: (delta: Delta) => void,
    onUsage?: (usage: ModelUsage) => void,
  ) => Effect.Effect<Turn, ModelCallFailed>
}

/** A wire format: how to read one provider's HTTP requests and answers, whole or streamed. */

import type { AnswerPart, Message } from "../agents/models/Message.ts"
import type { ToolDescription } from "../agents/models/Model.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import type { JsonObject } from "../values/Json.ts"
import type { AnswerBody } from "./BodyPieces.ts"

/** A request to a language model: the conversation and the settings. */
export interface ModelRequest {
  readonly provider: string
  readonly model: string
  /** The system prompt; empty if there is none. */
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDescription>
  /** All other fields of the body, such as the temperature. */
  readonly settings: JsonObject
  /** Present if the server keeps the conversation; `messages` then holds only the new ones. */
  readonly thread?: Thread
}

export interface Thread {
  /** `ProviderAnswer.id` of the answer that the request continues. */
  readonly after?: string
  /** The provider's id of the conversation. */
  readonly conversation?: string
}

export interface Address {
  readonly host: string
  readonly path: string
}

export interface Finished {
  /** `paused`: the provider continues it on the next request, or later by itself. `error`: the provider gave up. */
  readonly unified: "stop" | "length" | "content-filter" | "paused" | "error"
  /** The provider's own word; undefined if it gives none. */
  readonly raw: string | undefined
}

/** An answer, or as much of it as arrived. */
export interface ProviderAnswer {
  readonly id?: string | undefined
  /** The model that the answer names. */
  readonly model?: string | undefined
  readonly parts: ReadonlyArray<AnswerPart>
  readonly usage: ModelUsage | undefined
  /** In US dollars, if the provider states it. */
  readonly cost?: number | undefined
  /** The model's refusal; empty if it did not refuse. */
  readonly refusal: string
  /** Whether anything arrived that this format knows as an answer. */
  readonly hasBegun: boolean
  /** Undefined if the answer did not reach its end. */
  readonly finish: Finished | undefined
  /** The first error that the provider sent, instead of an answer or within it. */
  readonly error: { readonly error: unknown } | undefined
}

export interface WireFormat {
  readonly name: string
  /** False for requests outside a conversation: embeddings. */
  readonly isConversation?: false
  /** For formats whose path can name the model: returns the path with another model, or undefined if it names none. */
  readonly withModel?: (path: string, model: string) => string | undefined
  /** For formats with background answers: returns the id of the answer that a request fetches or cancels. */
  readonly polled?: (method: string, path: string) => string | undefined
  /** Whether a request has this format. The path has no trailing slash. */
  readonly matches: (address: Address, body: JsonObject) => boolean
  /** Reads a request. It never fails: it keeps unknown parts as items. */
  readonly request: (address: Address, body: JsonObject) => ModelRequest
  /**
   * Reads an answer. It never fails: it keeps items of an unknown type and marks them `unread`.
   *
   * @param callId returns an id for the call at an index, for providers that give none
   */
  readonly answer: (body: AnswerBody, callId: (index: number) => string) => ProviderAnswer
}

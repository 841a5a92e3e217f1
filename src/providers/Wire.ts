/** What a wire format is: how a provider's requests and answers over HTTP are read, whole or streamed. */

import type { AnswerPart, Message } from "../agents/models/Message.ts"
import type { ToolDescription } from "../agents/models/Model.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import type { JsonObject } from "../values/Json.ts"
import type { AnswerBody } from "./pieces.ts"

/** A request to a language model: what the model reads, and how it is asked. */
export interface ModelRequest {
  readonly provider: string
  readonly model: string
  /** The system prompt; empty for none. */
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDescription>
  /** All else that the body says, such as the temperature. */
  readonly settings: JsonObject
  /** What the server keeps of the conversation: the messages are only what is new in it. */
  readonly thread?: Thread
}

/** A conversation that a server keeps. */
export interface Thread {
  /** The provider's id of the answer that the request continues (`ProviderAnswer.id`). */
  readonly after?: string
  /** The provider's id of the conversation. */
  readonly conversation?: string
}

/** Where a request goes. */
export interface Address {
  readonly host: string
  readonly path: string
}

/** How a provider says that an answer ended. */
export interface Finished {
  /** `paused`: the provider continues it when it is asked again, or later by itself. `error`: it could not end the answer. */
  readonly unified: "stop" | "length" | "content-filter" | "paused" | "error"
  /** The provider's own word; undefined where it has none. */
  readonly raw: string | undefined
}

/** An answer as its provider wrote it, as far as it came. */
export interface ProviderAnswer {
  /** The provider's id of the answer. */
  readonly id?: string | undefined
  /** The model that answered, by the provider's own word. */
  readonly model?: string | undefined
  readonly parts: ReadonlyArray<AnswerPart>
  readonly usage: ModelUsage | undefined
  /** What the answer cost in US dollars, where the provider says it. */
  readonly cost?: number | undefined
  /** The refusal, if the model refused. */
  readonly refusal: string
  /** Whether anything came that is an answer in this format. */
  readonly hasBegun: boolean
  /** Undefined where the answer did not come to its end. */
  readonly finish: Finished | undefined
  /** The first error that the provider sent instead of an answer, or within it. */
  readonly error: { readonly error: unknown } | undefined
}

/** A provider's format of requests and answers. */
export interface Wire {
  readonly name: string
  /** False where a request is no part of a conversation: embeddings. */
  readonly isConversation?: false
  /** Present where a path may name the model: the path with another one; undefined for a path that names none. */
  readonly withModel?: (path: string, model: string) => string | undefined
  /** Present where an answer may come later: the id of the answer that a request asks for, or ends; undefined for others. */
  readonly polled?: (method: string, path: string) => string | undefined
  /** Whether a request is of this format. The path does not end in a slash. */
  readonly matches: (address: Address, body: JsonObject) => boolean
  /** What a request of this format asks. It is total: parts that are not known are kept as items. */
  readonly request: (address: Address, body: JsonObject) => ModelRequest
  /**
   * What an answer says. It is total: an item whose type is not known is kept and marked `unread`.
   *
   * @param callId the id of a call by its place, where the provider gives none
   */
  readonly answer: (body: AnswerBody, callId: (index: number) => string) => ProviderAnswer
}

/** What a wire format is: how a provider's requests and answers over HTTP are read, whole or streamed. */

import type { Message } from "../agents/models/Message.ts"
import type { ToolDescription } from "../agents/models/Model.ts"
import type { WholeAnswer } from "../agents/models/providers/outcome.ts"
import type { Json, JsonObject } from "../values/Json.ts"

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
}

/** Where a request goes. */
export interface Address {
  readonly host: string
  readonly path: string
}

/** An answer as its provider wrote it. */
export interface ProviderAnswer extends WholeAnswer {
  /** The first error that the provider sent instead of an answer, or within it. */
  readonly error: () => { readonly error: unknown } | undefined
}

/** A provider's format of requests and answers. */
export interface Wire {
  readonly name: string
  /** Whether a request is of this format. */
  readonly matches: (address: Address, body: JsonObject) => boolean
  /** What a request of this format asks. It is total: parts that are not known are kept as text. */
  readonly request: (address: Address, body: JsonObject) => ModelRequest
  /**
   * What an answer says.
   *
   * @param pieces the JSON values of its body: one, or those of a stream
   * @param callId the id of a call by its place, where the provider gives none
   */
  readonly answer: (pieces: ReadonlyArray<Json>, callId: (index: number) => string) => ProviderAnswer
}

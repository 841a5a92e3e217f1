/**
 * The whole request of a model call: everything that the model saw, as far as the log has it. The log records requests
 * in several ways, mostly as differences from the one before; `Requests` puts them together.
 */

import type { Json, JsonObject } from "../../values/Json.ts"
import type { SeenMessage } from "./RequestMessage.ts"

/** An event as far as requests need it. Studio's page has these fields of an event, too. */
export interface LoggedEvent {
  readonly position: number
  readonly id: string
  readonly type: string
  readonly actor: string
  readonly causationId: string | null
  readonly payload: JsonObject
}

/** A part of a request: its value and the position of the event that records it, or why the log does not have it. */
export type Part<A> = { readonly value: A; readonly at: number } | { readonly notRecorded: string }

/** A tool as the model saw it. */
export interface SeenTool {
  readonly name: string
  /** Undefined if the log does not have it. */
  readonly description: string | undefined
  /** The JSON Schema of its arguments; undefined if the log does not have it. */
  readonly schema: Json | undefined
}

/**
 * Who recorded a request.
 *
 * - `agent`: a model agent of this kernel
 * - `recorder`: a recorder, from the program's request over HTTP or from its framework's telemetry
 * - `import`: an import of another program's file
 * - `critic`: a critic, which scores a task
 * - `program`: an agent's own code, in a form of its own
 */
export type RecordedBy = "agent" | "recorder" | "import" | "critic" | "program"

/** The memory policy of a model agent, and its effect on a request. */
export interface Memory {
  readonly policy: JsonObject
  /** The number of earlier messages that the model did not see. */
  readonly leftOut: number
}

/** The tokens of a request as its provider counts them, from its answer. An absent count is unknown. */
export interface RequestUsage {
  readonly inputTokens?: number
  readonly cachedTokens?: number
  readonly cacheWriteTokens?: number
  readonly outputTokens?: number
}

/** Everything that a model saw in one call. */
export interface WholeRequest {
  /** The position and id of its `ModelCalled` event. */
  readonly position: number
  readonly id: string
  readonly provider: string
  readonly model: string
  readonly agentId: string | null
  readonly recordedBy: RecordedBy
  /** Asks for the next turn, for a summary of the conversation, or for a critic's verdict. */
  readonly asksFor: "turn" | "summary" | "verdict"
  /** The system prompt; empty text if the request had none. */
  readonly system: Part<string>
  readonly tools: Part<ReadonlyArray<SeenTool>>
  /** All other settings, such as the temperature. */
  readonly settings: Part<JsonObject>
  readonly messages: ReadonlyArray<SeenMessage>
  /** Why messages before these are not recorded; null if these are all. */
  readonly earlier: string | null
  readonly memory: Memory | null
  /**
   * Whether the program sent only the messages that the log records with this request, because the provider's server
   * keeps the earlier ones.
   */
  readonly isContinuation: boolean
  /** The method and the address of the recorded request over HTTP. */
  readonly http: { readonly method: string; readonly url: string } | null
  /** Sentences about parts that are cut, uncertain or unknown. */
  readonly notes: ReadonlyArray<string>
  /** The digest of the whole request, as whoever recorded it computed it. */
  readonly digest: string
  /** The position of the previous request in the same conversation; null for the first. */
  readonly previous: number | null
  readonly answer: {
    /** The position of `ModelResponded` or `ModelFailed`. */
    readonly at: number
    readonly failed: string | null
    readonly response: Json
  } | null
  readonly usage: RequestUsage
}

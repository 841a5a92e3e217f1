/** The log records of a coding agent, in one form for all agents. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"

export type Telling =
  /** A person's prompt; without text if the agent does not send it. */
  | { readonly kind: "prompt"; readonly text: string | undefined }
  | {
      readonly kind: "request"
      /** The source's id, to which its answer and its calls refer. */
      readonly id: string | undefined
      readonly provider: string
      readonly model: string
      readonly usage: ModelUsage
      /** In US dollars. */
      readonly usd: number | undefined
      readonly durationMs: number | undefined
      readonly text: string | undefined
    }
  | {
      readonly kind: "failure"
      readonly provider: string
      readonly model: string
      readonly reason: string
    }
  | { readonly kind: "answer"; readonly id: string | undefined; readonly text: string | undefined }
  | ({ readonly kind: "decision" } & AgentCall & Decision)
  | ({ readonly kind: "result"; readonly decision?: Decision | undefined } & AgentCall & AgentResult)
  /** Nothing that the task lacks. */
  | { readonly kind: "noise" }
  /** Kept unchanged. */
  | { readonly kind: "other" }

export interface AgentCall {
  /** Undefined for an agent that sends none. */
  readonly callId: string | undefined
  readonly tool: string
  /** Undefined if the agent does not send them. */
  readonly args: unknown
  /** The request whose answer has the call. */
  readonly requestId?: string | undefined
}

export interface Decision {
  readonly approved: boolean
  /** Who or what decided, in the source's word, such as `config`, `hook` or `user_temporary`. */
  readonly by: string
  /** Whether a person was asked. */
  readonly asked: boolean
}

export interface AgentResult {
  readonly ok: boolean
  /** Undefined if the agent does not send it. */
  readonly content: unknown
  readonly durationMs: number | undefined
}

/** An agent whose log records Hindcast reads. */
export interface AgentLog {
  /** Its name as a source of imports and as a client of hooks. */
  readonly name: string
  readonly title: string
  /** What to set so that it sends more. */
  readonly more: string
  readonly recognizes: (record: LogRecord) => boolean
  /** The attribute with the session's id. */
  readonly session: string
  readonly tellingOf: (record: LogRecord) => Telling
}

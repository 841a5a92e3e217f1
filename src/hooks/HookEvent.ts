/** The events that coding agents report to their hooks, in one form for all clients. */

import type { PersonsAnswer } from "../kernel/gate/ConfirmationRequests.ts"
import type { Json } from "../values/Json.ts"

export interface Belongs {
  readonly session: string
  readonly cwd: string
  /** The active sub-agent; absent for the session's main agent. */
  readonly agentId?: string | undefined
}

export interface ToolCall {
  readonly tool: string
  readonly input: Json
  /** The model's id of the call. Some clients send none. */
  readonly callId?: string | undefined
}

export interface ToolOutcome {
  readonly ok: boolean
  readonly content: Json
  /** As the client reports it. */
  readonly durationMs?: number | undefined
}

/** Asks the person at the client, once the question is in the log. Rejects if the client cannot be asked. */
export type AsksPerson = () => Promise<PersonsAnswer>

export type Happening =
  /** A tool is about to run, and waits for the answer. */
  | ({ readonly kind: "before"; readonly person?: AsksPerson | undefined } & ToolCall)
  /** A tool runs, or is about to; its end comes later, and nothing waits. */
  | ({ readonly kind: "announced" } & ToolCall)
  | ({ readonly kind: "after" } & ToolCall & ToolOutcome)
  /** The calls of one answer, reported at its end, including any that no hook saw. */
  | { readonly kind: "batch"; readonly calls: ReadonlyArray<ToolCall & { readonly content: Json }> }
  /** Input from a person, or from the client on their behalf. */
  | { readonly kind: "prompt"; readonly text: string; readonly source: "user" | "client" }
  /** The agent's message at the end of its turn. */
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ended"; readonly reason: string }
  /** Events without a type of their own in the log. */
  | { readonly kind: "other" }

/** One call of a hook. */
export interface HookEvent extends Belongs {
  /** The client's name of the event, such as `PreToolUse`. */
  readonly event: string
  readonly happening: Happening
  readonly payload: Json
}

/** The gate's ruling on a tool that waits. */
export type HookRuling =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly rule: string; readonly reason: string }
  | { readonly decision: "none" }

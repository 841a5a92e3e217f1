/** The events that coding agents report to their hooks, in one form for all clients. */

import type { Json } from "../values/Json.ts"

/** The session, directory and agent of a moment. */
export interface Belongs {
  /** The client's id of the session. */
  readonly session: string
  /** The client's working directory. */
  readonly cwd: string
  /** The active sub-agent; absent for the session's main agent. */
  readonly agentId?: string | undefined
}

/** A call of a tool. */
export interface ToolCall {
  readonly tool: string
  readonly input: Json
  /** The model's id of the call. Some clients send none. */
  readonly callId?: string | undefined
}

/** The result of a call. */
export interface ToolOutcome {
  readonly ok: boolean
  readonly content: Json
  /** As the client reports it. */
  readonly durationMs?: number | undefined
}

/** What a hook reports. */
export type Happening =
  /** A tool is about to run, and waits for the answer. */
  | ({ readonly kind: "before" } & ToolCall)
  /** A tool ran. */
  | ({ readonly kind: "after" } & ToolCall & ToolOutcome)
  /** The calls of one answer, reported when all have ended. It may include calls that no hook saw. */
  | { readonly kind: "batch"; readonly calls: ReadonlyArray<ToolCall & { readonly content: Json }> }
  /** Input from a person, or from the client on their behalf. */
  | { readonly kind: "prompt"; readonly text: string; readonly source: "user" | "client" }
  /** The agent's message at the end of its turn. */
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ended"; readonly reason: string }
  /** Events without a type of their own in the log. */
  | { readonly kind: "other" }

/** One call of a hook. */
export interface Moment extends Belongs {
  /** The client's name of the event, such as `PreToolUse`. */
  readonly event: string
  readonly happening: Happening
  /** The client's message. */
  readonly payload: Json
}

/** The answer to a waiting client. */
export type Verdict =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly rule: string; readonly reason: string }
  /** Nothing to decide. */
  | { readonly decision: "none" }

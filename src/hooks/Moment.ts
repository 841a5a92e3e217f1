/** What a coding agent's program tells a hook, in one form for all of them. */

import type { Json } from "../values/Json.ts"

/** Where a moment belongs. */
export interface Belongs {
  /** The client's id of the session. */
  readonly session: string
  /** The directory that the client works in. */
  readonly cwd: string
  /** The sub-agent that is at work; absent of the session's own agent. */
  readonly agentId?: string | undefined
}

/** A call of a tool. */
export interface ToolCall {
  readonly tool: string
  readonly input: Json
  /** The model's id of the call. Some clients tell none. */
  readonly callId?: string | undefined
}

/** The result of a call. */
export interface ToolOutcome {
  readonly ok: boolean
  readonly content: Json
  /** How long the client says that it took. */
  readonly durationMs?: number | undefined
}

/** What happens. */
export type Happening =
  /** A tool is about to run, and waits for the answer. */
  | ({ readonly kind: "before" } & ToolCall)
  /** A tool ran. */
  | ({ readonly kind: "after" } & ToolCall & ToolOutcome)
  /** The calls of one answer, as the client reports them when all have ended. It may name calls that no hook saw. */
  | { readonly kind: "batch"; readonly calls: ReadonlyArray<ToolCall & { readonly content: Json }> }
  /** A person, or the client for them, says something. */
  | { readonly kind: "prompt"; readonly text: string; readonly source: "user" | "client" }
  /** The agent says something at the end of its turn. */
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ended"; readonly reason: string }
  /** Something for which the log has no type of its own. */
  | { readonly kind: "other" }

/** One call of a hook. */
export interface Moment extends Belongs {
  /** The client's name of the event, such as `PreToolUse`. */
  readonly event: string
  readonly happening: Happening
  /** What the client sent. */
  readonly payload: Json
}

/** What is answered to a client that waits. */
export type Verdict =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly rule: string; readonly reason: string }
  /** There is nothing to decide. */
  | { readonly decision: "none" }

/** The items of a task's conversation, in the order in which a reader meets them. */

import type { Json } from "../../values/Json.ts"

export type Item = Goal | Guide | Input | Said | Answer | Call | Note | Close

interface Begun {
  /** The position of the event with which it begins. Several items may begin with one request. */
  readonly begins: number
  /** The position of the event that says most about it: an answer's own, a call's command. */
  readonly position: number
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  /** The positions of all its events, in order. */
  readonly events: ReadonlyArray<number>
  /** Who speaks or acts in a task with several agents; null in others. */
  readonly agentId: string | null
  /** Its events that the reader got without their payload, such as those too long for a page. */
  readonly long: ReadonlyArray<Long>
}

export interface Long {
  readonly position: number
  /** Characters of its payload as JSON. */
  readonly length: number
}

/** The purpose of the task, and its origin. */
export interface Goal extends Begun {
  readonly kind: "goal"
  readonly text: string
  /** Whether a person's first message says the same. */
  readonly isRepeated: boolean
  /** Such as `careful@1.0.0`. */
  readonly agent: string | null
  /** The names of its first agents, if there are several. */
  readonly agents: ReadonlyArray<string>
  /** The task whose agent asked for this one, if a source names it. */
  readonly parent: string | null
  /** The recorded moment from which it continues. */
  readonly forkedFrom: { readonly timeline: string; readonly task: string; readonly at: number } | null
  /** The position of the event that caused it: in a task of its own, a command of another task. */
  readonly cause: number | null
}

/** The system prompt and memories of an agent, before its first turn and wherever they change. */
export interface Guide extends Begun {
  readonly kind: "guide"
  readonly text: string
  readonly memories: ReadonlyArray<string>
}

/** An image or another file in a message. */
export interface File {
  readonly mediaType: string
  /** Base64 (RFC 4648), as the log has it: nobody has checked it. */
  readonly data: string
}

/** A message to the agent. */
export interface Input extends Begun {
  readonly kind: "input"
  /** Such as `human:ada`; for a message that only a request has, `program`. */
  readonly by: string
  readonly text: string
  readonly files: ReadonlyArray<File>
  /** Null for a message that only a request has: it was given with it. */
  readonly delivery: "queued" | "steering" | "interrupting" | null
  /** The position of its delivery to the agent; null until then. */
  readonly given: number | null
}

/** A message of the agent that is not in its model's answer. */
export interface Said extends Begun {
  readonly kind: "said"
  readonly text: string
  /** The names of the agents to whom it speaks; empty for everyone. */
  readonly audience: ReadonlyArray<string>
}

/** A request to a model, with its answer. */
export interface Answer extends Begun {
  readonly kind: "answer"
  /** Such as `anthropic/claude-sonnet-4-5`; null if the request is not among the events. */
  readonly model: string | null
  /** The id of the `ModelCalled` event of an answer in progress; null otherwise. */
  readonly request: string | null
  readonly text: string
  readonly reasoning: string
  readonly files: ReadonlyArray<File>
  /** Calls in it that became no command. */
  readonly calls: ReadonlyArray<Wanted>
  readonly failed: ModelFailure | null
  /** Whether it repeats a request that failed. */
  readonly isRetry: boolean
  readonly use: Use
  /** In milliseconds; null if unknown. */
  readonly latencyMs: number | null
}

export interface ModelFailure {
  /** Such as `rate-limited`; null if unknown. */
  readonly kind: string | null
  readonly reason: string
  /** How long the agent waits before it tries again, in milliseconds; null if it does not. */
  readonly retryInMs: number | null
}

/** A call that an answer wants and that is no command: of the agent's own tool, or run by the provider. */
export interface Wanted {
  readonly callId: string
  readonly tool: string
  readonly args: Json
  /** Its result, as the next request tells the model; undefined if it tells none. */
  readonly result?: Json
  readonly isError?: boolean
}

/** The use of one answer. Null is unknown, never 0. */
export interface Use {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Part of `inputTokens`, read from the provider's cache. */
  readonly cachedTokens: number | null
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number | null
  /** In US dollars. */
  readonly usd: number | null
}

/** A command of an agent or of its world's scenario, from request to outcome. */
export interface Call extends Begun {
  readonly kind: "call"
  readonly tool: string
  readonly args: Json
  /** Whether the task's scenario did it. */
  readonly isOfScenario: boolean
  /** Whether a recorded or imported program did it itself, without a gate of ours. */
  readonly isObserved: boolean
  readonly state: CallState
  readonly approval: Approval | null
  /** The gate's rule that allowed or denied it; null if none has yet. */
  readonly rule: string | null
  readonly end: End | null
  /** Changes of environments that it caused. */
  readonly changes: ReadonlyArray<Changed>
}

/** `waiting`: for a person. `running`: no outcome yet. */
export type CallState = "waiting" | "running" | End["status"]

export interface Approval {
  readonly state: "waits" | "approved" | "rejected" | "expired" | "withdrawn"
  /** The rule that asks for it; null if unknown. */
  readonly rule: string | null
  /** Who decided; null if nobody did. */
  readonly by: string | null
  readonly reason: string | null
  /** In milliseconds; null if unknown. */
  readonly waitedMs: number | null
}

export interface End {
  readonly position: number
  readonly status: "succeeded" | "failed" | "denied" | "unknown"
  /** The result, or the reason why there is none. */
  readonly result: Json
  /** In milliseconds; null if unknown. */
  readonly latencyMs: number | null
  /** Why the result of a completed command is missing. */
  readonly unrecorded?: string
  /** Who reported the outcome after a crash had left it in doubt. */
  readonly settledBy?: string
}

/** A change of an environment. */
export interface Changed {
  readonly position: number
  readonly plugin: string | null
  /** The recorded files that it changed, if it is a workspace's. */
  readonly files: ReadonlyArray<ChangedFile>
}

export interface ChangedFile {
  readonly path: string
  /** `added`, `changed`, `removed` …; null if unknown. */
  readonly kind: string | null
  /** Lines; null if unknown. */
  readonly added: number | null
  readonly removed: number | null
}

/** Something that happened to the conversation. */
export interface Note extends Begun {
  readonly kind: "note"
  readonly what: "compacted" | "budget" | "forked" | "paused" | "continued" | "cancelled" | "resumed" | "agent"
  /** One line. */
  readonly line: string
  /** The summary of a compaction; empty for others. */
  readonly text: string
  readonly isBad: boolean
}

/** The end of the task. */
export interface Close extends Begun {
  readonly kind: "close"
  /** `achieved`, `failed`, …; `finished` if nobody judged the result. */
  readonly outcome: string
  readonly reason: string
  /** Exit code or signal of a recorded program; null if unknown. */
  readonly exit: string | null
}

/** What was said and done in a conversation. */
import type { Json } from "../../../../values/Json.ts"
import type { InputDelivery } from "../../../wire/Talk.ts"

/** What was said or done, at the position where it began. */
export type Spoken = Said | Input | Answer | Call

/** An event that is too long for a page, so that its line stands for it. */
export interface Long {
  readonly position: number
  /** Characters of its payload. */
  readonly length: number
}

/** The agent said something that no answer of its model says. */
export interface Said {
  readonly kind: "said"
  readonly position: number
  readonly text: string
  readonly long?: Long
}

/** Somebody said something to the agent. */
export interface Input {
  readonly kind: "input"
  readonly position: number
  /** Such as `human:ada`. */
  readonly by: string
  readonly text: string
  readonly delivery: InputDelivery
  /** Where the agent was given it; null: not yet. */
  readonly given: number | null
  readonly long?: Long
}

/** A model's answer to one request. */
export interface Answer {
  readonly kind: "answer"
  readonly position: number
  /** Such as `anthropic/claude-sonnet-4-5`; null where the request is not among the events. */
  readonly model: string | null
  /** The id of the `ModelCalled` event of an answer that is under way; null once there is an answer, or none to come. */
  readonly request: string | null
  readonly text: string
  readonly reasoning: string
  /** Calls of it that became no command. */
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly args: Json }>
  /** Why there is no whole answer; null if there is. */
  readonly failed: string | null
  readonly long?: Long
  readonly use: Use
}

/** A command of the agent, or of its world's scenario. */
export interface Call {
  readonly kind: "call"
  readonly position: number
  readonly tool: string
  readonly args: Json
  /** Null while it is under way. */
  readonly end: End | null
  /** What came of asking a person; null where nobody was asked. */
  readonly asked: "waits" | "approved" | "rejected" | "expired" | "withdrawn" | null
  readonly long?: Long
}

/** How a command ended. */
export interface End {
  readonly position: number
  readonly status: "succeeded" | "failed" | "denied" | "unknown"
  /** What came of it, or why nothing did. */
  readonly result: Json
  /** Why what came of it is missing, although it was done. */
  readonly unrecorded?: string
  /** Who said how it ended, after a crash had left it in doubt. */
  readonly settledBy?: string
  readonly long?: Long
}

/** What answers used. */
export interface Use {
  readonly inputTokens: number
  readonly outputTokens: number
  /** In US dollars; null where no price is known. */
  readonly usd: number | null
}

/** What of one of these stands as its line. */
export const longIn = (one: Spoken): ReadonlyArray<Long> =>
  [one.long, one.kind === "call" ? one.end?.long : undefined].filter((long) => long !== undefined)

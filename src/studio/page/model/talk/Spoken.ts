/** The items of a conversation. */
import type { Json } from "../../../../values/Json.ts"
import type { InputDelivery } from "../../../wire/Talk.ts"

/** One item, at the position where it began. */
export type Spoken = Said | Input | Answer | Call

/** An event that is too long for a page, which shows its summary line instead. */
export interface Long {
  readonly position: number
  /** Characters of its payload. */
  readonly length: number
}

/** A message of the agent that is not in its model's answer. */
export interface Said {
  readonly kind: "said"
  readonly position: number
  readonly text: string
  readonly long?: Long
}

export interface Input {
  readonly kind: "input"
  readonly position: number
  /** Such as `human:ada`. */
  readonly by: string
  readonly text: string
  readonly delivery: InputDelivery
  /** The position of its delivery to the agent; null until then. */
  readonly given: number | null
  readonly long?: Long
}

export interface Answer {
  readonly kind: "answer"
  readonly position: number
  /** Such as `anthropic/claude-sonnet-4-5`; null if the request is not among the events. */
  readonly model: string | null
  /** The id of the `ModelCalled` event of an answer in progress; null otherwise. */
  readonly request: string | null
  readonly text: string
  readonly reasoning: string
  /** Calls in it that became no command. */
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly args: Json }>
  /** Why the answer is missing or incomplete, if so. */
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
  /** Null while it runs. */
  readonly end: End | null
  /** The state of its confirmation; null if nobody was asked. */
  readonly asked: "waits" | "approved" | "rejected" | "expired" | "withdrawn" | null
  readonly long?: Long
}

export interface End {
  readonly position: number
  readonly status: "succeeded" | "failed" | "denied" | "unknown"
  /** The result, or the reason why there is none. */
  readonly result: Json
  /** Why the result of a completed command is missing. */
  readonly unrecorded?: string
  /** Who reported the outcome after a crash had left it in doubt. */
  readonly settledBy?: string
  readonly long?: Long
}

export interface Use {
  readonly inputTokens: number
  readonly outputTokens: number
  /** In US dollars; null if no price is known. */
  readonly usd: number | null
}

/** The parts of an item that are too long. */
export const longIn = (one: Spoken): ReadonlyArray<Long> =>
  [one.long, one.kind === "call" ? one.end?.long : undefined].filter((long) => long !== undefined)

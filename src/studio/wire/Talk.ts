/** Talking to an agent at work. */
import type { AgentState } from "../../agents/channel/AgentState.ts"
import type { AnswerPart } from "../../agents/models/Message.ts"
import type { InputDelivery } from "../../events/vocabulary/Deciding.ts"

export type { AgentState, AnswerPart, InputDelivery }

/** Longest text that is said at once, in characters. */
export const LONGEST_INPUT = 32_768

/**
 * `POST /api/inputs`: says something to the agent of a task that is open. Answered with `{ "position": … }` once it is recorded; when the
 * agent is given it, its `delivery` says.
 */
export interface Input {
  readonly timeline: string
  readonly task: string
  readonly text: string
  readonly delivery: InputDelivery
}

/**
 * `GET /api/talk?timeline=…&task=…`: server-sent events, read by `fetch`, of what is not in the log.
 *
 * - `state`: `{ "state": AgentState }`, at first and whenever it changes.
 * - `delta`: `Delta`, pieces of the answer that is under way, where the program that serves Studio runs the agent.
 * - `problem`: a `Problem`; the stream ends.
 */
export interface Delta {
  /** The id of the request's `ModelCalled` event. */
  readonly request: string
  /** Which part of the answer it continues. */
  readonly index: number
  readonly kind: AnswerPart["type"]
  readonly text: string
}

/** Talking to an agent at work. */
import type { AgentState } from "../../agents/channel/AgentState.ts"
import type { AnswerPart } from "../../agents/models/Message.ts"
import type { InputDelivery } from "../../events/vocabulary/Deciding.ts"

export type { AgentState, AnswerPart, InputDelivery }

/** Maximum length of one input, in characters. */
export const LONGEST_INPUT = 32_768

/**
 * `POST /api/inputs`: submits input to the agent of an open task. Returns `{ "position": … }` once it is recorded;
 * `delivery` decides when the agent receives it.
 */
export interface Input {
  readonly timeline: string
  readonly task: string
  readonly text: string
  readonly delivery: InputDelivery
}

/**
 * `GET /api/talk?timeline=…&task=…`: server-sent events, for `fetch`, about what is not in the log.
 *
 * - `state`: `{ "state": AgentState }`, at first and whenever it changes.
 * - `delta`: `Delta`, pieces of the current answer, if the program that serves Studio runs the agent.
 * - `problem`: a `Problem`; the stream ends.
 */
export interface Delta {
  /** The id of the request's `ModelCalled` event. */
  readonly request: string
  readonly index: number
  readonly kind: AnswerPart["type"]
  readonly text: string
}

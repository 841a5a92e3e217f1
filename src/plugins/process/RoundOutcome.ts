/** The outcome of a round for one agent. */

import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { JsonObject } from "../../values/Json.ts"

/** The result of an agent's action in a round: its step's answer, or the refusal. */
export type RoundOutcome =
  | {
      readonly ok: JsonObject
      /** The agent's index in the world's answer. Absent if the answer did not mention it. */
      readonly named?: number | undefined
    }
  | {
      readonly error: Failure
      /** A step that the world returned for the agent despite the refusal. */
      readonly got?: JsonObject | undefined
    }

/** A request of an agent to its task, as a recording has it. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { CommandOutcome } from "../acting/Command.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import type { Input } from "../tasks/Inputs.ts"
import type { ModelCallFailed, ModelCallRequest, ModelCallResponse } from "../tasks/ModelCalls.ts"

/** A request of an agent to its task, with the recorded answer. `agentId`: of one of several agents. */
export type Request =
  | {
      readonly kind: "perceive"
      readonly position: number
      readonly until: number
      readonly readings: ReadonlyArray<Reading>
      /** Whether the log says of every sensor that it was read, failed or was skipped. */
      readonly isWhole: boolean
      readonly agentId?: string
    }
  | {
      readonly kind: "decide"
      readonly position: number
      readonly until: number
      readonly event: Event
      readonly decision: PayloadOf<"DecisionMade">
    }
  | {
      readonly kind: "act"
      readonly position: number
      /** Position of the command's last event; `Infinity` if it has no outcome. */
      readonly until: number
      readonly commandId: string
      readonly actuator: string
      readonly args: JsonObject
      /** The id that a model gave to its tool call. */
      readonly callId?: string
      readonly agentId?: string
      /** The event that caused it: of a model's tool call, the decision. */
      readonly causationId: string | null
      /** Null if the log has no outcome. */
      readonly outcome: CommandOutcome | null
    }
  | {
      readonly kind: "say"
      readonly position: number
      readonly until: number
      readonly event: Event
      readonly content: string
      readonly agentId?: string
    }
  | {
      readonly kind: "input"
      readonly position: number
      readonly until: number
      readonly inputs: ReadonlyArray<Input>
      readonly agentId?: string
    }
  | { readonly kind: "late"; readonly position: number; readonly until: number; readonly agentId: string }
  | ({
      readonly kind: "consult"
      readonly position: number
      readonly until: number
      readonly agentId?: string
    } & Consultation)

/** A call of a language model. `answer` is null if the log has neither a response nor a failure. */
export interface Consultation {
  readonly question: ModelCallRequest
  readonly answer: ModelCallResponse | ModelCallFailed | null
}

/** The agent that a request is of, in a task with several. */
export const agentIn = (request: Request): string | undefined =>
  request.kind === "decide" ? request.decision.agentId : request.agentId

/**
 * The perceptions that may have been cut off at a position: those after which their agent requested nothing. One of several
 * agents is asked again only where not all sensors were read: it may have handed in its action since, of which nothing is
 * recorded before the round ends.
 */
export const cutPerceptions = (requests: ReadonlyArray<Request>, at: number): ReadonlyArray<Request> => {
  const last = new Map<string | undefined, Request>()
  for (const request of requests) {
    if (request.position <= at && request.kind !== "late") last.set(agentIn(request), request)
  }
  return [...last.values()].filter(
    (request) => request.kind === "perceive" && (request.agentId === undefined || !request.isWhole),
  )
}

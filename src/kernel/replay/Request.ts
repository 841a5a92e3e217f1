/** A recorded request of an agent to its task. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { CommandOutcome } from "../acting/Command.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import type { Input } from "../tasks/Inputs.ts"
import type { ModelCallFailed, ModelCallRequest, ModelCallResponse } from "../tasks/ModelCalls.ts"

/** A recorded request. `agentId` is set in a task with several agents. */
export type Request =
  | {
      readonly kind: "perceive"
      readonly position: number
      readonly until: number
      readonly readings: ReadonlyArray<Reading>
      /** The log has an event of every sensor. */
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
      /** The command's last event; `Infinity` without an outcome. */
      readonly until: number
      readonly commandId: string
      readonly actuator: string
      readonly args: JsonObject
      /** The model's id of its tool call. */
      readonly callId?: string
      readonly agentId?: string
      /** The causing event; for a model's tool call, the decision. */
      readonly causationId: string | null
      /** Null without an outcome in the log. */
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

/** A model call. `answer` is null if the log has neither a response nor a failure. */
export interface Consultation {
  readonly question: ModelCallRequest
  readonly answer: ModelCallResponse | ModelCallFailed | null
}

export const agentIn = (request: Request): string | undefined =>
  request.kind === "decide" ? request.decision.agentId : request.agentId

/**
 * Perceptions without a later request of their agent, which may have been cut off. One of several agents perceives
 * again only if readings are missing: it may have handed in its action, which the log records at the round's end.
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

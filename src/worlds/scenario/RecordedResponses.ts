/** Tracks a scenario's recorded responses in its task, and which of their commands have ended. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { ScenarioEvent } from "../../kernel/tasks/Task.ts"
import { defined } from "../../values/defined.ts"
import * as Facts from "./Facts.ts"
import type { Firing } from "./Triggers.ts"
import { asObject } from "./World.ts"

type Fired = Event & { readonly payload: PayloadOf<"TriggerFired"> }

export interface RecordedResponses {
  /** Takes the next events of the task, oldest first. */
  readonly take: (events: ReadonlyArray<Event>) => void
  /** The number of recorded responses. */
  readonly firings: () => number
  /** The first recorded response whose command has not ended; undefined if there is none. */
  readonly dueCommand: () => Fired | undefined
  /** Marks the command of a response as carried out or refused. */
  readonly carriedOut: (firedId: string) => void
  /** Whether the scenario's end is recorded. */
  readonly isEnded: () => boolean
  /** The agents of a task with several, including those that left; undefined in a task with one. */
  readonly agents: () => ReadonlyArray<string> | undefined
  /** The agents that take part now. */
  readonly present: () => ReadonlyArray<string>
}

export const start = (): RecordedResponses => {
  let firings = 0
  let isEnded = false
  let isOfSeveral = false
  /** Command responses that have not ended, by the id of their event. */
  const due = new Map<string, Fired>()
  /** Ids of response events, by the id of the command. */
  const givenFor = new Map<unknown, string>()
  /** Fork events. A fork withdraws commands that were not dispatched, which are then given again. */
  const forks = new Set<string | null>()
  /** Whether each agent takes part. */
  const agents = new Map<string, boolean>()

  const take = (event: Event): void => {
    if (is(event, "TaskOpened")) {
      isOfSeveral = event.payload.agents !== undefined
      for (const name of event.payload.agents ?? []) agents.set(name, true)
    } else if (is(event, "AgentJoined")) agents.set(event.payload.agentId, true)
    else if (is(event, "AgentLeft")) agents.set(event.payload.agentId, false)
    else if (is(event, "TimelineForked")) forks.add(event.id)
    else if (is(event, "ScenarioEnded")) isEnded = true
    else if (is(event, "TriggerFired")) {
      firings += 1
      if (asObject(event.payload.response).type === "command") due.set(event.id, event)
    } else if (is(event, "ActuatorCommanded")) {
      if (event.causationId !== null && due.has(event.causationId)) {
        givenFor.set(event.payload.commandId, event.causationId)
      }
    } else if (Facts.ENDS.has(event.type) && !forks.has(event.causationId)) {
      due.delete(givenFor.get(event.payload.commandId) ?? "")
    }
  }
  return {
    take: (events) => {
      for (const event of events) take(event)
    },
    firings: () => firings,
    dueCommand: () => due.values().next().value,
    carriedOut: (firedId) => {
      due.delete(firedId)
    },
    isEnded: () => isEnded,
    agents: () => (isOfSeveral ? [...agents.keys()] : undefined),
    present: () => (isOfSeveral ? [...agents].flatMap(([name, isPresent]) => (isPresent ? [name] : [])) : []),
  }
}

/** The event that records a response. */
export const firedBy = ({ trigger, response, because }: Firing): ScenarioEvent => ({
  type: "TriggerFired",
  payload: { trigger, response: { ...response }, because },
})

/**
 * The events that are recorded together with a response.
 *
 * @param agents the agents of a task with several
 */
export const consequencesOf = (
  { response, because }: Firing,
  agents: ReadonlyArray<string> | undefined,
): ReadonlyArray<ScenarioEvent> => {
  switch (response.type) {
    case "message_to_agent": {
      const told = { source: "scenario", content: response.content, delivery: "steering" } as const
      if (agents === undefined) return [{ type: "InputReceived", payload: told }]
      const hearers = response.agent_id === undefined ? agents : [response.agent_id]
      return hearers.map((agentId) => ({ type: "InputReceived", payload: { ...told, agentId } }))
    }
    case "log_milestone":
      return [
        {
          type: "MilestoneReached",
          payload: {
            name: response.milestone_name,
            ...defined({ agentId: response.agent_id }),
            because,
          },
        },
      ]
    default:
      return []
  }
}

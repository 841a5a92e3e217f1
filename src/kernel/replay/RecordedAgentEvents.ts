/** The events about agents themselves that a recording has, such as the guide that one was given. They have no answer. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { type Gotten, gottenIn } from "../acting/WorldRewards.ts"
import type { AgentEvent, MemberEvent } from "../tasks/Task.ts"

/** The types of these events. */
type AgentEventType = (AgentEvent | MemberEvent)["type"] | "WorldTicked"

/** The events that were not recorded again yet. */
export interface RecordedAgentEvents {
  /** Takes the next event of a type, and those of the same source before it; undefined if there is none. */
  readonly take: (type: AgentEventType) => Event | undefined
}

export const make = (events: ReadonlyArray<Event>): RecordedAgentEvents => {
  // An agent that was late tells of itself later than it did, and not what its group tells.
  const ofAgents = events.filter(({ type }) => OF_AGENTS.has(type))
  const ofGroup = events.filter(isOfGroup)
  return {
    take: (type) => {
      const left = OF_AGENTS.has(type) ? ofAgents : ofGroup
      const next = left.findIndex((event) => event.type === type)
      return next === -1 ? undefined : left.splice(0, next + 1).at(-1)
    },
  }
}

/** What agents tell of themselves. */
const OF_AGENTS: ReadonlySet<string> = new Set<AgentEventType>([
  ...(["GuideApplied", "MemoryCompacted", "BudgetExceeded", "AgentStateChanged"] as const),
])

/** What a group tells: who takes part, and how its world moves. */
const OF_GROUP: ReadonlySet<string> = new Set<AgentEventType>([
  ...(["AgentJoined", "AgentLeft", "AgentSuspended", "AgentContinued", "WorldTicked"] as const),
])

/** Whether a group recorded an event: also what one of its agents heard of another. */
const isOfGroup = (event: Event): boolean =>
  OF_GROUP.has(event.type) || (is(event, "InputReceived") && event.actor.startsWith("agent:"))

/** What agents got by a recorded tick. */
export const gottenBy = (ticked: Event | undefined): Gotten =>
  ticked !== undefined && is(ticked, "WorldTicked") ? gottenIn(ticked.payload.steps ?? {}) : {}

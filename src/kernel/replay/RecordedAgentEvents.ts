/** The recorded events about agents themselves, such as a guide. Nobody answers them. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { type Gotten, gottenIn } from "../acting/WorldRewards.ts"
import type { AgentEvent, MemberEvent } from "../tasks/Task.ts"

type AgentEventType = (AgentEvent | MemberEvent)["type"] | "WorldTicked"

export interface RecordedAgentEvents {
  /** Takes the next event of a type, and drops those of the same source before it. */
  readonly take: (type: AgentEventType) => Event | undefined
}

export const make = (events: ReadonlyArray<Event>): RecordedAgentEvents => {
  // A late agent reports at another point than when recorded, independently of its group.
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

const OF_AGENTS: ReadonlySet<string> = new Set<AgentEventType>([
  ...(["GuideApplied", "MemoryCompacted", "BudgetExceeded", "AgentStateChanged", "TaskHandedOff"] as const),
])

/** Events that a group reports: members, and moves of its world. */
const OF_GROUP: ReadonlySet<string> = new Set<AgentEventType>([
  ...(["AgentJoined", "AgentLeft", "AgentSuspended", "AgentContinued", "WorldTicked"] as const),
])

/** Tells whether a group recorded an event. Inputs from one of its agents to another count. */
const isOfGroup = (event: Event): boolean =>
  OF_GROUP.has(event.type) || (is(event, "InputReceived") && event.actor.startsWith("agent:"))

/** The rewards and observations of a recorded tick, by agent. */
export const gottenBy = (ticked: Event | undefined): Gotten =>
  ticked !== undefined && is(ticked, "WorldTicked") ? gottenIn(ticked.payload.steps ?? {}) : {}

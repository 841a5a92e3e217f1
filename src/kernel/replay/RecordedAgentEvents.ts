/** The events about agents themselves that a recording has, such as the guide that one was given. They have no answer. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { type Gotten, gottenIn } from "../acting/WorldRewards.ts"
import type { AgentEvent, MemberEvent } from "../tasks/Task.ts"

/** The types of these events. */
type AgentEventType = (AgentEvent | MemberEvent)["type"] | "WorldTicked"

/** The events that were not recorded again yet. */
export interface RecordedAgentEvents {
  /** Takes the next event of a type, and those before it; undefined if there is none. */
  readonly take: (type: AgentEventType) => Event | undefined
}

export const make = (events: ReadonlyArray<Event>): RecordedAgentEvents => {
  const left = events.filter(isAboutAgent)
  return {
    take: (type) => {
      const next = left.findIndex((event) => event.type === type)
      return next === -1 ? undefined : left.splice(0, next + 1).at(-1)
    },
  }
}

const TYPES: ReadonlySet<string> = new Set<AgentEventType>([
  ...(["GuideApplied", "MemoryCompacted", "BudgetExceeded", "AgentStateChanged"] as const),
  ...(["AgentJoined", "AgentLeft", "AgentSuspended", "AgentContinued", "WorldTicked"] as const),
])

/** Whether `Task.record`, `member` or `tick` recorded an event: about an agent, or what it heard of another. */
const isAboutAgent = (event: Event): boolean =>
  TYPES.has(event.type) || (is(event, "InputReceived") && event.actor.startsWith("agent:"))

/** What agents got by a recorded tick. */
export const gottenBy = (ticked: Event | undefined): Gotten =>
  ticked !== undefined && is(ticked, "WorldTicked") ? gottenIn(ticked.payload.steps ?? {}) : {}

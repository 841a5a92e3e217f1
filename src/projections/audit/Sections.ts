/** The fold of all sections of a task's audit except its scores. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import type { Projection } from "../fold/Projection.ts"
import * as Capture from "../state/Capture.ts"
import * as RecordedFiles from "../state/files/RecordedFiles.ts"
import * as LateAccount from "../state/LateAccount.ts"
import * as Acting from "./Acting.ts"
import * as AgentAudits from "./AgentAudits.ts"
import * as Changes from "./Changes.ts"
import * as Confirming from "./Confirming.ts"
import * as ModelUse from "./ModelUse.ts"
import * as Sensing from "./Sensing.ts"
import * as TaskTimeline from "./TaskTimeline.ts"

const State = Schema.Struct({
  course: TaskTimeline.projection.state,
  sensing: Sensing.projection.state,
  acting: Acting.projection.state,
  confirming: Confirming.projection.state,
  changes: Changes.projection.state,
  model: ModelUse.projection.state,
  agents: AgentAudits.projection.state,
  capture: Capture.projection.state,
  files: RecordedFiles.projection.state,
  /** Whether another account may add events after the close. */
  mayFollow: Schema.Boolean,
})

export type State = typeof State.Type

/**
 * Events that can follow the close: if a kernel died, the outcome of a command that was pending at the close is
 * recorded later.
 */
const OUTCOMES: ReadonlySet<string> = new Set<CoreName>([
  "CommandSucceeded",
  "CommandFailed",
  "CommandDenied",
  "CommandOutcomeUnknown",
])

/**
 * The fold of one task's own events, from its opening to its close. Ignores earlier and later events, except the
 * outcomes of commands that were pending at the close, and another account's events of a recorded task.
 */
export const projection: Projection<State> = {
  name: "TaskAudit.Sections",
  version: 11,
  state: State,
  initial: {
    course: TaskTimeline.projection.initial,
    sensing: Sensing.projection.initial,
    acting: Acting.projection.initial,
    confirming: Confirming.projection.initial,
    changes: Changes.projection.initial,
    model: ModelUse.projection.initial,
    agents: AgentAudits.projection.initial,
    capture: Capture.projection.initial,
    files: RecordedFiles.projection.initial,
    mayFollow: false,
  },
  evolve: (state, event) => {
    if (state.course === null) {
      const course = TaskTimeline.projection.evolve(null, event)
      if (course === null) return state
      const capture = Capture.projection.evolve(state.capture, event)
      return { ...state, course, capture, mayFollow: is(event, "TaskOpened") && LateAccount.mayFollow(event.payload) }
    }
    if (takes({ isOpen: state.course.outcome === null, mayFollow: state.mayFollow }, event))
      return advance(state, event)
    return OUTCOMES.has(event.type) ? late(state, event) : state
  },
}

/** Whether an event of a task counts: until the close, and afterwards if another account added it. */
export const takes = (
  { isOpen, mayFollow }: { readonly isOpen: boolean; readonly mayFollow: boolean },
  event: Event,
): boolean => isOpen || (mayFollow && LateAccount.tells(event))

/** Whether no later event of the task can change its sections. */
export const complete = ({ course, acting, mayFollow }: State): boolean =>
  course?.outcome != null && !mayFollow && Acting.allEnded(acting)

const advance = (state: State, event: Event): State => ({
  course: TaskTimeline.projection.evolve(state.course, event),
  sensing: Sensing.projection.evolve(state.sensing, event),
  acting: Acting.projection.evolve(state.acting, event),
  confirming: Confirming.projection.evolve(state.confirming, event),
  changes: Changes.projection.evolve(state.changes, event),
  model: ModelUse.projection.evolve(state.model, event),
  agents: AgentAudits.projection.evolve(state.agents, event),
  capture: Capture.projection.evolve(state.capture, event),
  files: RecordedFiles.projection.evolve(state.files, event),
  mayFollow: state.mayFollow,
})

const late = (state: State, event: Event): State => {
  const acting = Acting.projection.evolve(state.acting, event)
  const agents = AgentAudits.projection.evolve(state.agents, event)
  return acting === state.acting && agents === state.agents ? state : { ...state, acting, agents }
}

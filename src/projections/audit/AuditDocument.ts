/** The audit of one task: its schema and its fold. */

import { Data, Either, Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import * as Projection from "../fold/Projection.ts"
import * as Capture from "../state/Capture.ts"
import * as RecordedFiles from "../state/files/RecordedFiles.ts"
import * as Acting from "./Acting.ts"
import * as AgentAudits from "./AgentAudits.ts"
import * as Changes from "./Changes.ts"
import * as Confirming from "./Confirming.ts"
import * as ModelUse from "./ModelUse.ts"
import * as Scores from "./Scores.ts"
import * as Sections from "./Sections.ts"
import * as Sensing from "./Sensing.ts"
import * as TaskTimeline from "./TaskTimeline.ts"
import * as Verdicts from "./Verdicts.ts"

/** The audit of one task, the same document in the library, the command line and the exports. */
export const TaskAudit = Schema.Struct({
  taskId: Schema.String,
  ...TaskTimeline.TaskTimeline.fields,
  sensing: Sensing.Sensing,
  acting: Acting.Acting,
  confirming: Confirming.Confirming,
  changes: Changes.Changes,
  files: Schema.optionalWith(RecordedFiles.RecordedFiles, { exact: true }).annotations({
    description: "What became of its files, and by whom; absent if they were not recorded, or cannot be counted",
  }),
  model: Schema.optionalWith(ModelUse.ModelUse, { exact: true }).annotations({
    description: "Absent if no language model was called",
  }),
  capture: Schema.optionalWith(Capture.Capture, { exact: true }).annotations({
    description: "What the recorder or import saw; absent if a kernel ran the task",
  }),
  agents: Schema.optionalWith(AgentAudits.AgentAudits, { exact: true }).annotations({
    description: "The audit of each agent, by name; absent for a single agent",
  }),
  scores: Schema.Array(Scores.Score).annotations({
    description: "One entry per score set, in the order of their starts",
  }),
}).annotations({
  identifier: "TaskAudit",
  description: "A task's readings, commands, confirmations, changes and scores",
})

export type TaskAudit = typeof TaskAudit.Type

/** No such task was ever opened. */
export class TaskNotFound extends Data.TaggedError("TaskNotFound")<{
  readonly taskId: string
  /** Ids of similar tasks. */
  readonly near?: ReadonlyArray<string>
  /** The searched timeline, if not the whole log. */
  readonly timeline?: string
}> {
  override get message() {
    const { taskId, near = [], timeline } = this
    const where = timeline === undefined ? "in this log" : `on the timeline ${timeline}`
    const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`
    return `No task "${taskId}" was opened ${where}.${meant} \`hindcast task ls\` lists the tasks.`
  }
}

const State = Schema.Struct({
  sections: Sections.projection.state,
  verdicts: Schema.Record({ key: Schema.String, value: Verdicts.Scored }),
})

/** The folded state behind `document`. */
export type State = typeof State.Type

/**
 * The fold behind the audit of one task. Takes the whole log, or only the task's own events and all scorings; the state
 * is the same.
 */
export const projection = (taskId: string): Projection.Projection<State> => {
  const verdicts = Verdicts.projection(taskId)
  return {
    name: `TaskAudit(${taskId})`,
    version: 15,
    state: State,
    initial: { sections: Sections.projection.initial, verdicts: verdicts.initial },
    evolve: (state, event) => {
      const sections = event.taskId === taskId ? Sections.projection.evolve(state.sections, event) : state.sections
      const verdictState = verdicts.evolve(state.verdicts, event)
      return sections === state.sections && verdictState === state.verdicts
        ? state
        : { sections, verdicts: verdictState }
    },
  }
}

/** Builds the audit from the folded state. */
export const document = (taskId: string, state: State): Either.Either<TaskAudit, TaskNotFound> => {
  const { course, sensing, acting, confirming, changes, model, agents, capture, files } = state.sections
  if (course === null) return Either.left(new TaskNotFound({ taskId }))
  const byAgent = AgentAudits.section(agents)
  const captured = Capture.section(capture)
  const modelUse = ModelUse.section(model)
  const recordedFiles = RecordedFiles.section(files)
  return Either.right({
    taskId,
    ...TaskTimeline.section(course),
    sensing: Sensing.section(sensing),
    acting: Acting.section(acting),
    confirming: Confirming.section(confirming),
    changes: Changes.section(changes),
    ...defined({ files: recordedFiles, model: modelUse, capture: captured, agents: byAgent }),
    scores: Scores.section(state.verdicts),
  })
}

/**
 * Computes the audit of a task from events in order of position: the whole log's, or the task's own and all scorings.
 */
export const fold = (taskId: string, events: Iterable<Event>): Either.Either<TaskAudit, TaskNotFound> =>
  document(taskId, Projection.fold(projection(taskId), events))

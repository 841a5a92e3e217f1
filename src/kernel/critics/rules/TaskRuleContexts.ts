/** Builds the context in which rules are evaluated, event by event. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as EnvironmentState from "../../../projections/state/EnvironmentState.ts"
import * as RecordedFiles from "../../../projections/state/files/RecordedFiles.ts"
import * as TaskClock from "../../../projections/state/TaskClock.ts"
import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/Json.ts"
import type { RuleContext } from "../../rules/RuleContext.ts"
import * as EarlierCommands from "./EarlierCommands.ts"
import { type RuleIndex, STATE_PARTS } from "./RuleIndex.ts"

export interface TaskRuleContexts {
  /** The context after an event; undefined after the task's end. */
  readonly after: (event: Event) => RuleContext | undefined
}

export const start = (taskId: string, { mentions, parts }: Pick<RuleIndex, "mentions" | "parts">): TaskRuleContexts => {
  const scope = mentions.has("state") ? EnvironmentState.ofTask() : undefined
  const commands = mentions.has("command") ? new Map<unknown, JsonObject>() : undefined
  const earlier = mentions.has("commands") ? EarlierCommands.start() : undefined
  const counts = mentions.has("counts") ? new Map<string, number>() : undefined
  let task: JsonObject = { id: taskId, goal: "", agent: "", outcome: null }
  let files = RecordedFiles.projection.initial
  let state: object = scope?.state() ?? NONE
  const timed = mentions.has("elapsed")
  let clock: TaskClock.TaskClock | undefined
  let closed = false
  return {
    after: (event) => {
      if (closed) return undefined
      if (scope !== undefined && concerns(event.type, parts)) {
        scope.apply(event)
        state = scope.state()
      }
      const before = earlier?.list() ?? NO_COMMANDS
      earlier?.apply(event)
      counts?.set(event.type, (counts.get(event.type) ?? 0) + 1)
      if (is(event, "TaskOpened")) task = { ...task, goal: event.payload.goal, agent: event.payload.agent }
      if (is(event, "ActuatorCommanded")) {
        commands?.set(event.payload.commandId, { actuator: event.payload.actuator, args: event.payload.args })
      }
      if (is(event, "TaskClosed")) {
        task = { ...task, outcome: event.payload.outcome }
        closed = true
      }
      if (mentions.has("task")) {
        const filesAfter = RecordedFiles.projection.evolve(files, event)
        if (filesAfter !== files) task = withFiles(task, RecordedFiles.section(filesAfter))
        files = filesAfter
      }
      if (timed) clock = clock === undefined ? TaskClock.start(event) : TaskClock.after(clock, event)
      return {
        event,
        state,
        task,
        command: commands?.get(event.payload.commandId) ?? NONE,
        commands: before,
        elapsed: clock?.elapsedMs ?? 0,
        counts: counts ?? UNCOUNTED,
      }
    },
  }
}

const withFiles = ({ files: _, ...task }: JsonObject, files: RecordedFiles.RecordedFiles | undefined): JsonObject => ({
  ...task,
  ...defined({ files }),
})

const concerns = (type: string, parts: RuleIndex["parts"]): boolean => {
  const changed = STATE_PARTS[type]
  return changed === undefined || parts === undefined || changed.some((part) => parts.has(part))
}

const NO_COMMANDS: RuleContext["commands"] = []
const NONE: JsonObject = {}
const UNCOUNTED: ReadonlyMap<string, number> = new Map()

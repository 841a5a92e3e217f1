/** Names of runs for people: distinguishing properties instead of ids. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import { asObject, textOf } from "../../../values/JsonObjects.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as ModelCallEnd from "../../state/ModelCallEnd.ts"

/** The facts by which people know a run. */
export interface RunName {
  readonly timeline: string
  /** Null for a whole timeline. */
  readonly taskId: string | null
  /** Null if it is unknown. */
  readonly goal: string | null
  /** The agent without its version; after a fork, the fork's. Null if it is unknown. */
  readonly agent: string | null
  /** The models that it called, without the critics' ones. */
  readonly models: ReadonlyArray<string>
  /** Whether the task is not closed, so that decisions may follow. */
  readonly isOpen: boolean
}

/** Reads the name of a run from its events, in order. */
export const of = (timeline: string, taskId: string | null, events: Iterable<Event>): RunName => {
  let goal: string | null = null
  let agent: string | null = null
  const models = new Set<string>()
  let isOpen = true
  for (const event of events) {
    if (is(event, "TaskOpened")) {
      goal = event.personal?.readable === false ? null : event.payload.goal
      agent = event.payload.agent
    } else if (is(event, "TimelineForked")) agent = textOf(asObject(event.payload.overrides).agent) ?? agent
    else if (is(event, "TaskResumed") || is(event, "DecisionMade")) agent = event.payload.agent
    else if (is(event, "ModelCalled") && !ModelCallEnd.isOfCritic(event)) models.add(event.payload.model)
    else if (is(event, "TaskClosed")) isOpen = false
  }
  if (taskId === null) return { timeline, taskId, goal: null, agent: null, models: [], isOpen: false }
  return { timeline, taskId, goal, agent: agent === null ? null : withoutVersion(agent), models: [...models], isOpen }
}

/** `stoker@2.1.0` → `stoker`. */
export const withoutVersion = (agent: string): string => agent.replace(/@[^@]*$/, "")

/** Maximum length of a distinguishing property, in characters. */
const LENGTH = 40

/** Letters of runs, in order: A, B, … Z, then A1, B1 … */
export const letterOf = (index: number): string =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? "" : String(Math.floor(index / 26)))

/**
 * Names of runs next to each other: a letter, and the first of agent, model, fork, goal and task that differs between all
 * of them: `A (careful)`, `B (hasty)`. The letter alone if none does: generated ids tell people nothing.
 */
export const labelsOf = (runs: ReadonlyArray<RunName>): ReadonlyArray<string> => {
  const told = TELLING.map((tell) => runs.map(tell)).find(
    (words) => words.every((word) => word !== null && word !== "") && new Set(words).size === words.length,
  )
  return runs.map((_, index) => {
    const word = told?.[index]
    return word == null ? letterOf(index) : `${letterOf(index)} (${oneLine(shortened(word))})`
  })
}

const TELLING: ReadonlyArray<(run: RunName) => string | null> = [
  ({ agent }) => (agent === null ? null : lastPart(agent)),
  ({ agent }) => agent,
  ({ models }) => (models.length === 1 ? lastPart(models[0] ?? "") : null),
  ({ timeline }) => timeline,
  ({ goal }) => (goal === null ? null : goal.trim()),
  ({ taskId }) => givenName(taskId),
  ({ timeline, taskId }) => (givenName(taskId) === null ? null : `${timeline}@${taskId}`),
]

/** A task's id if a person chose it; null for a generated one (a UUID, also with a prefix). */
const givenName = (taskId: string | null): string | null =>
  taskId === null || /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i.test(taskId) ? null : taskId

const lastPart = (name: string): string => name.slice(name.lastIndexOf("/") + 1)

const shortened = (text: string): string => {
  const characters = [...text]
  return characters.length <= LENGTH ? text : `${characters.slice(0, LENGTH - 1).join("")}…`
}

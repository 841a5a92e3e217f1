/** Keeps the facts of a task that critics need. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"

/** Event types that a scoring writes. Judging them would make a second scoring depend on the first. */
const SCORING: ReadonlySet<string> = new Set([
  ...["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished", "ScoreSetPromoted"],
])

export const isJudged = ({ type }: Event): boolean => !SCORING.has(type)

/** It needs eight bytes an event, and the task's state. */
export interface TaskObservation {
  /** Ignores events of scorings and events after the task's first `TaskClosed`. Returns whether the event counts. */
  readonly observe: (event: Event) => boolean
  readonly goal: () => string
  readonly agent: () => string
  readonly outcome: () => string | null
  /** The task's part of `EnvironmentState` after the last event. */
  readonly state: () => EnvironmentState.TaskScope
  readonly has: (position: number) => boolean
  readonly count: () => number
  /** Number of commands that the task's agents requested, as an audit counts them. */
  readonly steps: () => number
  readonly last: () => Event | undefined
}

export const make = (): TaskObservation => {
  const environment = EnvironmentState.ofTask()
  const positions: Array<number> = []
  let [goal, agent] = ["", ""]
  let outcome: string | null = null
  let last: Event | undefined
  let steps = 0
  return {
    observe: (event) => {
      if (outcome !== null || !isJudged(event)) return false
      positions.push(event.position)
      last = event
      if (isStep(event)) steps += 1
      environment.apply(event)
      if (is(event, "TaskOpened")) [goal, agent] = [event.payload.goal, event.payload.agent]
      if (is(event, "TaskClosed")) outcome = event.payload.outcome
      return true
    },
    goal: () => goal,
    agent: () => agent,
    outcome: () => outcome,
    state: () => environment.state(),
    has: (position) => positions[indexOf(positions, position)] === position,
    count: () => positions.length,
    steps: () => steps,
    last: () => last,
  }
}

const indexOf = (positions: ReadonlyArray<number>, position: number): number => {
  let [from, to] = [0, positions.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((positions[middle] ?? 0) < position) from = middle + 1
    else to = middle
  }
  return from
}

/** The report of many tasks, accumulated from their audits in bounded memory. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type * as ModelUse from "../audit/ModelUse.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as Outcome from "../summary/Outcome.ts"
import { type AgentReport, Agents } from "./Agents.ts"
import { type ActuatorReport, Components, type SensorReport } from "./Components.ts"
import { ConfirmationWaitTimes, type WaitReport } from "./ConfirmationWaitTimes.ts"
import { type Extremes, ExtremeTasks } from "./ExtremeTasks.ts"
import { type ModelReport, Models } from "./Models.ts"
import { type ListOfTasks, ReportedTasks } from "./ReportedTasks.ts"
import { type RewardReport, Rewards } from "./Rewards.ts"
import * as ScoreChoice from "./ScoreChoice.ts"
import * as TaskOutcomes from "./TaskOutcomes.ts"

/** A report of many tasks. Its size does not grow with their number. */
export interface LogReport {
  /** The name of the reported scoring; the labels of the scores, if each task has the one that counts for it. */
  readonly scoring: string
  /** Such a score, for sentences: `score`, or `score by strict`. */
  readonly wanted: string
  /** The critics of the scores. */
  readonly critics: ReadonlyArray<string>
  readonly tasks: number
  readonly scored: number
  /** Tasks with an undecided reward or punishment. */
  readonly unscored: number
  readonly outcomes: TaskOutcomes.Outcomes
  readonly steps: number
  /** The model calls of all tasks, in total and by model, by descending number of calls. */
  readonly model: ModelUse.UseOfModel & { readonly models: ReadonlyArray<ModelReport> }
  /** Positions from the first task's opening to the last one's end; null without a task. */
  readonly range: { readonly from: number; readonly to: number } | null
  /** From the first opening to the last closing, in milliseconds since 1970-01-01Z. */
  readonly period: { readonly from: number; readonly to: number } | null
  /** The unit of scores: `share` of the possible amount if every task had a possible amount, otherwise `net`. */
  readonly unit: "share" | "net"
  /** By descending number of tasks. */
  readonly agents: ReadonlyArray<AgentReport>
  readonly rewards: ReadonlyArray<RewardReport>
  readonly actuators: ReadonlyArray<ActuatorReport>
  readonly sensors: ReadonlyArray<SensorReport>
  readonly waits: WaitReport
  readonly extremes: Extremes
  /** The tasks themselves, the newest ones of many. */
  readonly listed: ListOfTasks
}

/**
 * Builds a report: `addAudit` takes every task's audit in order, `addConfirmationEvent` every event of a confirmation.
 */
export interface LogReportBuilder {
  /** Adds a task's audit. */
  readonly addAudit: (audit: TaskAudit) => void
  /** Adds an event of a confirmation, for the waiting times. */
  readonly addConfirmationEvent: (event: Event) => void
  /** Returns the report so far. */
  readonly report: () => LogReport
}

/** Starts a report of many tasks. */
export const begin = (choice: ScoreChoice.ScoreChoice): LogReportBuilder => {
  const agents = new Agents()
  const rewards = new Rewards()
  const components = new Components()
  const waits = new ConfirmationWaitTimes()
  const extremes = new ExtremeTasks()
  const listed = new ReportedTasks()
  const critics = new Set<string>()
  const labels = new Set<string>()
  const models = new Models()
  const outcomes = TaskOutcomes.none()
  let [tasks, scored, unscored, steps] = [0, 0, 0, 0]
  let everythingPossible = true
  let range: LogReport["range"] = null
  let period: LogReport["period"] = null
  return {
    addAudit: (audit) => {
      const task = tasks++
      const score = choice.pick(audit.scores)
      outcomes[Outcome.of(audit)] += 1
      steps += audit.steps
      range = extend(range, audit.range.from, audit.range.to)
      period = extend(period, audit.openedAt, audit.closedAt ?? audit.openedAt)
      models.add(audit)
      agents.add(task, audit, score)
      components.add(task, audit)
      listed.add(audit, score)
      if (score === null) return
      scored += 1
      unscored += score.unscored.length > 0 ? 1 : 0
      everythingPossible &&= score.normalized !== null
      if (critics.size < MAX_CRITICS) critics.add(score.critic)
      if (labels.size < MAX_CRITICS) labels.add(score.label || score.scoreSetId)
      rewards.add(score)
      extremes.add(audit, score)
    },
    addConfirmationEvent: (event) => waits.add(event),
    report: () => {
      const unit = everythingPossible ? "share" : "net"
      return {
        scoring: choice.isDefault && labels.size > 0 ? [...labels].sort().join(", ") : choice.name,
        wanted: ScoreChoice.inWords(choice),
        critics: [...critics],
        tasks,
        scored,
        unscored,
        outcomes: { ...outcomes },
        steps,
        model: models.report(),
        range,
        period,
        unit,
        agents: agents.report(unit),
        rewards: rewards.report(),
        actuators: components.actuators(),
        sensors: components.sensors(),
        waits: waits.report(),
        extremes: extremes.report(),
        listed: listed.report(),
      }
    },
  }
}

const MAX_CRITICS = 10

const extend = (before: { readonly from: number; readonly to: number } | null, from: number, to: number) =>
  before === null ? { from, to } : { from: Math.min(before.from, from), to: Math.max(before.to, to) }

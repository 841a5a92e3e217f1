/** The report of many tasks, accumulated from their audits in bounded memory. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type * as ModelUse from "../audit/ModelUse.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import { type AgentReport, Agents } from "./Agents.ts"
import { type ActuatorReport, Components, type SensorReport } from "./Components.ts"
import { ConfirmationWaitTimes, type WaitReport } from "./ConfirmationWaitTimes.ts"
import { type Extremes, ExtremeTasks } from "./ExtremeTasks.ts"
import { type ModelReport, Models } from "./Models.ts"
import { type RewardReport, Rewards } from "./Rewards.ts"
import type { ScoreChoice } from "./ScoreChoice.ts"
import type { Outcomes } from "./TaskOutcomes.ts"

/** The content of a report of many tasks. Its size does not grow with the number of tasks. */
export interface LogReport {
  /** The name of the scoring that is reported. */
  readonly scoring: string
  /** The critics of the scores. */
  readonly critics: ReadonlyArray<string>
  readonly tasks: number
  readonly scored: number
  /** Tasks with a reward or punishment that could not be decided. */
  readonly unscored: number
  readonly outcomes: Outcomes
  readonly steps: number
  /** The calls of language models of all tasks, in total and by model, the model with the most calls first. */
  readonly model: ModelUse.UseOfModel & { readonly models: ReadonlyArray<ModelReport> }
  /** Positions from the first task's opening to the last one's end; null without a task. */
  readonly range: { readonly from: number; readonly to: number } | null
  /** From the first opening to the last closing, ms since 1970-01-01Z. */
  readonly period: { readonly from: number; readonly to: number } | null
  /** The unit of scores: `share` of the possible amount, if something was possible in every task; else `net`. */
  readonly unit: "share" | "net"
  /** The agent with the most tasks first. */
  readonly agents: ReadonlyArray<AgentReport>
  readonly rewards: ReadonlyArray<RewardReport>
  readonly actuators: ReadonlyArray<ActuatorReport>
  readonly sensors: ReadonlyArray<SensorReport>
  readonly waits: WaitReport
  readonly extremes: Extremes
}

/**
 * Builds a report: `addAudit` receives every task's audit in order, `addConfirmationEvent` every event about a
 * confirmation.
 */
export interface LogReportBuilder {
  /** Adds the audit of one more task. */
  readonly addAudit: (audit: TaskAudit) => void
  /** Adds an event of a confirmation, for how long people were waited for. */
  readonly addConfirmationEvent: (event: Event) => void
  /** The report of what was added so far. */
  readonly report: () => LogReport
}

/** Starts a report of many tasks. */
export const begin = (choice: ScoreChoice): LogReportBuilder => {
  const agents = new Agents()
  const rewards = new Rewards()
  const components = new Components()
  const waits = new ConfirmationWaitTimes()
  const extremes = new ExtremeTasks()
  const critics = new Set<string>()
  const models = new Models()
  const outcomes = { achieved: 0, failed: 0, truncated: 0, abandoned: 0, open: 0 }
  let [tasks, scored, unscored, steps] = [0, 0, 0, 0]
  let everythingPossible = true
  let range: LogReport["range"] = null
  let period: LogReport["period"] = null
  return {
    addAudit: (audit) => {
      const task = tasks++
      const score = choice.pick(audit.scores)
      outcomes[audit.outcome ?? "open"] += 1
      steps += audit.steps
      range = extend(range, audit.range.from, audit.range.to)
      period = extend(period, audit.openedAt, audit.closedAt ?? audit.openedAt)
      models.add(audit)
      agents.add(task, audit, score)
      components.add(task, audit)
      if (score === null) return
      scored += 1
      unscored += score.unscored.length > 0 ? 1 : 0
      everythingPossible &&= score.normalized !== null
      if (critics.size < MAX_CRITICS) critics.add(score.critic)
      rewards.add(score)
      extremes.add(audit, score)
    },
    addConfirmationEvent: (event) => waits.add(event),
    report: () => {
      const unit = everythingPossible ? "share" : "net"
      return {
        scoring: choice.name,
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
      }
    },
  }
}

const MAX_CRITICS = 10

const extend = (before: { readonly from: number; readonly to: number } | null, from: number, to: number) =>
  before === null ? { from, to } : { from: Math.min(before.from, from), to: Math.max(before.to, to) }

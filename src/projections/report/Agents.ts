/** The part of a log report about agents: tasks, outcomes and scores of each. */

import type { Score } from "../audit/Scores.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as Outcome from "../summary/Outcome.ts"
import { BoundedMap } from "./BoundedMap.ts"
import { Quantiles, type Spread } from "./Quantiles.ts"
import { type Bin, type Point, Series } from "./Series.ts"
import * as TaskOutcomes from "./TaskOutcomes.ts"

/** One agent, over all its tasks. */
export interface AgentReport {
  readonly agent: string
  readonly tasks: number
  readonly outcomes: TaskOutcomes.Outcomes
  /** Its scores in the report's unit; null if none of its tasks was scored. */
  readonly score: Spread | null
  /** Net scores, in any unit of the report. */
  readonly net: Spread | null
  readonly steps: Spread | null
  /** Its scores along all tasks of the log, numbered from 0. */
  readonly bins: ReadonlyArray<Bin>
  /** Every single score; null for too many tasks. */
  readonly points: ReadonlyArray<Point> | null
  /** Mean scores of about the first and the last third of its tasks; null for too few scored tasks. */
  readonly early: number | null
  readonly late: number | null
}

/** Maximum number of agents with their own entry; the others share one. */
const MAX_AGENTS = 50

/** Bins of an agent's scores over the tasks. */
const SCORE_BINS = 48

/** Minimum number of scored tasks for a meaningful mean of a third. */
const MIN_TASKS = 9

export class Agents {
  readonly #agents = new BoundedMap(MAX_AGENTS, (agent) => ({
    agent,
    tasks: 0,
    outcomes: TaskOutcomes.none(),
    share: new Quantiles(),
    net: new Quantiles(),
    steps: new Quantiles(),
    shares: new Series(),
    nets: new Series(),
  }))

  add(task: number, audit: TaskAudit, score: Score | null): void {
    const agent = this.#agents.get(audit.agent)
    agent.tasks += 1
    agent.outcomes[Outcome.of(audit)] += 1
    agent.steps.add(audit.steps)
    if (score === null) return
    agent.net.add(score.net)
    agent.nets.add(task, score.net)
    if (score.normalized === null) return
    agent.share.add(score.normalized)
    agent.shares.add(task, score.normalized)
  }

  /** By descending number of tasks. */
  report(unit: "share" | "net"): ReadonlyArray<AgentReport> {
    return this.#agents
      .values()
      .map(({ agent, tasks, outcomes, share, net, steps, shares, nets }) => {
        const series = unit === "share" ? shares : nets
        const bins = series.bins(SCORE_BINS)
        const fine = series.bins()
        return {
          agent,
          tasks,
          outcomes: { ...outcomes },
          score: (unit === "share" ? share : net).spread(),
          net: net.spread(),
          steps: steps.spread(),
          bins,
          points: series.points(),
          early: net.count < MIN_TASKS ? null : meanOfThird(fine),
          late: net.count < MIN_TASKS ? null : meanOfThird(fine.toReversed()),
        }
      })
      .sort((a, b) => b.tasks - a.tasks || (a.agent < b.agent ? -1 : 1))
  }
}

/** The mean of the first bins that hold a third of the tasks, rounded down as in a trend. */
const meanOfThird = (bins: ReadonlyArray<Bin>): number => {
  const third = Math.floor(bins.reduce((sum, { count }) => sum + count, 0) / 3)
  let [count, sum] = [0, 0]
  for (const bin of bins) {
    if (count >= third) break
    count += bin.count
    sum += bin.mean * bin.count
  }
  return count === 0 ? 0 : sum / count
}

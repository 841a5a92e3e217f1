/** The key figures of a report of many tasks. */

import type { LogReport } from "../../projections/report/LogReport.ts"
import { stateOf } from "../../projections/summary/Activity.ts"
import { OUTCOMES } from "../../projections/summary/Outcome.ts"
import { type Markup, markup } from "../../values/Markup.ts"
import type { Activities } from "../endings/TaskTable.ts"
import * as FormattedNumbers from "../FormattedNumbers.ts"
import { key } from "./KeyFigures.ts"
import * as ModelCosts from "./ModelCosts.ts"

/** The key figures, with a warning about tasks without a score. */
export const figures = (report: LogReport, activities: Activities = new Map()): Markup => {
  const { tasks, scored, outcomes, steps, actuators, waits, model } = report
  const sum = (of: (actuator: LogReport["actuators"][number]) => number) =>
    actuators.reduce((total, actuator) => total + of(actuator), 0)
  const commanded = sum(({ commanded }) => commanded)
  const stopped = sum(({ denied, expired }) => denied + expired)
  const net = netOf(report)
  const others = [
    ...OUTCOMES.flatMap((outcome) =>
      outcome === "achieved" || outcome === "open" || outcomes[outcome] === 0
        ? []
        : ([[outcome, outcomes[outcome]]] as const),
    ),
    ...openStates(outcomes.open, activities),
  ]
  return markup`<dl class="key">${[
    key(
      "tasks achieved",
      FormattedNumbers.percent(outcomes.achieved / tasks),
      `${FormattedNumbers.count(outcomes.achieved)} of ${FormattedNumbers.count(tasks)}${others.map(([state, tasks]) => `, ${FormattedNumbers.count(tasks)} ${state}`).join("")}`,
    ),
    key(
      "mean net score",
      scored === 0 ? "not scored" : FormattedNumbers.amount(net / scored),
      scored === 0
        ? `no task has a ${report.wanted}`
        : `rewards minus punishments, of ${FormattedNumbers.counted(scored, "scored task")}`,
    ),
    key("commands per task", FormattedNumbers.amount(steps / tasks), `${FormattedNumbers.count(steps)} in total`),
    key(
      "commands succeeded",
      commanded === 0 ? "none" : FormattedNumbers.percent(sum(({ succeeded }) => succeeded) / commanded),
      `${FormattedNumbers.count(sum(({ failed }) => failed))} failed, ${FormattedNumbers.count(stopped)} stopped before execution`,
    ),
    ...(waits.requested === 0
      ? []
      : [
          key(
            "people were asked",
            `${FormattedNumbers.count(waits.requested)} ×`,
            waits.waitMs === null
              ? "nobody answered"
              : `half answered within ${FormattedNumbers.duration(waits.waitMs.median)}`,
          ),
        ]),
    ...ModelCosts.figures(model),
  ]}</dl>${unscored(report)}`
}

/** The numbers of open tasks by activity. */
const openStates = (open: number, activities: Activities): ReadonlyArray<readonly [state: string, tasks: number]> => {
  const counts = new Map<string, number>()
  const count = (state: string, tasks: number) => tasks > 0 && counts.set(state, (counts.get(state) ?? 0) + tasks)
  for (const activity of activities.values()) count(stateOf({ outcome: null, activity }), 1)
  count(stateOf({ outcome: null, activity: null }), open - activities.size)
  return [...counts]
}

const netOf = ({ rewards }: LogReport): number =>
  rewards.reduce((total, { kind, amount }) => total + (kind === "reward" ? amount : -amount), 0)

const unscored = ({ tasks, scored, unscored, wanted }: LogReport): Markup | null => {
  const without = tasks - scored
  const warnings = [
    ...(without === 0
      ? []
      : [
          `${FormattedNumbers.counted(without, "task")} ${without === 1 ? "has" : "have"} no ${wanted} and ${without === 1 ? "is" : "are"} left out wherever scores are shown.`,
        ]),
    ...(unscored === 0
      ? []
      : [`In ${FormattedNumbers.counted(unscored, "task")} a verdict could not be decided; it counts as 0.`]),
  ]
  return warnings.length === 0 ? null : markup`<p class="warn">${warnings.join(" ")}</p>`
}

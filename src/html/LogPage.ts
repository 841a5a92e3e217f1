/** The HTML page of a report of many tasks. Beyond the tasks that it lists, its size does not grow with their number. */

import type { WhyFailed } from "../projections/explanation/FailureChain.ts"
import type { ListedTask } from "../projections/report/ExtremeTasks.ts"
import type { LogReport } from "../projections/report/LogReport.ts"
import { type Markup, markup, type Value } from "../values/Markup.ts"
import * as ActionOutcomes from "./ActionOutcomes.ts"
import * as Chart from "./Chart.ts"
import * as ConfirmationWaits from "./ConfirmationWaits.ts"
import { document, type Source } from "./Document.ts"
import * as TaskTable from "./endings/TaskTable.ts"
import * as WhyFailedSection from "./endings/WhyFailedSection.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"
import { signed } from "./figures/KeyFigures.ts"
import * as LogFigures from "./figures/LogFigures.ts"
import * as ModelCosts from "./figures/ModelCosts.ts"
import * as RewardWaterfall from "./RewardWaterfall.ts"
import * as ScoresOverTime from "./ScoresOverTime.ts"
import * as SensorTraces from "./SensorTraces.ts"
import * as StudioLinks from "./StudioLinks.ts"
import { leftOut, numbers, table } from "./Table.ts"

/** The parts of a report of many tasks in addition to their figures. */
export interface Endings {
  /** The activities of open tasks. Default: unknown. */
  readonly activities: TaskTable.Activities
  /** Why the worst tasks failed (`LogReport.listed`). */
  readonly worst: ReadonlyArray<WhyFailed>
}

const NOTHING: Endings = { activities: new Map(), worst: [] }

/** The page in chunks of HTML. */
export const pieces = (report: LogReport, source: Source, endings: Endings = NOTHING): Iterable<string> =>
  document(`Report of ${source.log}`, sections(report, source, endings))

function* sections(report: LogReport, source: Source, { activities, worst }: Endings): Generator<Markup> {
  yield head(report, source)
  if (report.tasks === 0) {
    yield markup`<p class="lead">No task was opened in this log: there is nothing to report.</p>`
    yield foot(report, source)
    return
  }
  yield LogFigures.figures(report, activities)
  yield WhyFailedSection.ofLog(worst, { tasks: report.tasks, failed: failedIn(report) }, source.studio)
  yield agents(report)
  yield rewards(report)
  yield actions(report)
  yield confirmations(report)
  yield models(report)
  yield sensors(report)
  yield tasks(report, source)
  yield TaskTable.section(report, activities, source.studio)
  yield foot(report, source)
}

const failedIn = ({ outcomes: { failed, abandoned, truncated } }: LogReport): number => failed + abandoned + truncated

const head = (report: LogReport, { log }: Source): Markup => {
  const { tasks, agents, outcomes, period } = report
  const lead =
    tasks === 0
      ? null
      : markup`<p class="lead">${FormattedNumbers.counted(agents.length, "agent")} worked on ${FormattedNumbers.counted(tasks, "task")} and, by their own account, achieved ${tasks < FEW_TASKS ? FormattedNumbers.count(outcomes.achieved) : FormattedNumbers.percent(outcomes.achieved / tasks)} of them.</p>`
  return markup`<header><p class="under">What agents did, and what it was worth</p><h1>Report of ${log}</h1>${lead}${
    period === null ? null : markup`<p class="under">${FormattedNumbers.period(period.from, period.to)}</p>`
  }</header>`
}

/** Below this number of tasks, a count replaces the percentage. */
const FEW_TASKS = 20

const agents = (report: LogReport): Markup => {
  const text = ScoresOverTime.scoreText(report.unit)
  const spread = report.agents.some(({ points }) => points === null)
  const caption = `Scores by agent; ${ScoresOverTime.scoreTitle(report.unit)}`
  const rows = report.agents.map(
    ({ agent, tasks, outcomes, score, steps, early, late }): ReadonlyArray<Value> => [
      markup`<bdi>${agent}</bdi>`,
      FormattedNumbers.count(tasks),
      FormattedNumbers.percent(outcomes.achieved / tasks),
      FormattedNumbers.count(score?.count ?? 0),
      score === null ? "not scored" : text(score.mean),
      score === null ? "" : text(score.median),
      score === null ? "" : `${text(score.p10)} to ${text(score.p90)}`,
      early === null || late === null ? "too few tasks" : `${text(early)} → ${text(late)}`,
      steps === null ? "" : FormattedNumbers.amount(steps.mean),
    ],
  )
  return markup`<section><h2>${report.agents.some(({ early }) => early !== null) ? "Did the agents get better?" : "How did the agents score?"}</h2>
${
  report.scored === 0
    ? markup`<p>No task has a ${report.wanted}, so there is nothing to show of scores.</p>`
    : markup`<p>One small chart for each agent, all to the same scale. ${
        spread
          ? "The line is the smoothed trend; half of the scores lie in the darker band, eight of ten in the lighter one."
          : "Each dot is a task; the line is the smoothed trend."
      } Grey lines are the trends of the other agents.</p>${ScoresOverTime.charts(report)}`
}${table(
  caption,
  [
    { heading: "agent" },
    ...numbers(
      "tasks",
      "achieved",
      "scored",
      "mean",
      "median",
      "8 of 10 scores",
      "first → last third",
      "commands per task",
    ),
  ],
  rows,
)}</section>`
}

const models = ({ model: { models, cost } }: LogReport): Markup =>
  ModelCosts.section(
    models.map(({ model, tasks, use }) => ({ model, use, more: [FormattedNumbers.count(tasks)] })),
    cost.prices,
    ["in tasks"],
  )

const MAX_ROWS = 40

const rewards = (report: LogReport): Markup => {
  const { scored, rewards } = report
  if (scored === 0) return markup``
  const nonZero = rewards.filter(({ amount }) => amount > 0)
  const sorted = nonZero.toSorted((a, b) => b.amount - a.amount)
  const steps = nonZero.map(({ name, measure, kind, amount }) => ({
    name: name || measure,
    amount: ((kind === "reward" ? 1 : -1) * amount) / scored,
  }))
  return markup`<section><h2>What earned the score, and what cost it?</h2><div class="beside">${
    steps.length === 0
      ? markup`<p>No task earned a reward or a punishment.</p>`
      : markup`<div class="one">${Chart.figure(
          "An average task",
          RewardWaterfall.chart("waterfall", "What an average task earned and lost", steps),
          "Read from the top: each reward adds to the score and each punishment subtracts from it, beginning where the bar above ended. The last bar is the net score. In the rubric's units, a mean over all scored tasks.",
        )}</div>`
  }<div>${table(
    "Rewards and punishments over all scored tasks, in the rubric's units",
    [{ heading: "reward or punishment" }, { heading: "measure" }, ...numbers("in tasks", "times", "total", "per task")],
    sorted.slice(0, MAX_ROWS).map(({ name, measure, kind, tasks, times, amount }) => {
      const sign = kind === "reward" ? 1 : -1
      return [
        markup`<bdi>${name || measure}</bdi>`,
        markup`<bdi>${measure}</bdi>`,
        FormattedNumbers.partOf(tasks, scored),
        FormattedNumbers.count(times),
        signed(sign * amount),
        signed((sign * amount) / scored),
      ]
    }),
  )}${leftOut(MAX_ROWS, sorted.length, "rewards and punishments")}${neverGiven(rewards)}</div></div></section>`
}

const neverGiven = (rewards: LogReport["rewards"]): Markup | null => {
  const names = rewards.filter(({ amount }) => amount === 0).map(({ name }) => name)
  const shown = names.slice(0, MAX_ROWS)
  return names.length === 0
    ? null
    : markup`<p class="note">Never given: ${shown.map((name, index) => [index === 0 ? "" : ", ", markup`<bdi>${name}</bdi>`])}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ""}.</p>`
}

const actions = ({ actuators }: LogReport): Markup =>
  actuators.length === 0
    ? markup``
    : markup`<section><h2>How did the commands end?</h2><div class="beside"><div class="one">${Chart.figure(
        "By actuator",
        ActionOutcomes.chart("outcomes", actuators),
        "One bar per actuator, all of the same length: its parts show the share of each outcome. The busiest actuator is on top.",
      )}</div><div>${table(
        "Commands by actuator",
        [
          { heading: "actuator" },
          ...numbers("commands", "succeeded", "failed", "denied", "expired", "unknown", "typical time", "longest"),
        ],
        actuators
          .slice(0, MAX_ROWS)
          .map((of) => [
            markup`<bdi>${of.actuator}</bdi>`,
            ...[of.commanded, of.succeeded, of.failed, of.denied, of.expired, of.unknown].map(FormattedNumbers.count),
            of.latencyMs === null ? "" : FormattedNumbers.duration(of.latencyMs.median),
            of.longestMs === null ? "" : FormattedNumbers.duration(of.longestMs),
          ]),
      )}${leftOut(MAX_ROWS, actuators.length, "actuators")}</div></div></section>`

const confirmations = ({ waits }: LogReport): Markup =>
  waits.requested === 0
    ? markup``
    : markup`<section><h2>How long did people take to answer?</h2><p>${confirmed(waits)}</p>${
        waits.bins.length === 0
          ? null
          : markup`<div class="one">${Chart.figure(
              "Answers by the time they took",
              ConfirmationWaits.chart("waits", waits),
              "Each bar counts the answers that took this long. The scale is logarithmic, so that seconds and hours fit in one chart.",
            )}</div>`
      }</section>`

const confirmed = ({ requested, approved, rejected, expired, withdrawn, waitMs }: LogReport["waits"]): string => {
  const parts = [
    `${FormattedNumbers.count(approved)} ${approved === 1 ? "was" : "were"} approved`,
    `${FormattedNumbers.count(rejected)} rejected`,
    ...(expired === 0 ? [] : [`${FormattedNumbers.count(expired)} expired without an answer`]),
    ...(withdrawn === 0 ? [] : [`${FormattedNumbers.count(withdrawn)} withdrawn because the task or its kernel ended`]),
  ]
  const waited =
    waitMs === null
      ? ""
      : ` Half of the answers came within ${FormattedNumbers.duration(waitMs.median)}, nine of ten within ${FormattedNumbers.duration(waitMs.p90)}; the longest took ${FormattedNumbers.duration(waitMs.max)}.`
  return `${FormattedNumbers.counted(requested, "command")} waited for a person: ${parts.join(", ")}.${waited}`
}

const sensors = ({ sensors, tasks }: LogReport): Markup =>
  sensors.length === 0
    ? markup``
    : markup`<section><h2>What did the sensors return?</h2><p>The line is the typical time of a sensor, the band covers eight of ten tasks. Bars below show the share of reads that failed or were skipped.</p>${SensorTraces.charts(
        sensors,
        tasks,
      )}${table(
        "Reads by sensor",
        [{ heading: "sensor" }, ...numbers("tasks", "reads", "failed", "skipped", "typical time", "longest")],
        sensors
          .slice(0, MAX_ROWS)
          .map((of) => [
            markup`<bdi>${of.sensor}</bdi>`,
            ...[of.tasks, of.reads, of.failures, of.skipped].map(FormattedNumbers.count),
            of.latencyMs === null ? "" : FormattedNumbers.duration(of.latencyMs.median),
            of.longestMs === null ? "" : FormattedNumbers.duration(of.longestMs),
          ]),
      )}${leftOut(MAX_ROWS, sensors.length, "sensors")}</section>`

const tasks = ({ extremes: { best, worst }, scored }: LogReport, { studio }: Source): Markup => {
  if (scored === 0) return markup``
  const rest = scored - best.length - worst.length
  return markup`<section><h2>Which tasks went best, and which worst?</h2>${list("Best: the highest net scores", best, "gained", "gained most by", studio)}${
    worst.length === 0 ? null : list("Worst: the lowest net scores", worst, "cost", "lost most by", studio)
  }${rest > 0 ? markup`<p class="note">${FormattedNumbers.counted(rest, "other scored task")} in between are left out; of equal scores, the task that ended first is listed. <code>hindcast export html --task ID</code> makes a page of one task, <code>hindcast studio ID</code> shows each moment of it.</p>` : null}</section>`
}

const list = (
  caption: string,
  listed: ReadonlyArray<ListedTask>,
  why: "gained" | "cost",
  heading: string,
  studio: StudioLinks.StudioLinks | undefined,
): Markup =>
  table(
    caption,
    [
      { heading: "goal" },
      { heading: "agent" },
      { heading: "outcome" },
      ...numbers("net", "possible"),
      { heading },
      ...numbers("commands", "duration"),
      { heading: "positions" },
      { heading: "task" },
    ],
    listed.map((of) => [
      markup`<span class="wide"><bdi>${of.goal}</bdi></span>`,
      markup`<bdi>${of.agent}</bdi>`,
      of.outcome,
      signed(of.net),
      FormattedNumbers.amount(of.possible),
      of[why] === null ? "" : markup`<bdi>${of[why]}</bdi>`,
      FormattedNumbers.count(of.steps),
      of.durationMs === null ? "" : FormattedNumbers.duration(of.durationMs),
      markup`${StudioLinks.at(studio, of.taskId, of.range.from)} to ${StudioLinks.at(studio, of.taskId, of.range.to)}`,
      StudioLinks.task(studio, of.taskId),
    ]),
  )

const foot = ({ scoring, critics, range }: LogReport, { log, head, by }: Source): Markup =>
  markup`<footer><h2>How to read this</h2><p>An agent is given a task, reads sensors and commands actuators; each of these steps is one event in the log, which never changes. A rubric says what is worth a reward or a punishment. The <em>net score</em> of a task is the sum of its rewards minus its punishments. The possible score is the sum of the rewards, each given once, so a reward that is given more often can bring more than 100&nbsp;%. An outcome such as <em>achieved</em> is the agent's own account; a score need not agree with it. Scores say what was done under this rubric, not what an agent would have done under another one.</p><p>Scores are those of <b>${scoring}</b>${
    critics.length === 0 ? null : markup`, decided by ${critics.join(", ")}`
  }. Medians and bands of more than 256 values are within about one rank in a hundred; counts, sums and means are exact. A typical time is the median over tasks of each task's median.</p><p class="note">Made by ${by} from ${log}, read up to @${head}${
    range === null ? null : `; its tasks lie between @${range.from} and @${range.to}`
  }. Times are UTC. This page is one file: it loads nothing and runs no script.</p></footer>`

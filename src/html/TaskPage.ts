/** The HTML page of one task's report. */

import { Either } from "effect"
import { type ScoredVerdict, verdictsOf } from "../projections/audit/Scores.ts"
import type { WhyFailed } from "../projections/explanation/FailureChain.ts"
import type { TaskReport } from "../projections/report/TaskReport.ts"
import { filesInWords } from "../projections/state/files/filesInWords.ts"
import { scoreSetOf } from "../projections/state/WorldReturn.ts"
import type { World } from "../projections/state/Worlds.ts"
import * as Activity from "../projections/summary/Activity.ts"
import * as Outcome from "../projections/summary/Outcome.ts"
import { type Markup, markup, type Value } from "../values/Markup.ts"
import { viewMarkup } from "../views/drawHtml.ts"
import * as ActionOutcomes from "./ActionOutcomes.ts"
import * as AgentTables from "./AgentTables.ts"
import * as CaptureTable from "./CaptureTable.ts"
import * as Chart from "./Chart.ts"
import { document, type Source } from "./Document.ts"
import * as WhyFailedSection from "./endings/WhyFailedSection.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"
import { key, signed } from "./figures/KeyFigures.ts"
import * as ModelCosts from "./figures/ModelCosts.ts"
import * as RewardWaterfall from "./RewardWaterfall.ts"
import * as StudioLinks from "./StudioLinks.ts"
import { leftOut, numbers, table } from "./Table.ts"
import * as TaskCharts from "./TaskCharts.ts"

/**
 * The page in chunks of HTML.
 *
 * @param worlds the final states of the task's worlds
 * @param ending its activity if it is open, and the reasons for its outcome. Default: unknown
 */
export const pieces = (
  report: TaskReport,
  source: Source,
  worlds: ReadonlyArray<World> = [],
  ending: Ending = UNKNOWN,
): Iterable<string> => document(`Task ${report.audit.taskId}`, sections(report, source, worlds, ending))

export interface Ending {
  /** Null if it is closed. */
  readonly activity: Activity.Activity | null
  readonly why: WhyFailed | null
}

const UNKNOWN: Ending = { activity: null, why: null }

function* sections(
  report: TaskReport,
  source: Source,
  worlds: ReadonlyArray<World>,
  { activity, why }: Ending,
): Generator<Markup> {
  yield head(report, source, activity)
  yield figures(report, activity)
  if (why !== null) yield WhyFailedSection.ofTask(why, source.studio)
  yield whatHappened(report)
  yield views(report, worlds)
  yield score(report, source)
  yield AgentTables.section(report.audit)
  yield commands(report)
  yield questions(report, source)
  yield models(report)
  yield sensorsSection(report)
  yield CaptureTable.section(report.audit)
  yield events(report, source)
  yield foot(report, source)
}

const head = ({ audit }: TaskReport, { studio }: Source, activity: Activity.Activity | null): Markup => {
  const { taskId, goal, agent, reason, openedAt, range, parent } = audit
  return markup`<header><p class="under">What one task perceived, did and scored</p><h1><bdi>${goal}</bdi></h1><p class="lead"><bdi>${agent}</bdi> ${
    audit.outcome === null ? OPEN[activity ?? "unknown"] : ENDED[Outcome.of(audit)]
  }${reason === undefined ? "." : markup`: <bdi>${reason}</bdi>`}</p><p class="under">Task ${StudioLinks.task(studio, taskId)}, ${FormattedNumbers.moment(openedAt)}, ${StudioLinks.at(studio, taskId, range.from)} to ${StudioLinks.at(studio, taskId, range.to)}${parent === undefined ? "" : markup`, started by task ${StudioLinks.task(studio, parent.taskId)}`}</p></header>`
}

const ENDED = {
  open: "has not ended it",
  achieved: "achieved it",
  finished: "finished",
  failed: "failed",
  truncated: "was stopped before it finished",
  abandoned: "did not finish",
} as const

/** The activity of an open task. */
const OPEN: { readonly [activity in Activity.Activity]: string } = {
  running: "works on it",
  waiting: "waits for a person",
  paused: "is paused",
  stopped: "stopped unexpectedly",
  unfinished: "has not ended it, as far as it was recorded",
  unknown: "has not ended it",
}

const figures = ({ audit, score }: TaskReport, activity: Activity.Activity | null): Markup => {
  const { durationMs, steps, acting, sensing, confirming } = audit
  return markup`<dl class="key">${[
    key(
      "outcome",
      audit.outcome === null ? Activity.stateOf({ outcome: null, activity }) : Outcome.of(audit),
      durationMs === null ? "not closed yet" : `after ${FormattedNumbers.duration(durationMs)}`,
    ),
    score === null
      ? key("net score", "not scored", "no such scoring covers this task")
      : key(
          "net score",
          FormattedNumbers.signed(score.net),
          `earned ${FormattedNumbers.amount(score.earned)}, lost ${FormattedNumbers.amount(score.lost)}${score.possible === 0 ? "" : `; ${FormattedNumbers.amount(score.possible)} was possible`}`,
        ),
    ...returned(audit),
    key(
      "commands",
      FormattedNumbers.count(steps),
      `${FormattedNumbers.count(acting.succeeded)} succeeded, ${FormattedNumbers.count(acting.failed)} failed, ${FormattedNumbers.count(acting.denied + acting.expired)} stopped before execution${beside("without a recorded result", acting.unrecorded)}${beside("reported by a plugin after a crash", acting.settled)}`,
    ),
    key(
      "readings",
      FormattedNumbers.count(sensing.reads),
      `${FormattedNumbers.count(sensing.failures)} failed, ${FormattedNumbers.count(sensing.skipped)} skipped`,
    ),
    ...(confirming.requested === 0
      ? []
      : [
          key(
            "people were asked",
            `${FormattedNumbers.count(confirming.requested)} ×`,
            confirming.medianWaitMs === null
              ? "nobody answered"
              : `half answered within ${FormattedNumbers.duration(confirming.medianWaitMs)}`,
          ),
        ]),
    ...(audit.files === undefined
      ? []
      : [key("files touched", FormattedNumbers.count(audit.files.touched), filesInWords(audit.files))]),
    ...ModelCosts.figures(audit.model),
  ]}</dl>`
}

/** A further count, omitted at 0. */
const beside = (what: string, of = 0): string => (of === 0 ? "" : `, ${FormattedNumbers.count(of)} ${what}`)

/** The sum of the rewards from the task's worlds, if it has any. */
const returned = ({ scores, taskId }: TaskReport["audit"]): ReadonlyArray<Markup> =>
  scores.flatMap(({ scoreSetId, net }) =>
    scoreSetId === scoreSetOf(taskId)
      ? [key("return", FormattedNumbers.signed(net), "the sum of the world's rewards")]
      : [],
  )

const models = ({ audit: { model } }: TaskReport): Markup =>
  ModelCosts.section(
    Object.entries(model?.byModel ?? {}).map(([name, use]) => ({ model: name, use })),
    model?.cost.prices ?? [],
  )

const whatHappened = (report: TaskReport): Markup =>
  markup`<section><h2>What happened?</h2><div class="charts"><figure><h3>Event by event</h3>${TaskCharts.colours(report)}${TaskCharts.timeline(report)}<figcaption>Each mark is an event of the task, in order; a bar extends to its end. The line at the bottom is the elapsed time: it jumps where something took long.</figcaption></figure>${
    report.evidence.length === 0
      ? null
      : markup`<figure><h3>Net score over time</h3>${TaskCharts.netScore(report)}<figcaption>Each step is a reward or a punishment, at the event that is its evidence.</figcaption></figure>`
  }</div></section>`

const views = ({ audit: { range } }: TaskReport, worlds: ReadonlyArray<World>): Markup =>
  worlds.length === 0
    ? markup``
    : markup`<section><h2>What did the world look like at the end?</h2><p>The state at @${range.to}, drawn by the plugin's manifest of that time.</p>${worlds.map(world)}</section>`

const world = ({ plugin, view, document, outOfStep }: World): Markup =>
  markup`<h3><bdi>${plugin}</bdi></h3>${
    outOfStep ? markup`<p class="warn">The document no longer matched its events before that.</p>` : null
  }${Either.match(view, {
    onLeft: ({ message }) => markup`<p class="warn">The view cannot be drawn. ${message}</p>`,
    onRight: (view) => viewMarkup(view, document),
  })}`

const score = (report: TaskReport, { studio }: Source): Markup => {
  const { score } = report
  if (score === null) return markup``
  const verdicts = verdictsOf(score).map((verdict) => ({ ...verdict, sign: verdict.kind === "reward" ? 1 : -1 }))
  const listed = new Set(report.listed.map(({ position }) => position))
  const steps = verdicts.map(({ name, sign, amount }) => ({ name, amount: sign * amount }))
  const hasAmounts = steps.some(({ amount }) => amount !== 0)
  return markup`<section><h2>What earned the score, and what cost it?</h2><p>Scored by <bdi>${score.label || score.scoreSetId}</bdi>, decided by ${score.critic}.${score.finished ? "" : " This scoring was not finished."}</p><div class="beside">${
    hasAmounts
      ? markup`<div class="one">${Chart.figure(
          "Rewards and punishments",
          RewardWaterfall.chart("waterfall", "What the task earned and lost", steps),
          "Read from the top: each reward adds to the score and each punishment subtracts from it, beginning where the bar above ended. The last bar is the net score. In the rubric's units.",
        )}</div>`
      : markup`<p>No reward or punishment applied.</p>`
  }<div>${table(
    "Rewards and punishments with their evidence",
    [
      { heading: "reward or punishment" },
      ...numbers("amount", "times", "weight"),
      { heading: "because of" },
      { heading: "measure" },
    ],
    verdicts.map(({ measure, sign, name, weight, times, amount, because }) => [
      markup`<bdi>${name}</bdi>`,
      signed(sign * amount),
      FormattedNumbers.count(times),
      FormattedNumbers.amount(weight),
      markup`<span class="wide">${evidence(because, listed, (position) => StudioLinks.at(studio, report.audit.taskId, position))}</span>`,
      markup`<bdi class="wraps">${measure}</bdi>`,
    ]),
  )}${unscored(score.unscored)}${scores(report)}</div></div></section>`
}

const MAX_BECAUSE = 8

const evidence = (
  because: ScoredVerdict["because"],
  listed: ReadonlySet<number>,
  at: (position: number) => Markup,
): Value => {
  const shown = because.slice(0, MAX_BECAUSE)
  const more = because.length - shown.length
  return markup`${shown.map((position) => (listed.has(position) ? markup`<a href="#e${position}">@${position}</a> ` : markup`${at(position)} `))}${more > 0 ? `and ${more} more` : null}`
}

const unscored = (unscored: NonNullable<TaskReport["score"]>["unscored"]): Markup | null =>
  unscored.length === 0
    ? null
    : markup`<p class="warn">Not scored: ${unscored.map(({ name, reason }, index) => [index === 0 ? "" : "; ", markup`<bdi>${name}</bdi> (<bdi>${reason}</bdi>)`])}.</p>`

const scores = ({ audit: { scores } }: TaskReport): Markup | null =>
  scores.length < 2
    ? null
    : table(
        "All scorings of this task",
        [{ heading: "scoring" }, ...numbers("net", "earned", "lost", "possible"), { heading: "critic" }],
        scores.map(({ label, scoreSetId, net, earned, lost, possible, critic }) => [
          markup`<bdi>${label || scoreSetId}</bdi>`,
          signed(net),
          ...[earned, lost, possible].map(FormattedNumbers.amount),
          critic,
        ]),
      )

const commands = ({ audit }: TaskReport): Markup => {
  const actuators = Object.entries(audit.acting.byComponent)
    .map(([actuator, counts]) => ({ actuator, ...counts }))
    .sort((a, b) => b.commanded - a.commanded)
  if (actuators.length === 0) return markup``
  return markup`<section><h2>How did the commands end?</h2><div class="beside"><div class="one">${Chart.figure(
    "By actuator",
    ActionOutcomes.chart("outcomes", actuators),
    "One bar per actuator, all of the same length: its parts show the share of each outcome.",
  )}</div><div>${table(
    "Commands by actuator",
    [
      { heading: "actuator" },
      ...numbers("commands", "succeeded", "failed", "denied", "expired", "unknown", "median time", "longest"),
    ],
    actuators.map((of) => [
      markup`<bdi>${of.actuator}</bdi>`,
      ...[of.commanded, of.succeeded, of.failed, of.denied, of.expired, of.unknown].map(FormattedNumbers.count),
      of.latencyMs === null ? "" : FormattedNumbers.duration(of.latencyMs.p50),
      of.latencyMs === null ? "" : FormattedNumbers.duration(of.latencyMs.max),
    ]),
  )}${audit.acting.observed === undefined ? null : markup`<p class="note">${FormattedNumbers.count(audit.acting.observed)} of the commands were observed: the program ran them itself, and their times are those between the call and its result.</p>`}</div></div></section>`
}

const MAX_QUESTIONS = 100

const questions = ({ questions, audit }: TaskReport, { studio }: Source): Markup =>
  questions.length === 0
    ? markup``
    : markup`<section><h2>What were people asked?</h2>${table(
        "Questions to people",
        [
          { heading: "command" },
          { heading: "answer" },
          { heading: "by" },
          ...numbers("waited"),
          { heading: "asked at" },
        ],
        questions
          .slice(0, MAX_QUESTIONS)
          .map(({ actuator, ending, by, waitedMs, position }) => [
            markup`<bdi>${actuator}</bdi>`,
            ending ?? "none yet",
            by === null ? "" : markup`<bdi>${by}</bdi>`,
            waitedMs === null ? "" : FormattedNumbers.duration(waitedMs),
            StudioLinks.at(studio, audit.taskId, position),
          ]),
      )}${leftOut(MAX_QUESTIONS, questions.length, "questions")}</section>`

const sensorsSection = (report: TaskReport): Markup => {
  const sensors = Object.entries(report.audit.sensing.byComponent)
  if (sensors.length === 0) return markup``
  const { traces, tracesLeftOut } = report
  return markup`<section><h2>What did the sensors return?</h2>${
    traces.length === 0
      ? markup`<p>No number in the readings changed, so there is nothing to draw.</p>`
      : markup`<p>Numbers in the readings that changed, and how long lists were, along the events of the task.</p><div class="charts">${TaskCharts.traces(report)}</div>`
  }${tracesLeftOut > 0 ? markup`<p class="note">${FormattedNumbers.counted(tracesLeftOut, "number")} that changed less often are left out.</p>` : null}${table(
    "Reads by sensor",
    [{ heading: "sensor" }, ...numbers("reads", "failed", "skipped", "median time", "longest")],
    sensors.map(([sensor, { reads, failures, skipped, latencyMs }]) => [
      markup`<bdi>${sensor}</bdi>`,
      ...[reads, failures, skipped].map(FormattedNumbers.count),
      latencyMs === null ? "" : FormattedNumbers.duration(latencyMs.p50),
      latencyMs === null ? "" : FormattedNumbers.duration(latencyMs.max),
    ]),
  )}</section>`
}

const events = ({ listed, positions, audit }: TaskReport, { studio }: Source): Markup =>
  markup`<section><h2>All events</h2><div class="scroll" role="region" aria-label="Events of the task" tabindex="0"><table aria-label="Events of the task"><thead><tr><th scope="col">event</th><th scope="col" class="n">after</th><th scope="col">type</th><th scope="col">summary</th><th scope="col">by</th></tr></thead><tbody>${listed.map(
    ({ position, type, actor, elapsedMs, text }) =>
      markup`<tr id="e${position}"><td>${StudioLinks.at(studio, audit.taskId, position)}</td><td class="n">${FormattedNumbers.duration(elapsedMs)}</td><td>${type}</td><td><span class="wide"><bdi>${text}</bdi></span></td><td><bdi>${actor}</bdi></td></tr>`,
  )}</tbody></table></div>${leftOut(listed.length, positions.length, "events, in the middle and not cited by the score,")}</section>`

const foot = ({ audit }: TaskReport, { log, head, by }: Source): Markup =>
  markup`<footer><h2>How to read this</h2><p>Each step of an agent is one event in the log, which never changes; @412 is the event at position 412. A rubric says what is worth a reward or a punishment, and each cites the events that made it so. <code>hindcast log show @${audit.range.from}</code> shows one event whole, <code>hindcast why @${audit.range.to}</code> what caused it, <code>hindcast studio @${audit.range.to}</code> the world at that moment.</p><p class="note">Made by ${by} from ${log}, read up to @${head}. Times are UTC. This page is one file: it loads nothing and runs no script.</p></footer>`

/** The HTML page of a comparison of two scorings or two models. */

import { type Comparison, MIN_PAIRS, withP } from "../projections/comparison/Comparison.ts"
import type { ModelSide, ModelSides } from "../projections/comparison/ModelSides.ts"
import { type Markup, markup, type Value } from "../values/Markup.ts"
import * as Chart from "./Chart.ts"
import * as Differences from "./Differences.ts"
import { document, type Source } from "./Document.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"
import { key, signed } from "./figures/KeyFigures.ts"
import * as RewardWaterfall from "./RewardWaterfall.ts"
import { leftOut, numbers, table } from "./Table.ts"

/**
 * The page in chunks of HTML.
 *
 * @param models how the tasks were divided, if the sides are two models
 */
export const pieces = (of: Comparison, source: Source, models?: ModelSides): Iterable<string> =>
  document(`${of.a.name} and ${of.b.name}`, sections(of, source, models))

function* sections(of: Comparison, source: Source, models?: ModelSides): Generator<Markup> {
  yield head(of, models)
  yield figures(of)
  yield differences(of)
  yield changes(of)
  yield flips(of)
  yield pairs(of, models)
  yield foot(of, source, models)
}

const head = (of: Comparison, models?: ModelSides): Markup =>
  markup`<header><p class="under">${models === undefined ? "Two scorings of the same tasks" : "Two models on tasks that both worked on"}, compared</p><h1><bdi>${of.a.name}</bdi> (A) and <bdi>${of.b.name}</bdi> (B)</h1><p class="lead">${summary(of)}</p>${models === undefined ? null : sides(models)}${warnings(of)}</header>`

const sides = ({ a, b, askedBoth, sameSeed }: ModelSides): Markup => {
  const counted = (tasks: number) => FormattedNumbers.counted(tasks, "task")
  const of = ({ tasks, paired, unpaired, unscored, unreadable }: ModelSide) =>
    `${counted(tasks)}, ${paired} paired, ${unpaired} without a counterpart, ${unscored} without a score, ${unreadable} whose goal cannot be read`
  return markup`<p>Tasks of A: ${of(a)}. Tasks of B: ${of(b)}. ${counted(askedBoth)} used both models and count for neither. Paired by goal and environment${sameSeed ? ", and seed" : ", with any seed"}.</p>`
}

const summary = (of: Comparison): string => {
  const { difference, interval, p } = of
  const tasks = FormattedNumbers.counted(of.pairs.length, "task")
  if (difference === null) return `No task has a ${of.value} score by both.`
  const size = text(of)(Math.abs(difference))
  const first =
    difference === 0
      ? `On average, A and B score the ${tasks} equally.`
      : `On average, B scores the ${tasks} ${size} ${difference > 0 ? "higher" : "lower"} than A: ${meanText(of, of.b.mean)} instead of ${meanText(of, of.a.mean)}.`
  if (interval === null) {
    return `${first} This describes these tasks only.${of.descriptive ? "" : ` ${of.noInterval?.explanation ?? ""}`}`
  }
  const range = `between ${signedText(of, interval.low)} and ${signedText(of, interval.high)}`
  const excluded = interval.low > 0 || interval.high < 0
  const answer = !excluded
    ? "which includes no difference"
    : (p?.adjusted ?? 1) < 0.05
      ? "so one of the two is clearly higher"
      : "but this is not clear among all comparisons on this page"
  const other = `For other tasks of the same kind the mean difference is expected ${range}, ${answer}.`
  return `${first} ${other}${p === null ? "" : ` If there were no difference, chance alone would make one at least as large in ${share(p.value)} of such comparisons.`}`
}

const share = (p: number): string => (p < 0.001 ? "fewer than 1 in 1,000" : FormattedNumbers.percent(p))

const probability = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3))

/** p after the correction for several comparisons. */
const byHolm = ({ correction }: Comparison, adjusted: number): string =>
  correction === null ? "" : `; by Holm for ${correction.comparisons} comparisons ${probability(adjusted)}`

/** Shares as percentages, net scores in the rubric's units. */
const text = ({ value }: Comparison) => (value === "normalized" ? FormattedNumbers.percent : FormattedNumbers.amount)

const meanText = (of: Comparison, mean: number | null): string => (mean === null ? "none" : text(of)(mean))

const signedText = (of: Comparison, value: number): string => (value > 0 ? `+${text(of)(value)}` : text(of)(value))

const warnings = (of: Comparison): Value => {
  const sides = [["A", of.a] as const, ["B", of.b] as const]
  const all = [
    ...(of.descriptive
      ? [
          `Descriptive only: with fewer than ${MIN_PAIRS} independent pairs, nothing can be concluded about other tasks.`,
        ]
      : []),
    ...sides.flatMap(([name, side]) => [
      ...(side.unfinished === 0
        ? []
        : [`${FormattedNumbers.counted(side.unfinished, "task")} of ${name} are in a scoring that was not finished.`]),
      ...(side.unscored === 0
        ? []
        : [
            `In ${FormattedNumbers.counted(side.unscored, "pair")}, ${name} could not decide a verdict, which counts as 0.`,
          ]),
      ...(side.scoreSetIds.length === 1
        ? []
        : [
            `${name} combines ${FormattedNumbers.counted(side.scoreSetIds.length, "score set")}: the latest one counts for each task.`,
          ]),
    ]),
    ...(of.onlyInA.length + of.onlyInB.length === 0
      ? []
      : [
          `Left out: ${FormattedNumbers.counted(of.onlyInA.length, "task")} that only A scores, ${FormattedNumbers.count(of.onlyInB.length)} that only B scores.`,
        ]),
    ...(of.otherRubrics === 0
      ? []
      : [
          `${of.otherRubrics === of.pairs.length ? "The pairs" : FormattedNumbers.counted(of.otherRubrics, "pair")} were scored by different rubrics: there the rules differ, not how the tasks went.`,
        ]),
    ...(of.incomparable.length === 0
      ? []
      : [
          `Left out: ${FormattedNumbers.counted(of.incomparable.length, "task")} in which one of the rubrics offers no points.`,
        ]),
  ]
  return all.map((warning) => markup`<p class="warn">${warning}</p>`)
}

const figures = (of: Comparison): Markup => {
  const { a, b, pairs, groups, interval, p, effectSize, passAbove, passes } = of
  return markup`<dl class="key">${[
    key(
      "pairs of scores",
      FormattedNumbers.count(pairs.length),
      groups === pairs.length
        ? "one for each task"
        : `in ${FormattedNumbers.counted(groups, "group")} that may depend on one another`,
    ),
    key(
      of.value === "net" ? "mean net score" : "mean share of the possible score",
      `${meanText(of, a.mean)} → ${meanText(of, b.mean)}`,
      "A → B",
    ),
    ...(interval === null
      ? []
      : [
          key(
            "95 % interval of the difference",
            `${signedText(of, interval.low)} to ${signedText(of, interval.high)}`,
            "for other tasks of the same kind",
          ),
        ]),
    ...(p === null ? [] : [key("p-value", probability(p.value), `of no difference at all${byHolm(of, p.adjusted)}`)]),
    ...(effectSize === null
      ? []
      : [key("effect size", FormattedNumbers.amount(effectSize), "mean difference in its standard deviations")]),
    key(
      "tasks passed",
      `${FormattedNumbers.count(a.passed)} → ${FormattedNumbers.count(b.passed)}`,
      `above ${FormattedNumbers.amount(passAbove)}`,
    ),
    ...(passes.interval === null || passes.p === null || passes.adjusted === null
      ? []
      : [
          key(
            "95 % interval of the share that passes",
            `${signedShare(passes.interval.low)} to ${signedShare(passes.interval.high)}`,
            "B minus A, for other tasks of the same kind",
          ),
          key("p-value of passes", probability(passes.p), `${TESTS[passes.test]}${byHolm(of, passes.adjusted)}`),
        ]),
  ]}</dl>`
}

const signedShare = (of: number): string => `${of > 0 ? "+" : ""}${FormattedNumbers.percent(of)}`

const TESTS = { mcnemar: "McNemar's exact test", resampled: "flipping signs and bootstrap" } as const

const differences = (of: Comparison): Markup =>
  of.pairs.length === 0
    ? markup``
    : markup`<section><h2>How do the scores differ?</h2><div class="charts"><figure><h3>Task by task</h3>${Differences.chart(of)}<figcaption>Each dot is a task, sorted by how much higher (right of zero) or lower (left) B scores it. ${
        of.interval === null
          ? "The large dot above is their mean."
          : "The large dot above is their mean, and the line through it spans the interval in which the mean of other tasks is expected."
      }</figcaption></figure><figure><h3>How often</h3>${Differences.balance(of)}<figcaption>In how many of the ${FormattedNumbers.count(of.pairs.length)} pairs B is higher, equal or lower.</figcaption></figure></div></section>`

const MAX_ROWS = 20

const changes = ({ changes }: Comparison): Markup =>
  changes.length === 0
    ? markup`<section><h2>What makes the difference?</h2><p>Every reward and punishment has the same amount in both.</p></section>`
    : markup`<section><h2>What makes the difference?</h2><div class="beside"><div class="one">${Chart.figure(
        "Each reward's share",
        RewardWaterfall.chart(
          "shares",
          "What makes the difference of the mean net score",
          changes.map(({ name, difference }) => ({ name, amount: difference })),
          "difference of the mean",
        ),
        "Read from the top: larger rewards and smaller punishments of B raise the difference, the opposite lowers it. Each bar begins where the one above ended. Net scores, in the rubric's units.",
      )}</div><div>${table(
        "Rewards and punishments with different amounts",
        [
          { heading: "reward or punishment" },
          { heading: "kind" },
          ...numbers("in tasks", "of the mean net score"),
          { heading: "measure" },
        ],
        changes
          .slice(0, MAX_ROWS)
          .map(({ name, kind, tasks, difference, measure }) => [
            markup`<bdi>${name}</bdi>`,
            kind,
            FormattedNumbers.count(tasks),
            signed(difference),
            markup`<bdi>${measure}</bdi>`,
          ]),
      )}${leftOut(MAX_ROWS, changes.length, "rewards and punishments")}</div></div></section>`

const flips = ({ passes: { gained, lost, noInterval }, passAbove }: Comparison): Markup => {
  const list = (name: string, ids: ReadonlyArray<string>) =>
    ids.length === 0
      ? null
      : markup`<h3>${name}</h3><ul>${ids.slice(0, MAX_ROWS).map((id) => markup`<li><code>${id}</code></li>`)}</ul>${leftOut(MAX_ROWS, ids.length, "tasks")}`
  return markup`<section><h2>Which tasks flipped?</h2><p>A task passes with a value above ${FormattedNumbers.amount(passAbove)}. ${
    gained.length + lost.length === 0
      ? "None passes by one scoring and fails by the other."
      : `${FormattedNumbers.counted(gained.length, "task")} passed by B only, ${FormattedNumbers.count(lost.length)} by A only.`
  }${noInterval === null || noInterval.reason === "few" ? "" : ` There is no interval and no p-value for passes. ${noInterval.explanation}`}</p>${list("Pass in B only", gained)}${list("Pass in A only", lost)}</section>`
}

const ENDS = 10

const pairs = (of: Comparison, models?: ModelSides): Markup => {
  const ofB = new Map(models?.pairs.map(({ a, b }) => [a, b]))
  const sorted = of.pairs.toSorted((a, b) => b.difference - a.difference)
  const shown = sorted.length <= 2 * ENDS ? sorted : [...sorted.slice(0, ENDS), ...sorted.slice(-ENDS)]
  const show = text(of)
  return markup`<section><h2>The pairs</h2>${table(
    sorted.length > shown.length ? "The ten pairs at either end" : "All pairs",
    [{ heading: "task" }, ...numbers("A", "B", "B minus A")],
    shown.map(({ taskId, a, b, difference }) => [
      ofB.has(taskId)
        ? markup`<code>${taskId}</code> and <code>${ofB.get(taskId) ?? ""}</code>`
        : markup`<code>${taskId}</code>`,
      show(a),
      show(b),
      difference === 0
        ? "0"
        : markup`<span class="${difference > 0 ? "gain" : "loss"}">${signedText(of, difference)}</span>`,
    ]),
  )}${leftOut(shown.length, sorted.length, "pairs in between")}</section>`
}

const METHODS = { exact: "over all patterns of signs", sampled: "over random patterns of signs" } as const

const OF_RUNS = "A model may answer differently next time: this difference is between these runs only."

/** The number of comparisons that correct p, if there is one. */
const comparisons = (of: Comparison): string =>
  of.correction === null || withP(of) === 0
    ? ""
    : ` This page makes ${FormattedNumbers.counted(of.correction.comparisons, "comparison")}, of values and of passes: p-values by Holm allow for both${withP(of) < of.correction.comparisons ? ", also for the one that has no p-value" : ""}.`

const foot = (of: Comparison, { log, head, by }: Source, models?: ModelSides): Markup => {
  const { descriptive, interval, p, passes } = of
  return markup`<footer><h2>What this shows, and what it does not</h2>${
    descriptive
      ? markup`<p>There are too few pairs to conclude anything about other tasks. This page describes these tasks only.</p>`
      : markup`<p>For these tasks the difference is exact: the same rules give it again over the same log, while a model may decide differently next time. Intervals and p-values are about <em>other</em> tasks of the same kind, and assume that these were drawn at random${interval === null ? "" : " and that no large differences are too rare to be among these"}. An interval excludes 0 where its p-value is below 0.05.${interval === null || p === null ? "" : ` The interval of the mean covers all values that a studentized bootstrap or flipping signs (${METHODS[p.method]}) does not exclude; its p-value is the larger one.`}${passes.interval?.method === "score" ? " The interval of passes is the score interval of three outcomes (Tango), its p-value McNemar's exact one." : ""}${comparisons(of)}</p>`
  }<p>${models === undefined ? "A comparison of scorings shows what the same actions are worth by two rubrics or critics." : OF_RUNS} Nothing here shows what an agent would have done under other rewards.</p><p class="note">Made by ${by} from ${log}, read up to @${head}. This page is one file: it loads nothing and runs no script.</p></footer>`
}

/** Formats the comparison of two scorings as text. */
import * as Labels from "../../../projections/annotations/Labels.ts"
import { type Comparison, MIN_PAIRS, withP } from "../../../projections/comparison/Comparison.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { count, number, percent, signed } from "../../terminal/Text.ts"

const MAX_LISTED = 10

export const lines = (style: Style, of: Comparison): ReadonlyArray<string> => [
  `${style.name(oneLine(of.a.name))} (A${scoreSetCountNote(of.a)}) and ${style.name(oneLine(of.b.name))} (B${scoreSetCountNote(of.b)}), by ${of.value} value`,
  ...Table.facts(style, facts(style, of)),
  ...changes(style, of),
  ...changedPasses(style, of),
  "",
  ...interpretation(of).map(style.dim),
]

/** The number of score sets if the label names several. The latest one of each task counts. */
const scoreSetCountNote = ({ scoreSetIds }: Comparison["a"]): string =>
  scoreSetIds.length === 1 ? "" : `: ${scoreSetIds.length} score sets, for each task the latest`

const facts = (style: Style, of: Comparison): ReadonlyArray<readonly [string, string]> => [
  ["pairs", pairs(of)],
  ...rubrics(style, of),
  ...sideNotes(style, of),
  ["mean", `${mean(of.a.mean)} in A, ${mean(of.b.mean)} in B: ${style.bold(difference(of.difference))}`],
  ...statistics(of, of, of.p, RESAMPLED),
  ["B is", `higher in ${of.wins}, equal in ${of.ties}, lower in ${of.losses}`],
  [
    "effect size",
    of.effectSize === null ? "none: the differences do not vary" : `${number(of.effectSize)} standard deviations`,
  ],
  [
    "passed",
    `${of.a.passed} in A, ${of.b.passed} in B (${of.value} above ${signed(of.passAbove)}; see \`--pass-above\`)${
      of.descriptive ? "" : `: ${style.bold(difference(of.passes.difference))} of the pairs`
    }`,
  ],
  ...statistics(of, of.passes, ofPasses(of), of.passes.test === "mcnemar" ? "McNemar's exact test" : RESAMPLED),
  ...agreement(style, of),
]

/** How often the sides agree on passes, if one of them is a person. This measures a critic's worth. */
const agreement = (style: Style, { a, b, agreement }: Comparison): ReadonlyArray<readonly [string, string]> => {
  if (![...a.critics, ...b.critics].some(Labels.isPerson)) return []
  const { tasks, undecided, bothPass, onlyA, onlyB, bothFail, share, rateA, rateB, chance, kappa, noKappa } = agreement
  const left = undecided === 0 ? "" : `; ${count(undecided, "undecided pair")} left out`
  if (share === null || rateA === null || rateB === null || chance === null)
    return [["agreement", `unknown: no pair is decided by both${left}`]]
  return [
    [
      "agreement",
      `${style.bold(percent(share))} of ${count(tasks, "task")}: ${bothPass} pass in both, ${bothFail} in neither, ${onlyA} only in A, ${onlyB} only in B${left}`,
    ],
    [
      "Cohen's κ",
      kappa === null
        ? `undefined: ${noKappa === null ? "" : CONSTANT[noKappa]}`
        : `${style.bold(kappa.toFixed(3).replace("-", "−"))} (base rates: ${percent(rateA)} pass in A, ${percent(rateB)} in B; by chance they would agree on ${percent(chance)})`,
    ],
  ]
}

const CONSTANT = {
  "no-tasks": "no pair is decided by both",
  "a-is-constant": "A gives every task the same verdict, so any agreement is chance",
  "b-is-constant": "B gives every task the same verdict, so any agreement is chance",
  "both-are-constant": "each side gives every task the same verdict, so any agreement is chance",
} as const

const RESAMPLED = "the larger of flipping signs and bootstrap"

/** An interval and its p-value, or why there are none. */
const statistics = (
  { descriptive, correction }: Comparison,
  { interval, noInterval }: Pick<Comparison, "interval" | "noInterval">,
  p: { readonly value: number; readonly adjusted: number } | null,
  test: string,
): ReadonlyArray<readonly [string, string]> => {
  if (descriptive) return []
  if (interval === null || p === null || correction === null) return [["95 % interval", withoutInterval(noInterval)]]
  return [
    ["95 % interval", `${difference(interval.low)} to ${difference(interval.high)} (${METHODS[interval.method]})`],
    [
      "p",
      `${probability(p.value)} (${test}); by Holm for ${correction.comparisons} comparisons ${probability(p.adjusted)}`,
    ],
  ]
}

const withoutInterval = (refusal: Comparison["noInterval"]): string =>
  `none, and no p-value. ${refusal?.explanation ?? ""}`.trimEnd()

const ofPasses = ({ passes: { p, adjusted } }: Comparison) =>
  p === null || adjusted === null ? null : { value: p, adjusted }

const pairs = ({ pairs, groups, onlyInA, onlyInB, incomparable }: Comparison): string =>
  [
    `${pairs.length}`,
    ...(groups === pairs.length ? [] : [`in ${count(groups, "group")}`]),
    ...(onlyInA.length + onlyInB.length === 0 ? [] : [`${onlyInA.length} only in A, ${onlyInB.length} only in B`]),
    ...(incomparable.length === 0 ? [] : [`${incomparable.length} without this value`]),
  ].join(", ")

const METHODS = {
  studentized: "studentized bootstrap, and flipping signs",
  score: "score interval of three outcomes",
} as const

/** The rubrics of both sides, if they differ. */
const rubrics = (style: Style, { a, b, pairs, otherRubrics }: Comparison): ReadonlyArray<readonly [string, string]> => {
  const named = (of: Comparison["a"]) =>
    of.rubrics.length > MAX_RUBRICS ? count(of.rubrics.length, "rubric") : of.rubrics.map(digest).join(", ")
  const how = otherRubrics === pairs.length ? "different" : `different in ${count(otherRubrics, "pair")}`
  return otherRubrics === 0 ? [] : [["rubrics", `${style.warn(how)}: ${named(a)} in A, ${named(b)} in B`]]
}

const MAX_RUBRICS = 3

const digest = (of: string): string => of.slice(0, 8)

const sideNotes = (style: Style, { a, b }: Comparison): ReadonlyArray<readonly [string, string]> =>
  ([["A", a] as const, ["B", b] as const] as const).flatMap(([name, side]) => [
    ...(side.unfinished === 0
      ? []
      : [["", style.warn(`${count(side.unfinished, "task")} of ${name} in a scoring that was not finished`)] as const]),
    ...(side.unscored === 0
      ? []
      : [["", style.warn(`${name} has undecided rules in ${count(side.unscored, "pair")}`)] as const]),
  ])

const changes = (style: Style, { changes }: Comparison): ReadonlyArray<string> => {
  if (changes.length === 0) return []
  const rows = changes
    .slice(0, MAX_LISTED)
    .map((change) => [
      style.name(`${oneLine(change.measure)}: ${oneLine(change.name)}`),
      change.kind,
      String(change.tasks),
      (change.difference > 0 ? style.good : style.bad)(difference(change.difference)),
    ])
  const more = changes.length - rows.length
  return [
    "",
    ...Table.lines(style, ["what changed", "", ...Table.right("tasks", "of the mean net value")], rows),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

const changedPasses = (style: Style, { passes: { gained, lost } }: Comparison): ReadonlyArray<string> => {
  const list = (name: string, tasks: ReadonlyArray<string>) => {
    const listed = tasks.slice(0, MAX_LISTED).map(oneLine).join(", ")
    const more = tasks.length > MAX_LISTED ? ` and ${tasks.length - MAX_LISTED} more` : ""
    return tasks.length === 0 ? [] : [`${name}: ${listed}${more}`]
  }
  const all = [...list(style.good("pass in B only"), gained), ...list(style.bad("pass in A only"), lost)]
  return all.length === 0 ? [] : ["", ...all]
}

const interpretation = (of: Comparison): ReadonlyArray<string> =>
  of.correction === null
    ? [`Descriptive only: with fewer than ${MIN_PAIRS} independent pairs, nothing can be concluded about other tasks.`]
    : [
        `${of.exact ? "For these tasks the difference is exact." : "Not all critics are exact: scoring these tasks again may give another difference."} The intervals and p-values say what to expect of other tasks of the same kind.`,
        `They assume that these tasks are a random sample of that kind${of.interval === null ? "" : ", and that the sample misses no rare, large differences"}. An interval excludes 0 where its p is below 0.05.`,
        ...(withP(of) === 0 ? [] : [`${byHolm(of, of.correction.comparisons)}${uncertain(of)}`]),
        "Nothing here shows what an agent would have done under other rewards.",
      ]

const byHolm = (of: Comparison, comparisons: number): string =>
  `${comparisons} comparisons are made here, of values and of passes: Holm's p accounts for both${withP(of) < comparisons ? ", including the one that has no p" : ""}.`

/** Warns about a result that is significant alone, but not after Holm's correction. */
const uncertain = (of: Comparison): string =>
  [of.p, ofPasses(of)].some((p) => p !== null && p.value < 0.05 && p.adjusted >= 0.05)
    ? " By Holm's p, an interval here that excludes 0 is not significant."
    : ""

const mean = (of: number | null): string => (of === null ? "none" : number(of))

const difference = (of: number | null): string => (of === null ? "none" : of > 0 ? `+${number(of)}` : number(of))

const probability = (of: number): string => (of < 0.001 ? "< 0.001" : of.toFixed(3))

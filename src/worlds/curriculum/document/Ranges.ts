/** The ranges of the values that a stage's criteria can read, for any agent. Pure. */

import * as Rubric from "../../../kernel/rules/Rubric.ts"
import type { Measure } from "../../../plugins/manifest/Manifest.ts"
import * as WorldReturn from "../../../projections/state/WorldReturn.ts"
import * as DidYouMean from "../../../values/DidYouMean.ts"
import { ATTEMPTS, type Curriculum, type Stage } from "./Document.ts"
import type { Range, RangeOf } from "./Satisfiability.ts"

/** The label of a task's scores by its plugins' measures. */
const LIVE = "live"

/** Statistics of a value over the tasks of an attempt. */
export const STATISTICS: ReadonlyArray<string> = ["mean", "min", "max", "last"]

/** How tasks can end. `unjudged`: the work finished, and nobody judged the result. */
export const OUTCOMES: ReadonlyArray<string> = ["achieved", "failed", "truncated", "abandoned", "unjudged"]

export const GUIDANCE: ReadonlyArray<string> = ["hints", "demonstrations", "feedback"]

/** The measures behind the score sets of a stage's tasks, by label; undefined where they are unknown. */
export interface Measures {
  readonly [label: string]: ReadonlyArray<Rubric.Rubric["measures"][number]> | undefined
}

/** The ranges of a stage's values. Without measures, for a stage whose world is not known yet, scores are unknown. */
export const of = (curriculum: Curriculum, stage: Stage, measures: Measures | undefined): RangeOf => {
  const { attempts = ATTEMPTS, episodes = 1 } = stage
  const rangeOf: RangeOf = (path) => {
    const [first = "", second, third] = path
    switch (first) {
      case "attempt":
        return path.length === 1 ? number(1, attempts) : undefined
      case "episodes":
        return path.length === 1 ? number(episodes, episodes) : undefined
      case "stage":
        return path.length === 1 ? { kind: "text", values: [stage.stage] } : undefined
      case "level":
        return path.length === 1 ? { kind: "text", values: levelsOf(curriculum) } : undefined
      case "attempts":
        return path.length === 2 ? attemptsOf(curriculum, second) : undefined
      case "guidance":
        return oneOf(second, GUIDANCE, "guidance", path.length === 2 ? number(0, given(curriculum, second)) : undefined)
      case "outcomes":
        return oneOf(second, OUTCOMES, "outcomes", path.length === 2 ? number(0, episodes) : undefined)
      case "steps":
        return oneOf(
          second,
          STATISTICS,
          "steps",
          path.length === 2 ? number(0, stage.max_steps ?? Number.POSITIVE_INFINITY) : undefined,
        )
      case "scores":
        return scoresOf(curriculum, measures, path.slice(1))
      case "previous":
        return second === undefined || PREVIOUS.includes(second)
          ? rangeOf([second ?? "", third ?? "", ...path.slice(3)].filter((key) => key !== ""))
          : none(`the attempt before has no ${second}`, second, PREVIOUS)
      default:
        return undefined
    }
  }
  return rangeOf
}

const PREVIOUS = ["outcomes", "steps", "scores"]

const number = (low: number, high: number): Range => ({ kind: "number", low, high })

const none = (what: string, name: string, known: ReadonlyArray<string>): Range => ({
  kind: "none",
  why: `${what} (${known.join(", ") || "none"})${DidYouMean.question(name, known)}`,
})

const oneOf = (
  name: string | undefined,
  known: ReadonlyArray<string>,
  of: string,
  range: Range | undefined,
): Range | undefined =>
  name === undefined || known.includes(name) ? range : none(`${of} has no ${JSON.stringify(name)}`, name, known)

const levelsOf = ({ stages }: Curriculum): ReadonlyArray<string> => [
  "",
  ...new Set(stages.flatMap(({ level }) => level ?? [])),
]

const attemptsOf = ({ stages }: Curriculum, name: string | undefined): Range | undefined => {
  const stage = stages.find((each) => each.stage === name)
  const names = stages.map((each) => each.stage)
  if (stage === undefined) return none(`no stage is called ${JSON.stringify(name)}`, name ?? "", names)
  return number(0, stage.attempts ?? ATTEMPTS)
}

/** How often all tutors and rules together may give something. */
const given = ({ tutors = {}, stages }: Curriculum, kind: string | undefined): number => {
  const own = kind === "hints" && stages.some(({ rules = [] }) => rules.some(({ hint }) => hint !== undefined))
  if (own) return Number.POSITIVE_INFINITY
  return Object.values(tutors).reduce((sum, { budget }) => {
    const most = kind === "hints" ? budget.hints : kind === "demonstrations" ? budget.demonstrations : budget.feedback
    return sum + (most ?? 0)
  }, 0)
}

const scoresOf = (
  { rubrics = {} }: Curriculum,
  measures: Measures | undefined,
  [label, what, ...rest]: ReadonlyArray<string>,
): Range | undefined => {
  if (label === undefined || measures === undefined) return undefined
  const labels = [...new Set([LIVE, WorldReturn.LABEL, ...Object.keys(rubrics)])]
  // Somebody may score tasks by other rubrics while the curriculum runs.
  if (!labels.includes(label)) return none(`no score sets are called ${JSON.stringify(label)}`, label, labels)
  if (what === undefined) return undefined
  if (what === "tasks") return rest.length === 0 ? number(0, Number.POSITIVE_INFINITY) : undefined
  const of = measures[label]
  if (what === "net") {
    const [statistic] = rest
    return oneOf(statistic, STATISTICS, `scores.${label}.net`, rest.length === 1 ? sumOf(of) : undefined)
  }
  if (what !== "measures") return none(`scores.${label} has no ${what}`, what, ["tasks", "net", "measures"])
  const [name, statistic] = rest
  if (name === undefined || of === undefined) return undefined
  const measure = of.find((each) => Rubric.measureName(each) === name)
  if (measure === undefined)
    return none(`scores.${label} has no measure ${JSON.stringify(name)}`, name, of.map(Rubric.measureName))
  return oneOf(statistic, STATISTICS, `the measure ${name}`, rest.length === 2 ? sumOf([measure]) : undefined)
}

/** The lowest and the highest score that measures allow; no limit for those that count more than once. */
const sumOf = (measures: ReadonlyArray<Pick<Measure, "rewards" | "punishments">> | undefined): Range => {
  if (measures === undefined) return number(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  const most = (of: "rewards" | "punishments") =>
    round(
      measures
        .flatMap((measure) => measure[of] ?? [])
        .reduce(
          (sum, { weight, per = "task", rule }) =>
            sum + (per === "task" && rule !== undefined ? weight : Number.POSITIVE_INFINITY),
          0,
        ),
    )
  return number(-most("punishments"), most("rewards"))
}

/** Scores are exact to 1e-9. */
const round = (value: number): number => (Number.isFinite(value) ? Math.round(value * 1e9) / 1e9 : value)

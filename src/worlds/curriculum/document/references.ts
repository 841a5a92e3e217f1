/** Finds a curriculum's unknown names, invalid criteria, stages that nothing leads to, and ways without an end. */

import { Either } from "effect"
import { pointerToken } from "../../../values/Json.ts"
import * as KnownNames from "../../scenario/KnownNames.ts"
import type { Flaw } from "../../scenario/source.ts"
import * as Criterion from "./Criterion.ts"
import { type Curriculum, END, type Person, type Rule, type Stage, type Tutor } from "./Document.ts"
import * as Ranges from "./Ranges.ts"
import * as Satisfiability from "./Satisfiability.ts"
import * as Ways from "./Ways.ts"

/**
 * Returns all flaws of a curriculum that its schema accepts.
 *
 * @param measuresOf the measures by which a stage's tasks are scored; undefined while its world is unknown
 */
export const flawsOf = (
  curriculum: Curriculum,
  measuresOf: (stage: Stage) => Ranges.Measures | undefined = () => undefined,
): ReadonlyArray<Flaw> => {
  const known = knownOf(curriculum)
  const named = [
    ...Object.entries(curriculum.tutors ?? {}).flatMap(([name, tutor]) => tutorFlaws(at("tutors", name), tutor)),
    ...Object.entries(curriculum.people ?? {}).flatMap(([name, person]) => personFlaws(at("people", name), person)),
    ...labelFlaws(curriculum),
    ...curriculum.stages.flatMap((stage, index) => stageFlaws(curriculum, known, `/stages/${index}`, stage, index)),
  ]
  const criteria = curriculum.stages.flatMap((stage, index) =>
    criterionFlaws(`/stages/${index}`, stage, Ranges.of(curriculum, stage, measuresOf(stage))),
  )
  // Ways are traced only among known stages.
  return named.length + criteria.length > 0 ? [...named, ...criteria] : Ways.flawsOf(curriculum)
}

const at = (...keys: ReadonlyArray<string>): string => keys.map((key) => `/${pointerToken(key)}`).join("")

interface Known {
  readonly stages: KnownNames.KnownNames
  readonly tutors: KnownNames.KnownNames
  readonly people: KnownNames.KnownNames
}

const asIs = (name: string): string => name

const knownOf = ({ stages, tutors = {}, people = {} }: Curriculum): Known => ({
  stages: KnownNames.of(
    stages.map(({ stage }) => stage),
    asIs,
  ),
  tutors: KnownNames.of(Object.keys(tutors), asIs),
  people: KnownNames.of(Object.keys(people), asIs),
})

const ONE = "exactly one of program, model and"

const howMany = (...fields: ReadonlyArray<unknown>): number => fields.filter((field) => field !== undefined).length

const tutorFlaws = (path: string, { program, model, hints, budget }: Tutor): ReadonlyArray<Flaw> => {
  const count = howMany(program, model, hints)
  if (count !== 1) return [{ path, expected: `${ONE} hints`, found: count === 0 ? "none" : "several" }]
  const gives = [budget.demonstrations ?? 0, budget.feedback ?? 0].some((most) => most > 0)
  return hints !== undefined && gives
    ? [{ path: `${path}/budget`, expected: "hints only, which is all that a list of hints can give", found: "more" }]
    : []
}

const personFlaws = (path: string, { program, model, script }: Person): ReadonlyArray<Flaw> => {
  const count = howMany(program, model, script)
  return count === 1 ? [] : [{ path, expected: `${ONE} script`, found: count === 0 ? "none" : "several" }]
}

const TAKEN: ReadonlyArray<string> = ["live", "return"]

const labelFlaws = ({ rubrics = {} }: Curriculum): ReadonlyArray<Flaw> =>
  Object.keys(rubrics).flatMap((label) =>
    TAKEN.includes(label)
      ? [
          {
            path: at("rubrics", label),
            expected: "another label",
            found: `${label}, which the kernel's own scores have`,
          },
        ]
      : [],
  )

const stageFlaws = (
  { stages, tutors = {} }: Curriculum,
  { stages: known, tutors: knownTutors, people }: Known,
  path: string,
  { stage, next, learner, cast = {}, rules = [] }: Stage,
  index: number,
): ReadonlyArray<Flaw> => {
  const first = stages.findIndex((each) => each.stage === stage)
  const isTwice = first < index
  const several = Object.keys(cast)
  return [
    ...(isTwice ? [{ path: `${path}/stage`, expected: "a unique name for each stage", found: stage }] : []),
    ...(stage === END ? [{ path: `${path}/stage`, expected: "another name", found: `${END}, the end` }] : []),
    ...(next === undefined || next === END ? [] : known.unknown(`${path}/next`, "the name of a stage", next)),
    ...Object.entries(cast).flatMap(([agent, person]) =>
      people.unknown(`${path}/cast/${pointerToken(agent)}`, "the name of one of people", person),
    ),
    ...(several.length > 0 && learner === undefined
      ? [{ path: `${path}/cast`, expected: "with learner, the agent that the learning agent plays", found: "none" }]
      : []),
    ...(learner !== undefined && several.includes(learner)
      ? [{ path: `${path}/cast/${pointerToken(learner)}`, expected: "another agent than the learner", found: learner }]
      : []),
    ...rules.flatMap((rule, number) => ruleFlaws(known, knownTutors, tutors, `${path}/rules/${number}`, rule)),
  ]
}

const ruleFlaws = (
  stages: KnownNames.KnownNames,
  known: KnownNames.KnownNames,
  tutors: NonNullable<Curriculum["tutors"]>,
  path: string,
  { do: decision, to, tutor, gives = "hint", hint }: Rule,
): ReadonlyArray<Flaw> => {
  const flaw = (field: string, expected: string, found: string): Flaw => ({ path: `${path}/${field}`, expected, found })
  if (decision === "BRANCH_TO") {
    return to === undefined
      ? [flaw("do", "with BRANCH_TO: to, the name of a stage", "none")]
      : stages.unknown(`${path}/to`, "the name of a stage", to)
  }
  if (to !== undefined) return [flaw("to", "to only with BRANCH_TO", decision)]
  if (decision !== "APPLY_HINT") {
    const field = tutor === undefined ? (hint === undefined ? undefined : "hint") : "tutor"
    return field === undefined ? [] : [flaw(field, `${field} only with APPLY_HINT`, decision)]
  }
  if (tutor === undefined && hint === undefined) return [flaw("do", "with APPLY_HINT: hint or tutor", "neither")]
  if (tutor === undefined) return gives === "hint" ? [] : [flaw("gives", `with ${gives}: tutor`, "none")]
  const unknown = known.unknown(`${path}/tutor`, "the name of one of tutors", tutor)
  if (unknown.length > 0) return unknown
  const most = mostOf(tutors[tutor], gives)
  return most === 0
    ? [
        flaw(
          "tutor",
          `a tutor whose budget has ${gives === "feedback" ? gives : `${gives}s`}`,
          `${tutor}, which has none`,
        ),
      ]
    : []
}

/** How many hints, demonstrations or pieces of feedback a tutor may give. */
export const mostOf = (tutor: Tutor | undefined, gives: "hint" | "demonstration" | "feedback"): number => {
  const { hints, demonstrations, feedback } = tutor?.budget ?? {}
  return (gives === "hint" ? hints : gives === "demonstration" ? demonstrations : feedback) ?? 0
}

const criterionFlaws = (path: string, stage: Stage, rangeOf: Satisfiability.RangeOf): ReadonlyArray<Flaw> => {
  const { complete, rules = [] } = stage
  const criteria = [
    { path: `${path}/complete`, source: complete },
    ...rules.map(({ when }, index) => ({ path: `${path}/rules/${index}/when`, source: when })),
  ]
  let decided: string | undefined
  return criteria.flatMap(({ path, source }): ReadonlyArray<Flaw> => {
    const compiled = Criterion.compile(source)
    if (Either.isLeft(compiled))
      return [{ path, expected: "a CEL expression that is true or false", found: compiled.left }]
    const { mayHold, mayFail, why } = Satisfiability.of(compiled.right.ast, rangeOf)
    if (!mayHold)
      return [{ path, expected: "a criterion that can hold", found: `one that never does: ${why ?? source}` }]
    if (decided !== undefined)
      return [{ path, expected: "a rule that can decide", found: `one that never does: ${decided} always holds` }]
    if (!mayFail) decided = path
    return []
  })
}

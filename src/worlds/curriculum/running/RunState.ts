/** The state of a run when an attempt is decided: its place, the attempt before, and used-up budgets. */

import { Effect, Schema } from "effect"
import type * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import { JsonObject } from "../../../values/Json.ts"
import type * as Decision from "../deciding/Decision.ts"
import type * as Evidence from "../deciding/Evidence.ts"
import type { Curriculum } from "../document/Document.ts"
import * as Guidance from "./Guidance.ts"

/** The place of an attempt in its run. */
export const placeOf = (run: CurriculumRuns.CurriculumRun, last: CurriculumRuns.Attempt): Evidence.Place => {
  const until = run.attempts.slice(0, run.attempts.indexOf(last) + 1)
  const before = until.slice(0, -1)
  const given = (gives: string) =>
    before.filter(({ stage, guidance }) => stage === last.stage && guidance?.gives === gives).length
  const attempts: { [stage: string]: number } = {}
  for (const { stage } of until) attempts[stage] = (attempts[stage] ?? 0) + 1
  return {
    attempt: last.attempt,
    attempts,
    stage: last.stage,
    level: run.levels.findLast(({ at }) => at < (last.decided?.at ?? Number.POSITIVE_INFINITY))?.to ?? "",
    guidance: { hints: given("hint"), demonstrations: given("demonstration"), feedback: given("feedback") },
  }
}

/** The result of the attempt before at the same stage, as its decision recorded it. */
export const resultBefore = (
  { attempts }: CurriculumRuns.CurriculumRun,
  { stage, attempt }: CurriculumRuns.Attempt,
): Evidence.AttemptResult | undefined => {
  const before = attempts.find((each) => each.stage === stage && each.attempt === attempt - 1)
  const evidence = before?.decided?.evidence
  if (evidence === undefined) return undefined
  return { outcomes: asObject(evidence.outcomes), steps: asObject(evidence.steps), scores: asObject(evidence.scores) }
}

const isObject = Schema.is(JsonObject)

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Limits and budgets that a run has used up before an attempt is decided. */
export const usedBy = (
  run: Pick<CurriculumRuns.CurriculumRun, "attempts">,
  spent: ReadonlySet<string>,
): Decision.Used => ({
  rule: (path) => run.attempts.filter(({ decided }) => decided?.rule === path).length,
  guidance: (tutor, gives) => Guidance.givenBy(run, tutor, gives),
  isSpent: (tutor) => spent.has(tutor),
})

/** The tutors whose tokens or dollars are spent. */
export const spentOf = (run: Pick<CurriculumRuns.CurriculumRun, "attempts">, { tutors = {} }: Curriculum) =>
  Effect.gen(function* () {
    const spent = new Set<string>()
    for (const [name, tutor] of Object.entries(tutors))
      if ((yield* Guidance.leftOf(run, name, tutor)) === undefined) spent.add(name)
    return spent
  })

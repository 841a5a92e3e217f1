/** Decides the next step after an attempt, from its evidence and the criteria of its stage. Pure. */

import { Either } from "effect"
import type { CriterionVerdict, CurriculumDecision, GuidanceKind } from "../../../events/vocabulary/Worlds.ts"
import { digest } from "../../../values/Digest.ts"
import { defined } from "../../../values/defined.ts"
import * as Criterion from "../document/Criterion.ts"
import { ATTEMPTS, type Curriculum, nextOf, type Rule, type Stage, stageOf } from "../document/Document.ts"
import { mostOf } from "../document/references.ts"

/** A decision about the next step after an attempt. */
export interface Decision {
  readonly decision: CurriculumDecision
  /** The next stage; undefined at the end of the curriculum. */
  readonly to: string | undefined
  /** The path of the criterion that decided; undefined if none held. */
  readonly rule: string | undefined
  /** The criteria that were evaluated, in their order. */
  readonly verdicts: ReadonlyArray<CriterionVerdict>
  readonly guidance: { readonly tutor: string; readonly gives: GuidanceKind; readonly hint?: string } | undefined
  readonly reason: string | undefined
}

/** Limits and budgets that are used up so far. */
export interface Used {
  /** How often a rule decided, by its path. */
  readonly rule: (path: string) => number
  /** How much a tutor gave. */
  readonly guidance: (tutor: string, gives: GuidanceKind) => number
  /** Whether a tutor's tokens or dollars are spent. */
  readonly isSpent: (tutor: string) => boolean
}

/** The tutor of hints that a rule itself has. */
export const OWN_HINT = "curriculum"

/** Decides about an attempt at a stage, which the curriculum has. */
export const decide = (
  curriculum: Curriculum,
  stage: Stage,
  context: Criterion.CriterionContext,
  used: Used,
): Decision => {
  const path = `/stages/${curriculum.stages.indexOf(stage)}`
  const verdicts: Array<CriterionVerdict> = []
  const held = (at: string, source: string, limit: string | undefined): boolean => {
    const verdict = verdictOf(at, source, context, limit)
    verdicts.push(verdict)
    return verdict.result === "held"
  }
  const outcome = (
    decision: CurriculumDecision,
    rule: string | undefined,
    more: Partial<Pick<Decision, "to" | "guidance" | "reason">> = {},
  ): Decision => ({ to: undefined, guidance: undefined, reason: undefined, ...more, decision, rule, verdicts })

  const within = (decision: Decision): Decision => {
    const { to } = decision
    const target = to === undefined ? undefined : stageOf(curriculum, to)
    if (target === undefined) return decision
    const { attempts = ATTEMPTS } = target
    const made = context.attempts[target.stage] ?? 0
    return made < attempts
      ? decision
      : {
          ...outcome("FAIL", decision.rule),
          reason: `${decision.decision}, but the ${attempts} attempts at ${target.stage} are used up`,
        }
  }

  if (held(`${path}/complete`, stage.complete, undefined))
    return within(outcome("PROCEED", `${path}/complete`, { to: nextOf(curriculum, stage) }))
  for (const [index, rule] of (stage.rules ?? []).entries()) {
    const at = `${path}/rules/${index}`
    if (!held(`${at}/when`, rule.when, limitOf(curriculum, rule, at, used))) continue
    return within(byRule(curriculum, stage, rule, at, used, outcome))
  }
  return within(outcome("REPEAT_STEP", undefined, { to: stage.stage }))
}

const byRule = (
  curriculum: Curriculum,
  stage: Stage,
  { do: decision, to, tutor = OWN_HINT, gives = "hint", hint, reason }: Rule,
  at: string,
  used: Used,
  outcome: (
    decision: CurriculumDecision,
    rule: string,
    more: Partial<Pick<Decision, "to" | "guidance" | "reason">>,
  ) => Decision,
): Decision => {
  const rule = `${at}/when`
  switch (decision) {
    case "PROCEED":
      return outcome(decision, rule, { to: nextOf(curriculum, stage), ...defined({ reason }) })
    case "BRANCH_TO":
      return outcome(decision, rule, { to, ...defined({ reason }) })
    case "FAIL":
      return outcome(decision, rule, defined({ reason }))
    case "REPEAT_STEP":
      return outcome(decision, rule, { to: stage.stage, ...defined({ reason }) })
    case "APPLY_HINT": {
      const listed = curriculum.tutors?.[tutor]?.hints
      const next = gives === "hint" ? listed?.[used.guidance(tutor, gives) % listed.length] : undefined
      const guidance = { tutor, gives, ...defined({ hint: hint ?? next }) }
      return outcome(decision, rule, { to: stage.stage, guidance, ...defined({ reason }) })
    }
  }
}

/** Why a rule may not decide any more, even if it holds. */
const limitOf = (
  { tutors }: Curriculum,
  { do: decision, tutor, gives = "hint", at_most }: Rule,
  at: string,
  used: Used,
): string | undefined => {
  if (at_most !== undefined && used.rule(`${at}/when`) >= at_most) return `at_most ${at_most}: it has decided as often`
  if (decision !== "APPLY_HINT" || tutor === undefined) return undefined
  const most = mostOf(tutors?.[tutor], gives)
  if (used.guidance(tutor, gives) >= most) return `the budget of ${tutor}: it has given ${most} of ${most} (${gives})`
  return used.isSpent(tutor) ? `${tutor} has spent its tokens or dollars` : undefined
}

const verdictOf = (
  path: string,
  source: string,
  context: Criterion.CriterionContext,
  limit: string | undefined,
): CriterionVerdict => {
  const about = { path, rule: source, digest: digest(source) }
  // Decoding has compiled it.
  const result = Either.getOrThrowWith(Criterion.compile(source), (reason) => new Error(reason)).evaluate(context)
  if (result.result === "held" && limit !== undefined) return { ...about, result: "used up", reason: limit }
  return { ...about, ...result }
}

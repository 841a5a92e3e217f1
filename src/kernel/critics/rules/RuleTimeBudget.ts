/** Limits the time of expensive rules in a scoring. */

import { runWithTimeout, TookTooLong } from "../../../platform/runWithTimeout.ts"
import type { Rule, RuleContext, RuleResult } from "../../rules/Rule.ts"

export interface Evaluation {
  readonly rule: Rule
  readonly context: RuleContext
}

/** Time limit of one evaluation, in milliseconds. */
const EVALUATION_MS = 250

/** Milliseconds of an evaluation that its rule gets free. */
const FREE_MS = 1

/** Charged milliseconds above which one rule is disabled, and the limit for all rules of a scoring together. */
const RULE_MS = 1_000
const SCORING_MS = 10_000

const SHORT_MS = 25

/**
 * A leaky bucket for each rule: an evaluation adds its duration minus 1 ms, so faster evaluations drain it. A rule is
 * disabled above 1,000 ms or, once all rules together exceed 10,000 ms, above 25 ms, so that every scoring ends. One
 * evaluation is aborted at 250 ms.
 *
 * Evaluations run in batches under one watchdog, which costs 0.1 ms.
 */
export const make = (): ((evaluations: ReadonlyArray<Evaluation>) => ReadonlyArray<RuleResult>) => {
  const buckets = new Map<Rule, number>()
  const disabled = new Map<Rule, string>()
  let total = 0

  const isExhausted = () => total > SCORING_MS

  const charge = (rule: Rule, tookMs: number): void => {
    const before = buckets.get(rule) ?? 0
    const level = Math.max(0, before + tookMs - FREE_MS)
    if (level === before) return
    buckets.set(rule, level)
    total += level - before
    if (level > (isExhausted() ? SHORT_MS : RULE_MS)) disabled.set(rule, isExhausted() ? TOTAL_EXCEEDED : RULE_EXCEEDED)
  }

  return (evaluations) => {
    const verdicts: Array<RuleResult> = []
    let startedAt = 0
    const evaluateRest = () => {
      for (
        let evaluation = evaluations[verdicts.length];
        evaluation !== undefined;
        evaluation = evaluations[verdicts.length]
      ) {
        const { rule, context } = evaluation
        const reason = disabled.get(rule)
        if (reason === undefined) {
          startedAt = performance.now()
          const verdict = rule.evaluate(context)
          charge(rule, performance.now() - startedAt)
          verdicts.push(verdict)
        } else verdicts.push({ kind: "broken", reason })
      }
    }
    while (verdicts.length < evaluations.length) {
      const limitMs = isExhausted() ? SHORT_MS : EVALUATION_MS
      const before = verdicts.length
      try {
        runWithTimeout(evaluateRest, limitMs)
      } catch (cause) {
        if (!(cause instanceof TookTooLong)) throw cause
        // The aborted evaluation shared the watchdog. Unless it was the first, it gets another try with the whole time
        // limit.
        const stopped = evaluations[verdicts.length]
        if (stopped === undefined || verdicts.length > before) continue
        charge(stopped.rule, performance.now() - startedAt)
        verdicts.push({ kind: "broken", reason: isExhausted() ? TOTAL_EXCEEDED : cause.message })
      }
    }
    return verdicts
  }
}

const RULE_EXCEEDED = "it was given up, for it took too long again and again"
const TOTAL_EXCEEDED = `it was given up, for the rules of this scoring took more than ${SCORING_MS / 1_000} s together`

import { runWithTimeout, TookTooLong } from "../../../platform/runWithTimeout.ts"
import type { Rule, RuleContext, RuleResult } from "../../rules/Rule.ts"

/** A rule that is to look at a moment. */
export interface Evaluation {
  readonly rule: Rule
  readonly moment: RuleContext
}

/** How long a rule may look at one moment, in milliseconds. */
const LOOK_MS = 250

/** What a look may take without being held against its rule, in milliseconds. */
const FREE_MS = 1

/** Milliseconds beyond what is free after which one rule is given up, and after which the rules of a scoring are. */
const RULE_MS = 1_000
const SCORING_MS = 10_000

/** How long a look may take once the rules of a scoring have used up what they have together. */
const SHORT_MS = 25

/**
 * Evaluates rules that may take long, and stops those that do. What a look takes beyond a millisecond is a debt of its
 * rule, which quicker looks pay off; a rule that owes a second is given up. All rules of a scoring together may owe ten:
 * from then on each one is given up at its first long look, so that a scoring ends however many of them there are.
 *
 * A watch over time costs a tenth of a millisecond: many looks are taken under one.
 */
export const make = (): ((looks: ReadonlyArray<Evaluation>) => ReadonlyArray<RuleResult>) => {
  const debts = new Map<Rule, number>()
  const givenUp = new Map<Rule, string>()
  let together = 0

  const isShort = () => together > SCORING_MS

  const charge = (rule: Rule, tookMs: number): void => {
    const before = debts.get(rule) ?? 0
    const debt = Math.max(0, before + tookMs - FREE_MS)
    if (debt === before) return
    debts.set(rule, debt)
    together += debt - before
    if (debt > (isShort() ? SHORT_MS : RULE_MS)) givenUp.set(rule, isShort() ? TOGETHER : AGAIN)
  }

  return (looks) => {
    const verdicts: Array<RuleResult> = []
    let startedAt = 0
    const lookOn = () => {
      for (let look = looks[verdicts.length]; look !== undefined; look = looks[verdicts.length]) {
        const { rule, moment } = look
        const reason = givenUp.get(rule)
        if (reason === undefined) {
          startedAt = performance.now()
          const verdict = rule.evaluate(moment)
          charge(rule, performance.now() - startedAt)
          verdicts.push(verdict)
        } else verdicts.push({ kind: "broken", reason })
      }
    }
    while (verdicts.length < looks.length) {
      const limitMs = isShort() ? SHORT_MS : LOOK_MS
      const before = verdicts.length
      try {
        runWithTimeout(lookOn, limitMs)
      } catch (cause) {
        if (!(cause instanceof TookTooLong)) throw cause
        // The one that was stopped gets all of the time for itself, unless it has had it.
        const stopped = looks[verdicts.length]
        if (stopped === undefined || verdicts.length > before) continue
        charge(stopped.rule, performance.now() - startedAt)
        verdicts.push({ kind: "broken", reason: isShort() ? TOGETHER : cause.message })
      }
    }
    return verdicts
  }
}

const AGAIN = "it was given up, for it took too long again and again"
const TOGETHER = `it was given up, for the rules of this scoring took more than ${SCORING_MS / 1_000} s together`

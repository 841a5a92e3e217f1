/** Evaluates one rule over the events of one task, and derives its verdict. */

import { Either } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { Rule, RuleContext, RuleResult } from "../../rules/Rule.ts"
import { amountOf, isRepeatable, NO_STEP, type Verdict } from "../Verdict.ts"
import type { Missed, MissingPaths } from "./MissingPaths.ts"
import type { IndexedRule } from "./RuleIndex.ts"
import type { Evaluation } from "./RuleTimeBudget.ts"

export interface TaskLength {
  readonly events: number
  readonly steps: number
}

export interface RuleEvaluator {
  /** For a rule about events: called with each event at which it may hold. */
  readonly onEvent: (context: RuleContext) => void
  /** For a rule about state: called with each event that changed a path that it reads. */
  readonly evaluate: (context: RuleContext) => void
  readonly decide: (length: TaskLength, missing: MissingPaths) => ReadonlyArray<Verdict>
}

/** Slow rules are queued, and evaluated when the queue is flushed before the decision. */
export const start = (indexed: IndexedRule, queue: EvaluationQueue): RuleEvaluator =>
  Either.match(indexed.rule, {
    onLeft: (reason) => unscored(indexed, reason),
    onRight: (rule) => new ActiveEvaluator(indexed, rule, queue),
  })

const unscored = ({ measure, name }: IndexedRule, reason: string): RuleEvaluator => ({
  onEvent: () => undefined,
  evaluate: () => undefined,
  decide: () => [{ measure, name, kind: "unscored", reason }],
})

class ActiveEvaluator implements RuleEvaluator {
  readonly #indexed: IndexedRule
  readonly #rule: Rule
  readonly #queue: EvaluationQueue
  readonly #because: Array<number> = []
  readonly #seen: Array<unknown> = []
  #verdict: RuleResult | undefined
  #broken: string | undefined
  #absent: string | undefined
  /** Missing paths by their text: for each event, those that would each have decided the rule. */
  readonly #missing = new Map<string, Missed>()
  #shown = 0
  #compared = false
  #evaluated = false

  constructor(indexed: IndexedRule, rule: Rule, queue: EvaluationQueue) {
    this.#indexed = indexed
    this.#rule = rule
    this.#queue = queue
  }

  onEvent(context: RuleContext): void {
    this.#shown += 1
    if (this.#isDecided()) return
    const { event } = context
    const changed = this.#rule.inputsChanged(context, this.#seen) || !this.#compared
    this.#compared = true
    if (changed) this.evaluate(context)
    // With unchanged inputs the last result counts again.
    else if (this.#rule.slow) this.#queue.add({ evaluator: this, event, context: undefined })
    else this.take(this.#verdict, event)
  }

  evaluate(context: RuleContext): void {
    if (this.#isDecided()) return
    const { event } = context
    if (this.#rule.slow) this.#queue.add({ evaluator: this, event, context })
    else this.take(this.#rule.evaluate(context), event)
  }

  take(verdict: RuleResult | undefined, event: Event): void {
    const { position } = event
    const heldBefore = this.#verdict?.kind === "held" && this.#verdict.value
    this.#verdict = verdict
    if (verdict === undefined || this.#isDecided()) return
    if (verdict.kind === "broken") this.#broken = `at @${position}: ${verdict.reason}`
    if (verdict.kind === "absent") {
      this.#absent = verdict.reason
      this.#missing.set(verdict.reads.map(({ text }) => text).join("\n"), { reads: verdict.reads, event })
    }
    if (verdict.kind !== "held") return
    this.#evaluated = true
    if (verdict.value && (this.#rule.mentionsEvent || !heldBefore)) this.#because.push(position)
  }

  get rule(): Rule {
    return this.#rule
  }

  get verdict(): RuleResult | undefined {
    return this.#verdict
  }

  decide({ events, steps }: TaskLength, missing: MissingPaths): ReadonlyArray<Verdict> {
    const { measure, name, kind, weight } = this.#indexed
    const because = this.#because
    if (this.#broken !== undefined) {
      return [{ measure, name, kind: "unscored", reason: `its rule broke ${this.#broken}` }]
    }
    const never = because.length > 0 ? undefined : missing.neverExisted([...this.#missing.values()])
    if (never !== undefined) return [{ measure, name, kind: "unscored", reason: never }]
    // At events of other types, which it did not see, the rule is false. That counts as an evaluation.
    const evaluated = this.#evaluated || (this.#rule.types !== undefined && this.#shown < events)
    if (!evaluated && this.#absent !== undefined) {
      return [{ measure, name, kind: "unscored", reason: `its rule never found what it looks at: ${this.#absent}` }]
    }
    if (because.length === 0) return []
    const amount = amountOf(this.#indexed, because.length, steps)
    if (amount === undefined) return [{ measure, name, kind: "unscored", reason: NO_STEP }]
    return [{ measure, name, kind, weight, amount, because }]
  }

  #isDecided(): boolean {
    return this.#broken !== undefined || (!isRepeatable(this.#indexed) && this.#because.length > 0)
  }
}

export interface EvaluationQueue {
  readonly add: (waiting: Waiting) => void
  readonly flush: () => void
}

interface Waiting {
  readonly evaluator: ActiveEvaluator
  readonly event: Event
  /** Undefined if no path that the rule reads has changed: its last result applies. */
  readonly context: RuleContext | undefined
}

/** Maximum number of waiting evaluations, which keep their events in memory. */
const MAX_WAITING = 4_000

export const makeQueue = (
  evaluateAll: (evaluations: ReadonlyArray<Evaluation>) => ReadonlyArray<RuleResult>,
): EvaluationQueue => {
  let waiting: Array<Waiting> = []
  const flush = () => {
    const evaluations = waiting.flatMap(({ evaluator: { rule }, context }) =>
      context === undefined ? [] : [{ rule, context }],
    )
    const verdicts = evaluations.length === 0 ? [] : evaluateAll(evaluations)
    let next = 0
    for (const { evaluator, event, context } of waiting) {
      evaluator.take(context === undefined ? evaluator.verdict : verdicts[next++], event)
    }
    waiting = []
  }
  const add = (entry: Waiting) => {
    const { context, evaluator, event } = entry
    // The next event changes the counts.
    const kept = context !== undefined && evaluator.rule.mentions.has("counts")
    waiting.push(kept ? { evaluator, event, context: { ...context, counts: new Map(context.counts) } } : entry)
    if (waiting.length >= MAX_WAITING) flush()
  }
  return { add, flush }
}

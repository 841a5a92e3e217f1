import { Either } from "effect"
import type { Rule, RuleContext, RuleResult } from "../../rules/Rule.ts"
import { type Judgement, round } from "../Judgement.ts"
import type { IndexedRule } from "./RuleIndex.ts"
import type { Evaluation } from "./RuleTimeBudget.ts"

/** Follows one reward or punishment through one task. */
export interface RuleEvaluator {
  /** Of a rule about events: is shown every event at which it may hold. */
  readonly see: (moment: RuleContext) => void
  /** Of a rule about no event: is shown every moment at which something is another that it looks at. */
  readonly look: (moment: RuleContext) => void
  /** What came of it, once the task has had so many events. */
  readonly decide: (events: number) => ReadonlyArray<Judgement>
}

/** Begins to follow. Rules that may take long are looked at when the queue is settled, before anything is decided. */
export const start = (criterion: IndexedRule, queue: Queue): RuleEvaluator =>
  Either.match(criterion.rule, {
    onLeft: (reason) => unscored(criterion, reason),
    onRight: (rule) => new Following(criterion, rule, queue),
  })

const unscored = ({ measure, name }: IndexedRule, reason: string): RuleEvaluator => ({
  see: () => undefined,
  look: () => undefined,
  decide: () => [{ measure, name, kind: "unscored", reason }],
})

class Following implements RuleEvaluator {
  readonly #criterion: IndexedRule
  readonly #rule: Rule
  readonly #queue: Queue
  readonly #because: Array<number> = []
  readonly #seen: Array<unknown> = []
  #verdict: RuleResult | undefined
  #broken: string | undefined
  #absent: string | undefined
  /** Moments that it was shown. */
  #shown = 0
  #looked = false
  #evaluated = false

  constructor(criterion: IndexedRule, rule: Rule, queue: Queue) {
    this.#criterion = criterion
    this.#rule = rule
    this.#queue = queue
  }

  see(moment: RuleContext): void {
    this.#shown += 1
    if (this.#isDecided()) return
    const { position } = moment.event
    const anew = this.#rule.looksAnew(moment, this.#seen) || !this.#looked
    this.#looked = true
    if (anew) this.look(moment)
    // It is shown what it was shown before: its verdict stands, and counts again.
    else if (this.#rule.slow) this.#queue.add({ tracker: this, position, moment: undefined })
    else this.take(this.#verdict, position)
  }

  look(moment: RuleContext): void {
    if (this.#isDecided()) return
    const { position } = moment.event
    if (this.#rule.slow) this.#queue.add({ tracker: this, position, moment })
    else this.take(this.#rule.evaluate(moment), position)
  }

  /** Takes the verdict about the event at a position. */
  take(verdict: RuleResult | undefined, position: number): void {
    const heldBefore = this.#verdict?.kind === "held" && this.#verdict.value
    this.#verdict = verdict
    if (verdict === undefined || this.#isDecided()) return
    if (verdict.kind === "broken") this.#broken = `at @${position}: ${verdict.reason}`
    if (verdict.kind === "absent") this.#absent = verdict.reason
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

  decide(events: number): ReadonlyArray<Judgement> {
    const { measure, name, kind, weight } = this.#criterion
    const because = this.#because
    if (this.#broken !== undefined) {
      return [{ measure, name, kind: "unscored", reason: `its rule broke ${this.#broken}` }]
    }
    // At an event of another type, which it was not shown, the rule is false: that is a verdict.
    const evaluated = this.#evaluated || (this.#rule.types !== undefined && this.#shown < events)
    if (!evaluated && this.#absent !== undefined) {
      return [{ measure, name, kind: "unscored", reason: `its rule never found what it looks at: ${this.#absent}` }]
    }
    if (because.length === 0) return []
    return [{ measure, name, kind, weight, amount: round(weight * because.length), because }]
  }

  #isDecided(): boolean {
    return this.#broken !== undefined || (this.#criterion.per !== "occurrence" && this.#because.length > 0)
  }
}

/** Looks that wait, of all tasks that are judged at the same time. */
export interface Queue {
  readonly add: (waiting: Waiting) => void
  readonly settle: () => void
}

interface Waiting {
  readonly tracker: Following
  readonly position: number
  /** Undefined where all that the rule looks at is as it was: its last verdict stands. */
  readonly moment: RuleContext | undefined
}

/** Looks that wait at most: they keep their events in memory. */
const MAX_WAITING = 4_000

/** A queue whose looks are taken many at a time. */
export const queue = (evaluateAll: (looks: ReadonlyArray<Evaluation>) => ReadonlyArray<RuleResult>): Queue => {
  let waiting: Array<Waiting> = []
  const settle = () => {
    const looks = waiting.flatMap(({ tracker: { rule }, moment }) => (moment === undefined ? [] : [{ rule, moment }]))
    const verdicts = looks.length === 0 ? [] : evaluateAll(looks)
    let next = 0
    for (const { tracker, position, moment } of waiting) {
      tracker.take(moment === undefined ? tracker.verdict : verdicts[next++], position)
    }
    waiting = []
  }
  const add = (look: Waiting) => {
    const { moment, tracker, position } = look
    // What has been counted by now is counted on.
    const kept = moment !== undefined && tracker.rule.mentions.has("counts")
    waiting.push(kept ? { tracker, position, moment: { ...moment, counts: new Map(moment.counts) } } : look)
    if (waiting.length >= MAX_WAITING) settle()
  }
  return { add, settle }
}

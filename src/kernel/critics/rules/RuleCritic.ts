/** The critic that decides rewards by the rules of their rubric. */

import { Effect, Either } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { isStep } from "../../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../../values/Digest.ts"
import type { Rubric } from "../../rules/Rubric.ts"
import * as Rule from "../../rules/Rule.ts"
import type { Critic, Verdict } from "../Critic.ts"
import * as TaskObservation from "../TaskObservation.ts"
import * as Unreadable from "../Unreadable.ts"
import * as ChangedPaths from "./ChangedPaths.ts"
import * as MissingPaths from "./MissingPaths.ts"
import * as RuleEvaluators from "./RuleEvaluators.ts"
import * as RuleIndex from "./RuleIndex.ts"
import * as RuleTimeBudget from "./RuleTimeBudget.ts"
import * as TaskRuleContexts from "./TaskRuleContexts.ts"

export type { Verdict } from "../Critic.ts"

type Identity = Pick<Critic, "name" | "digest" | "exact">

const identified = (name: string, exact: boolean): Identity => ({ name, digest: digest(name), exact })

/** The critic of rules in score sets. Its version must change with the meaning of rules. */
export const EXACT: Identity = identified("rule@4", true)

/**
 * For a rubric with rules that may be slow: a slow machine may abandon a rule, and leave a reward unscored that a
 * faster one scores.
 */
export const TIMED: Identity = identified(`timed-${EXACT.name}`, false)

export const identityOf = (rubric: Rubric): Identity =>
  rubric.measures.some(({ rewards = [], punishments = [] }) => [...rewards, ...punishments].some(mayBeSlow))
    ? TIMED
    : EXACT

const mayBeSlow = ({ rule }: { readonly rule?: string | undefined }): boolean =>
  rule !== undefined && Either.match(Rule.compile(rule), { onLeft: () => false, onRight: ({ slow }) => slow })

/**
 * Judges one task by the rules of a rubric, in one pass over the task's events.
 *
 * - `per: "task"` counts once, at the first event where the rule holds.
 * - `per: "occurrence"` counts, for a rule that mentions `event` or `command`, every event at which it holds; for a
 *   rule about state alone, each change from false to true.
 * - `per: "step"` counts the same, and divides the amount by the commands that the task's agents requested.
 *
 * A missing key makes the rule false for that event. The reward is unscored if it has no rule, if the rule never held
 * and read a path that existed at no moment of the task (see `MissingPaths`), if every evaluation hit a missing key or
 * one threw, or if the rule may depend on unreadable personal data. A reward whose rule was evaluated and never held
 * has no verdict (not a zero).
 *
 * A task ends with its first `TaskClosed`. Later events do not count, so that a later scoring sees the same events as
 * the first.
 */
export const judge = (rubric: Rubric, taskId: string, events: Iterable<Event>): ReadonlyArray<Verdict> => {
  const judge = start(rubric, taskId)
  for (const event of events) judge.observe(event)
  return judge.decide()
}

export interface RuleJudging {
  readonly observe: (event: Event) => void
  readonly decide: () => ReadonlyArray<Verdict>
}

export const of = (rubric: Rubric): Critic => {
  const { stepTypes, start } = prepared(rubric)
  const identity = identityOf(rubric)
  return {
    ...identity,
    stepTypes,
    start: ({ taskId }) => {
      const { observe, decide } = start(taskId)
      return { observe, decide: Effect.sync(decide) }
    },
  }
}

export const start = (rubric: Rubric, taskId: string): RuleJudging => prepare(rubric)(taskId)

/** Compiles a rubric. The returned function starts judging a task; tasks may be judged in turn or concurrently. */
export const prepare = (rubric: Rubric): ((taskId: string) => RuleJudging) => prepared(rubric).start

const prepared = (rubric: Rubric) => {
  const ruleIndex = RuleIndex.of(rubric)
  const queue = RuleEvaluators.makeQueue(RuleTimeBudget.make())
  const start = (taskId: string): RuleJudging => {
    const evaluators = ruleIndex.all.map((indexed) => RuleEvaluators.start(indexed, queue))
    const contexts = TaskRuleContexts.start(taskId, ruleIndex)
    const changedPaths = ChangedPaths.start(ruleIndex.stateRules)
    const missingPaths = MissingPaths.start(ruleIndex.reads)
    const unreadable = Unreadable.start()
    let [events, steps] = [0, 0]
    return {
      observe: (event) => {
        // Judging scores would make a second scoring depend on the first.
        if (!TaskObservation.isJudged(event)) return
        const context = contexts.after(event)
        if (context === undefined) return
        events += 1
        if (isStep(event)) steps += 1
        unreadable.observe(event)
        missingPaths.observe(context)
        for (const index of ruleIndex.at(event.type)) evaluators[index]?.onEvent(context)
        for (const index of changedPaths.at(context)) evaluators[index]?.evaluate(context)
      },
      decide: () => {
        queue.flush()
        const reason = unreadable.reason()
        return evaluators.flatMap((evaluator, index) => {
          const indexed = ruleIndex.all[index]
          return reason !== undefined && indexed !== undefined && isBlind(indexed)
            ? [{ measure: indexed.measure, name: indexed.name, kind: "unscored" as const, reason }]
            : evaluator.decide({ events, steps }, missingPaths)
        })
      },
    }
  }
  return { stepTypes: ruleIndex.stepTypes, start }
}

const isBlind = ({ rule }: RuleIndex.IndexedRule): boolean => Either.isRight(rule) && Unreadable.mayDependOn(rule.right)

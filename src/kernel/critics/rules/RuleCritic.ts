import { Effect } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { digest } from "../../../values/Digest.ts"
import type { Rubric } from "../../rules/Rubric.ts"
import type { Critic, Judgement } from "../Critic.ts"
import * as TaskObservation from "../TaskObservation.ts"
import * as ChangedPaths from "./ChangedPaths.ts"
import * as RuleEvaluators from "./RuleEvaluators.ts"
import * as RuleIndex from "./RuleIndex.ts"
import * as RuleTimeBudget from "./RuleTimeBudget.ts"
import * as TaskRuleContexts from "./TaskRuleContexts.ts"

export type { Judgement } from "../Critic.ts"

/** The name and version under which this critic's score sets are kept. A change of meaning is another version. */
export const CRITIC = "rule@2"

/** Tells score sets of this critic from those of another one, or of another version. */
export const DIGEST = digest(CRITIC)

/**
 * Judges one task by the rules of a rubric: one pass over the task's events, whatever the number of rules.
 *
 * `per: "task"` counts once, at the first event where the rule holds. `per: "occurrence"` counts every event for which a
 * rule that mentions `event` or `command` holds; a rule about state alone counts each time it turns from false to true.
 * A rule that looks at something which is not there yet is false; one that never found what it looks at, or that breaks,
 * leaves its reward unscored, and so does a reward without a rule.
 *
 * The task ends with its first `TaskClosed`: what comes later, such as the outcome of a command that was under way, is not
 * scored, so that a later scoring sees what the first one saw.
 *
 * Answers what was decided: given rewards and punishments, and what could not be scored. What did not happen is silent.
 */
export const judge = (rubric: Rubric, taskId: string, events: Iterable<Event>): ReadonlyArray<Judgement> => {
  const judge = start(rubric, taskId)
  for (const event of events) judge.see(event)
  return judge.decide()
}

/** A judgement under way: it is shown the task's events in order, then asked. */
export interface Judge {
  readonly see: (event: Event) => void
  readonly decide: () => ReadonlyArray<Judgement>
}

/** The critic of a rubric's rules. What has no rule it leaves unscored. */
export const of = (rubric: Rubric): Critic => {
  const start = prepare(rubric)
  return {
    name: CRITIC,
    digest: DIGEST,
    exact: true,
    start: ({ taskId }) => {
      const { see, decide } = start(taskId)
      return { see, decide: Effect.sync(decide) }
    },
  }
}

/** Begins to judge a task. Of many tasks by one rubric, `prepare` it: then its rules are compiled once. */
export const start = (rubric: Rubric, taskId: string): Judge => prepare(rubric)(taskId)

/** A rubric whose rules are compiled: begins to judge one task after another, or many at the same time. */
export const prepare = (rubric: Rubric): ((taskId: string) => Judge) => {
  const criteria = RuleIndex.of(rubric)
  const queue = RuleEvaluators.queue(RuleTimeBudget.make())
  return (taskId) => {
    const trackers = criteria.all.map((criterion) => RuleEvaluators.start(criterion, queue))
    const course = TaskRuleContexts.start(taskId, criteria)
    const changes = ChangedPaths.start(criteria.still)
    let events = 0
    return {
      see: (event) => {
        // A score is no part of what is scored, or a second scoring would see the first.
        if (!TaskObservation.isJudged(event)) return
        const moment = course.after(event)
        if (moment === undefined) return
        events += 1
        for (const index of criteria.at(event.type)) trackers[index]?.see(moment)
        for (const index of changes.at(moment)) trackers[index]?.look(moment)
      },
      decide: () => {
        queue.settle()
        return trackers.flatMap((tracker) => tracker.decide(events))
      },
    }
  }
}

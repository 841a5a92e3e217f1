import { Either } from "effect"
import { digest } from "../events/Digest.ts"
import type { Event } from "../events/Event.ts"
import type { JsonObject } from "../events/Json.ts"
import * as Vocabulary from "../events/Vocabulary.ts"
import type { Reward } from "../plugins/Manifest.ts"
import * as EnvironmentState from "../projections/EnvironmentState.ts"
import { measureName, type Rubric } from "./Rubric.ts"
import * as Rule from "./Rule.ts"

/** What was decided about one reward or punishment of a rubric. */
export type Judgement = {
  readonly measure: string
  readonly name: string
} & (
  | {
      readonly kind: "reward" | "punishment"
      readonly weight: number
      /** weight × occurrences, rounded to 1e-9. */
      readonly amount: number
      /** The position of each occurrence. */
      readonly because: ReadonlyArray<number>
    }
  | { readonly kind: "unscored"; readonly reason: string }
)

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

/** Begins to judge a task. */
export const start = (rubric: Rubric, taskId: string): Judge => {
  const trackers = rubric.measures.flatMap((measure) => [
    ...(measure.rewards ?? []).map((reward) => track(measureName(measure), "reward", reward)),
    ...(measure.punishments ?? []).map((punishment) => track(measureName(measure), "punishment", punishment)),
  ])
  const counts = new Map<string, number>()
  const commands = new Map<string, JsonObject>()
  let state = EnvironmentState.projection.initial
  let task: JsonObject = { id: taskId, goal: "", agent: "", outcome: null }
  let openedAt: number | undefined
  let closed = false

  return {
    see: (event) => {
      // A score is no part of what is scored, or a second scoring would see the first.
      if (closed || SCORING.has(event.type)) return
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
      state = EnvironmentState.projection.evolve(state, event)
      if (Vocabulary.is(event, "TaskOpened")) task = { ...task, goal: event.payload.goal, agent: event.payload.agent }
      if (Vocabulary.is(event, "ActuatorCommanded")) {
        commands.set(event.payload.commandId, { actuator: event.payload.actuator, args: event.payload.args })
      }
      if (Vocabulary.is(event, "TaskClosed")) {
        task = { ...task, outcome: event.payload.outcome }
        closed = true
      }
      openedAt ??= event.recordedAt
      const elapsed = event.recordedAt - openedAt
      const command = commands.get(String(event.payload.commandId)) ?? {}
      const moment = { event, state: EnvironmentState.taskScope(state, taskId), task, command, elapsed, counts }
      for (const tracker of trackers) tracker.see(moment)
    },
    decide: () => trackers.flatMap((tracker) => tracker.decide()),
  }
}

const SCORING = new Set(["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"])

interface Tracker {
  readonly see: (moment: Rule.Moment) => void
  readonly decide: () => ReadonlyArray<Judgement>
}

/** Follows one reward or punishment through a task. */
const track = (measure: string, kind: "reward" | "punishment", reward: Reward): Tracker => {
  const { name, weight } = reward
  const unscored = (reason: string): Tracker => ({
    see: () => undefined,
    decide: () => [{ measure, name, kind: "unscored", reason }],
  })
  if (reward.rule === undefined) return unscored("it has no rule, and no other critic was asked")
  const compiled = Rule.compile(reward.rule)
  if (Either.isLeft(compiled)) return unscored(compiled.left.message)

  const rule = compiled.right
  const because: Array<number> = []
  let broken: string | undefined
  let absent: string | undefined
  let evaluated = false
  let heldBefore = false
  return {
    see: (moment) => {
      if (broken !== undefined || (reward.per !== "occurrence" && because.length > 0)) return
      const verdict = rule.evaluate(moment)
      if (verdict.kind === "broken") broken = `at @${moment.event.position}: ${verdict.reason}`
      if (verdict.kind === "absent") absent = verdict.reason
      if (verdict.kind === "held") evaluated = true
      const holds = verdict.kind === "held" && verdict.value
      if (holds && (rule.mentionsEvent || !heldBefore)) because.push(moment.event.position)
      heldBefore = holds
    },
    decide: () => {
      if (broken !== undefined) return [{ measure, name, kind: "unscored", reason: `its rule broke ${broken}` }]
      if (!evaluated && absent !== undefined) {
        return [{ measure, name, kind: "unscored", reason: `its rule never found what it looks at: ${absent}` }]
      }
      return because.length === 0
        ? []
        : [{ measure, name, kind, weight, amount: round(weight * because.length), because }]
    },
  }
}

/** Sums over decimals are exact to 1e-9. */
export const round = (amount: number): number => Math.round(amount * 1e9) / 1e9

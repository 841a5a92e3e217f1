/** The transitions of a task for reinforcement learning: state, action, reward, next state. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import { type Score, type Share, sharesOf } from "../audit/Scores.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as Projection from "../fold/Projection.ts"
import * as EnvironmentState from "../state/EnvironmentState.ts"

/**
 * The state before a step: the latest readings, and the environment as the log records it. The agent may have observed
 * less.
 */
export interface State {
  readonly readings: { readonly [sensor: string]: Json }
  readonly environment: { readonly [plugin: string]: Json }
}

/** The outcome of a command; `open` if it had none at the end of its task. */
export type Outcome = "succeeded" | "failed" | "denied" | "expired" | "unknown" | "open"

/** One step of a task as a reinforcement-learning transition. */
export interface Transition {
  readonly taskId: string
  readonly timeline: string
  readonly agent: string
  readonly goal: string
  /** The step's index in its task, from 0. */
  readonly step: number
  /** The position of the command. */
  readonly position: number
  /** Milliseconds since 1970-01-01Z. */
  readonly at: number
  readonly state: State
  readonly action: { readonly actuator: string; readonly args: Json }
  readonly outcome: Outcome
  /**
   * Why the result of a successful command is missing; null if it is not. Then `nextState` may lack the command's
   * changes, and `reward` a world's reward.
   */
  readonly unrecorded: string | null
  /** The plugin that settled the command's outcome after a crash; null if no crash left it unknown. */
  readonly settledBy: string | null
  /** Σ amounts of `rewards`, exact to 1e-9. */
  readonly reward: number
  readonly rewards: ReadonlyArray<Share>
  /** The state before the next step; for the last step, the state at the end of the task. */
  readonly nextState: State
  /** Whether this is the last step of a task that ended by itself: `achieved` or `failed`. */
  readonly done: boolean
  /** Whether this is the last step of a task that was stopped from outside: `truncated` or `abandoned`. */
  readonly truncated: boolean
  /** The score set of the rewards; null if the task has no such score. */
  readonly scoreSetId: string | null
}

/** Builds the transitions of a task. Call `add` with the task's own events in order, then `transitions`. */
export interface TransitionBuilder {
  readonly add: (event: Event) => void
  readonly transitions: () => Iterable<Transition>
}

interface Step {
  readonly position: number
  readonly at: number
  readonly action: Transition["action"]
  readonly state: State
  outcome: Outcome
  unrecorded: string | null
  settledBy: string | null
}

/**
 * Starts the transitions of an audited task. A step is an agent's command, and lasts until the next one or the end of
 * the task. A scenario's commands happen within a step.
 *
 * **Rewards.** Each verdict's amount is split over the events that it cites, equally unless the log has an amount for
 * each. A share goes to the step of the command, or of the confirmation's command, that the event names; otherwise to
 * the step of the event's cause, if that is linked to a command; otherwise to the current step. Shares before the first
 * command go to the first step, shares after the close and of verdicts without evidence to the last. So the rewards of
 * a task with steps sum to its net score.
 *
 * **States** are folded from the task's own events. They share unchanged parts, so memory for a long task is
 * proportional to its changes.
 */
export const begin = (audit: TaskAudit, score: Score | null): TransitionBuilder => {
  const environment = Projection.begin(EnvironmentState.projection, EnvironmentState.projection.initial)
  const steps: Array<Step> = []
  const cited = citedBy(score)
  const stepOfCommand = new Map<string, number>()
  const commandOfConfirmation = new Map<string, string>()
  const stepOfEvent = new Map<string, number>()
  const stepOfCited = new Map<number, number>()
  let ended = false
  let lastActor: string | undefined

  /** In a task with several agents, the readings of the acting one. */
  const stateNow = (agentId?: string): State => {
    const scope = EnvironmentState.taskScope(environment.state(), audit.taskId)
    const own = agentId === undefined ? undefined : SafeRecord.get(scope.agents ?? {}, agentId)?.readings
    return {
      readings: own === undefined ? scope.readings : { ...scope.readings, ...own },
      environment: scope.environment,
    }
  }
  const stepOf = (event: Event): number => {
    const { commandId, confirmationId } = event.payload
    if (is(event, "ConfirmationRequested") && event.payload.commandId !== undefined) {
      commandOfConfirmation.set(event.payload.confirmationId, event.payload.commandId)
    }
    const command = typeof commandId === "string" ? commandId : commandOfConfirmation.get(String(confirmationId))
    const commandStep = command === undefined ? undefined : stepOfCommand.get(command)
    const causeStep = event.causationId === null ? undefined : stepOfEvent.get(event.causationId)
    const linked = commandStep ?? causeStep
    if (linked !== undefined) stepOfEvent.set(event.id, linked)
    return linked ?? steps.length - 1
  }
  return {
    add: (event) => {
      if (ended) return
      if (isStep(event)) {
        const { commandId, actuator, args, agentId } = event.payload
        lastActor = agentId
        stepOfCommand.set(commandId, steps.length)
        const { position, occurredAt: at } = event
        steps.push({
          position,
          at,
          action: { actuator, args },
          state: stateNow(agentId),
          outcome: "open",
          unrecorded: null,
          settledBy: null,
        })
      }
      environment.apply(event)
      const step = stepOf(event)
      if (cited.has(event.position)) stepOfCited.set(event.position, step)
      const current = steps[step]
      if (current !== undefined) endBy(current, event)
      if (is(event, "TaskClosed")) ended = true
    },
    transitions: () => {
      const rewards = steps.map((): Array<Share> => [])
      for (const share of sharesIn(score)) {
        const step = share.position === null ? steps.length - 1 : stepAt(share.position)
        rewards[Math.max(0, step)]?.push(share)
      }
      return transitionsOf(audit, score, steps, rewards, stateNow(lastActor))
    },
  }

  function stepAt(position: number): number {
    const known = stepOfCited.get(position)
    if (known !== undefined) return known
    return steps.findLastIndex((step) => step.position <= position)
  }
}

/** The first outcome counts, but an unknown outcome can still become known. */
const outcomeAfter = (before: Outcome, { type }: Event): Outcome => {
  const after = OUTCOMES[type]
  return after !== undefined && (before === "open" || before === "unknown") ? after : before
}

const endBy = (step: Step, event: Event): void => {
  const after = outcomeAfter(step.outcome, event)
  if (after !== step.outcome && is(event, "CommandSucceeded")) {
    step.unrecorded = event.payload.unrecorded?.reason ?? null
    step.settledBy = event.payload.settledBy ?? null
  }
  if (after !== step.outcome && is(event, "CommandFailed")) step.settledBy = event.payload.settledBy ?? null
  step.outcome = after
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  CommandSucceeded: "succeeded",
  CommandFailed: "failed",
  CommandDenied: "denied",
  ConfirmationExpired: "expired",
  CommandOutcomeUnknown: "unknown",
}

const sharesIn = (score: Score | null) => (score === null ? [] : sharesOf(score))

const citedBy = (score: Score | null): ReadonlySet<number> =>
  new Set(sharesIn(score).flatMap(({ position }) => (position === null ? [] : [position])))

function* transitionsOf(
  { taskId, timeline, agent, goal, outcome: end }: TaskAudit,
  score: Score | null,
  steps: ReadonlyArray<Step>,
  rewards: ReadonlyArray<ReadonlyArray<Share>>,
  last: State,
): Generator<Transition> {
  for (const [step, { position, at, action, state, outcome, unrecorded, settledBy }] of steps.entries()) {
    const shares = rewards[step] ?? []
    const isLast = step === steps.length - 1
    yield {
      taskId,
      timeline,
      agent,
      goal,
      step,
      position,
      at,
      state,
      action,
      outcome,
      unrecorded,
      settledBy,
      reward: Sum.of(shares.map(({ amount }) => amount)),
      rewards: shares.map((of) => ({ ...of, amount: Sum.round(of.amount) })),
      nextState: steps[step + 1]?.state ?? last,
      done: isLast && (end === "achieved" || end === "failed"),
      truncated: isLast && (end === "truncated" || end === "abandoned"),
      scoreSetId: score?.scoreSetId ?? null,
    }
  }
}

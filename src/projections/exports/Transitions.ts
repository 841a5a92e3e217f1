import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import { type Score, type Share, sharesOf } from "../audit/Scores.ts"
import * as Sum from "../audit/Sum.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as Projection from "../fold/Projection.ts"
import * as EnvironmentState from "../state/EnvironmentState.ts"

/** What an agent had before it: its latest readings, and the world as the log knows it, of which it may have seen less. */
export interface State {
  readonly readings: { readonly [sensor: string]: Json }
  readonly environment: { readonly [plugin: string]: Json }
}

/** How a command ended; `open` where it had not when its task ended. */
export type Outcome = "succeeded" | "failed" | "denied" | "expired" | "unknown" | "open"

/** One step of a task, as learning from experience takes it: state, action, reward, next state. */
export interface Transition {
  readonly taskId: string
  readonly timeline: string
  readonly agent: string
  readonly goal: string
  /** The step's number in its task, from 0. */
  readonly step: number
  /** Of the command. */
  readonly position: number
  /** ms since 1970-01-01Z */
  readonly at: number
  readonly state: State
  readonly action: { readonly actuator: string; readonly args: Json }
  readonly outcome: Outcome
  /** Σ amounts of `rewards`, exact to 1e-9. */
  readonly reward: number
  readonly rewards: ReadonlyArray<Share>
  /** What there was before the next step; after the last one, when the task ended. */
  readonly nextState: State
  /** The task's last step, and it came to its end: `achieved` or `failed`. */
  readonly done: boolean
  /** The task's last step, and it was stopped from outside: `truncated` or `abandoned`. */
  readonly truncated: boolean
  /** The score set that the rewards are from; null where the task has no such score. */
  readonly scoreSetId: string | null
}

/** A task's transitions in the making. It is shown the task's own events in order, then asked. */
export interface TransitionBuilder {
  readonly take: (event: Event) => void
  readonly transitions: () => Iterable<Transition>
}

interface Step {
  readonly position: number
  readonly at: number
  readonly action: Transition["action"]
  readonly state: State
  outcome: Outcome
}

/**
 * Begins the transitions of an audited task. A step is a command. It reaches from its command to just before the next one, or
 * to the task's end.
 *
 * **Rewards.** A verdict's amount is shared equally by the events that it cites, and each share goes to the step that its event
 * belongs to: the step of the command that the event names, or whose confirmation it names; else that of the event that
 * caused it, where that one hangs together with a command; else the step under way at that position. What comes before the first command goes to the first step; what comes
 * after the close, and a verdict that cites nothing, to the last one. So a task's rewards sum up to its net score, unless it has no
 * step at all.
 *
 * **States** are folded from the task's own events. They share what has not changed, so that a long task is held in memory by
 * its changes.
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

  const stateNow = (): State => {
    const scope = EnvironmentState.taskScope(environment.state(), audit.taskId)
    return { readings: scope.readings, environment: scope.environment }
  }
  const place = (event: Event): number => {
    const { commandId, confirmationId } = event.payload
    if (is(event, "ConfirmationRequested") && event.payload.commandId !== undefined) {
      commandOfConfirmation.set(event.payload.confirmationId, event.payload.commandId)
    }
    const command = typeof commandId === "string" ? commandId : commandOfConfirmation.get(String(confirmationId))
    const own = command === undefined ? undefined : stepOfCommand.get(command)
    const caused = event.causationId === null ? undefined : stepOfEvent.get(event.causationId)
    const linked = own ?? caused
    if (linked !== undefined) stepOfEvent.set(event.id, linked)
    return linked ?? steps.length - 1
  }
  return {
    take: (event) => {
      if (ended) return
      if (is(event, "ActuatorCommanded")) {
        const { commandId, actuator, args } = event.payload
        stepOfCommand.set(commandId, steps.length)
        const { position, recordedAt: at } = event
        steps.push({ position, at, action: { actuator, args }, state: stateNow(), outcome: "open" })
      }
      environment.take(event)
      const step = place(event)
      if (cited.has(event.position)) stepOfCited.set(event.position, step)
      const under = steps[step]
      if (under !== undefined) under.outcome = outcomeAfter(under.outcome, event)
      if (is(event, "TaskClosed")) ended = true
    },
    transitions: () => {
      const rewards = steps.map((): Array<Share> => [])
      for (const given of sharesIn(score)) {
        const step = given.position === null ? steps.length - 1 : stepAt(given.position)
        rewards[Math.max(0, step)]?.push(given)
      }
      return finished(audit, score, steps, rewards, stateNow())
    },
  }

  function stepAt(position: number): number {
    const known = stepOfCited.get(position)
    if (known !== undefined) return known
    return steps.findLastIndex((step) => step.position <= position)
  }
}

/** The first ending counts, but an unknown outcome may still become known. */
const outcomeAfter = (before: Outcome, { type }: Event): Outcome => {
  const after = OUTCOMES[type]
  return after !== undefined && (before === "open" || before === "unknown") ? after : before
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

function* finished(
  { taskId, timeline, agent, goal, outcome: end }: TaskAudit,
  score: Score | null,
  steps: ReadonlyArray<Step>,
  rewards: ReadonlyArray<ReadonlyArray<Share>>,
  last: State,
): Generator<Transition> {
  for (const [step, { position, at, action, state, outcome }] of steps.entries()) {
    const given = rewards[step] ?? []
    const isLast = step === steps.length - 1
    yield {
      ...{ taskId, timeline, agent, goal, step, position, at, state, action, outcome },
      reward: Sum.of(given.map(({ amount }) => amount)),
      rewards: given.map((of) => ({ ...of, amount: Sum.round(of.amount) })),
      nextState: steps[step + 1]?.state ?? last,
      done: isLast && (end === "achieved" || end === "failed"),
      truncated: isLast && (end === "truncated" || end === "abandoned"),
      scoreSetId: score?.scoreSetId ?? null,
    }
  }
}

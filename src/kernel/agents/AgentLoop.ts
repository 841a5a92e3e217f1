/** Runs an agent on an open task until it is done or out of steps. */

import { Effect, Runtime } from "effect"
import { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as Pcg32 from "../../values/random/Pcg32.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"
import type { ActError, CommandOutcome } from "../acting/CommandExecution.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import type { PerceiveError, PerceiveOptions } from "../sensing/Perception.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import type { Input } from "../tasks/Inputs.ts"
import type { Task } from "../tasks/Task.ts"
import type { RunResult } from "./Agent.ts"
import * as Agent from "./Agent.ts"
import * as EpisodeEnd from "./EpisodeEnd.ts"

export type { RunResult } from "./Agent.ts"

export const MAX_STEPS = 100

/** `deadlineMs` applies to each step of an agent that decides; an advancing agent passes its own to `perceive`. */
export interface LoopOptions extends Pick<PerceiveOptions, "deadlineMs"> {
  /** Default: 100. */
  readonly maxSteps?: number
}

export const loopFields = {
  maxSteps: Options.wholeNumber(1, 1_000_000_000),
  deadlineMs: Options.MillisecondsOrNone,
}

type LoopError = Agent.AgentFailed | TaskClosed | ActError | PerceiveError

/**
 * Repeats perceive, decide, act. The log records each decision with the events that it was based on, and as the cause
 * of the events that follow from it.
 */
export const loop = (agent: Agent.Agent, task: Task, options: LoopOptions): Effect.Effect<RunResult, LoopError> =>
  agent.conductedBy === undefined
    ? work(agent, task, options)
    : Effect.flatMap(agent.conductedBy(task), (conducted) =>
        Effect.flatMap(
          Effect.exit(work(agent, conducted.task, options)),
          (worked): Effect.Effect<RunResult, LoopError> => {
            // Once the conductor has ended the run, the agent's own result does not count.
            const ended = conducted.ended()
            return ended === undefined ? worked : Effect.succeed(ended)
          },
        ),
      )

const work = (agent: Agent.Agent, task: Task, options: LoopOptions): Effect.Effect<RunResult, LoopError> =>
  "decide" in agent ? decideLoop(agent, task, options) : advanceLoop(agent, task, options)

const OUT_OF_STEPS = (steps: number): RunResult => ({
  outcome: "truncated",
  reason: `it was not done within ${steps} ${steps === 1 ? "step" : "steps"}`,
  steps,
})

const advanceLoop = (
  agent: Agent.AdvancingAgent,
  task: Task,
  { maxSteps = MAX_STEPS }: LoopOptions,
): Effect.Effect<RunResult, LoopError> =>
  Effect.gen(function* () {
    const agentTask = agentTaskOf(task)
    for (let step = 0; step < maxSteps; step++) {
      const continues = yield* Effect.mapError(Agent.advance(agent, agentTask), (cause) =>
        isStopped(cause) ? cause : Agent.failure(agent, cause),
      )
      const ended = agentTask.ended()
      if (ended !== undefined) return { ...ended, steps: step + 1 }
      if (!continues) return { outcome: "achieved", steps: step + 1 }
    }
    return OUT_OF_STEPS(maxSteps)
  })

/** Whether an agent failed only because its task was cancelled or suspended. */
const isStopped = (cause: unknown): cause is TaskClosed | LeaseLost =>
  cause instanceof TaskClosed
    ? cause.because !== undefined
    : cause instanceof LeaseLost && cause.suspended !== undefined

const agentTaskOf = (task: Task): Agent.AgentTask & { readonly ended: () => EpisodeEnd.EpisodeEnd | undefined } => {
  const numbers = Pcg32.make(task.seed)
  let now = 0
  let ended: EpisodeEnd.EpisodeEnd | undefined
  const advanceClock = (events: ReadonlyArray<Event>) =>
    Effect.sync(() => {
      for (const { recordedAt } of events) now = Math.max(now, recordedAt)
    })
  return {
    ...task,
    random: () => numbers.number(),
    now: () => now,
    inputs: (options) => Effect.tap(task.inputs(options), (inputs) => advanceClock(inputs.map(({ event }) => event))),
    perceive: (options) =>
      Effect.tap(task.perceive(options), (readings) => advanceClock(readings.map(({ event }) => event))),
    act: (...command) =>
      Effect.tap(task.act(...command), (outcome) =>
        Effect.gen(function* () {
          yield* advanceClock([outcome.event])
          if (EpisodeEnd.mayEnd(outcome)) ended ??= EpisodeEnd.of(yield* task.capabilities(), outcome)
        }),
      ),
    ended: () => ended,
  }
}

const decideLoop = (
  agent: Agent.DecidingAgent,
  task: Task,
  { maxSteps = MAX_STEPS, deadlineMs }: LoopOptions,
): Effect.Effect<RunResult, LoopError> =>
  Effect.gen(function* () {
    const numbers = Pcg32.make(task.seed)
    const runPromise = Runtime.runPromise(yield* Effect.runtime())
    const consult: Agent.DecisionContext["consult"] = (question, answering) =>
      runPromise(task.consult(question, Effect.tryPromise({ try: answering, catch: (cause) => cause })))
    const past: Array<Agent.PastDecision> = []
    let last: CommandOutcome | undefined
    for (let step = 0; step < maxSteps; step++) {
      const inputs = yield* task.inputs()
      const readings = yield* task.perceive(deadlineMs === undefined ? {} : { deadlineMs })
      const basedOn = evidence(inputs, readings, last)
      let history: Agent.DecisionContext["history"] | undefined
      const { guides: _, ...capabilities } = yield* task.capabilities()
      const choice = yield* Agent.decide(agent, {
        taskId: task.id,
        goal: task.goal,
        step,
        readings: Object.fromEntries(readings.map(({ sensor, reading }) => [sensor, reading])),
        inputs: inputs.map(({ source, content, delivery }) => ({ source, content, delivery })),
        lastOutcome: last === undefined ? null : withoutPlace(last),
        get history() {
          history ??= Object.freeze(past.slice(0, step))
          return history
        },
        ...capabilities,
        random: () => numbers.number(),
        now: basedOn.at(-1)?.recordedAt ?? 0,
        consult,
      })
      const { rationale, ...chosen } = { rationale: undefined, ...choice }
      const decided = asJsonObject(chosen)
      const decision = {
        agent: Agent.fullName(agent),
        choice: decided,
        basedOn,
        ...defined({ rationale }),
      }
      if ("done" in choice) {
        yield* task.decided(decision)
        return {
          outcome: choice.done,
          steps: step + 1,
          ...defined({ reason: choice.reason }),
        }
      }
      const { id: causationId } = yield* task.deciding(decision)
      const choiceMade = frozen(decided)
      if ("say" in choice) {
        const audience = choice.to === undefined ? {} : { audience: choice.to }
        yield* task.say(choice.say, { causationId, ...audience })
        past.push(Object.freeze({ step, choice: choiceMade, outcome: null }))
      } else {
        last = yield* task.act(choice.act, choice.args ?? {}, { causationId })
        past.push(Object.freeze({ step, choice: choiceMade, outcome: frozen(withoutPlace(last)) }))
        const ended = EpisodeEnd.of(capabilities, last)
        if (ended !== undefined) return { ...ended, steps: step + 1 }
      }
    }
    return OUT_OF_STEPS(maxSteps)
  })

const evidence = (
  inputs: ReadonlyArray<Input>,
  readings: ReadonlyArray<Reading>,
  last: CommandOutcome | undefined,
): ReadonlyArray<Event> =>
  [...(last === undefined ? [] : [last.event]), ...[...inputs, ...readings].map(({ event }) => event)].sort(
    (a, b) => a.position - b.position,
  )

const frozen = <Value extends object>(value: Value): Value => freeze(structuredClone(value))

const freeze = <Value extends object>(value: Value): Value => {
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) freeze(part)
  return Object.freeze(value)
}

const isJsonObject = SchemaPredicate.is(JsonObject)

const asJsonObject = (chosen: object): JsonObject => {
  if (isJsonObject(chosen)) return chosen
  throw new Error("an agent's choice is no longer JSON")
}

const withoutPlace = ({ event: _event, commandId: _commandId, ...outcome }: CommandOutcome): Agent.LastOutcome =>
  outcome

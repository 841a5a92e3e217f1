import { type Context, Effect, Schema } from "effect"
import { PCGRandom } from "effect/Utils"
import type { Event } from "../events/Event.ts"
import type { AppendError, LogError } from "../events/EventLog.ts"
import { JsonObject } from "../events/Json.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import { actuatorsOf } from "../plugins/Manifest.ts"
import * as Keyed from "../projections/Keyed.ts"
import { activeActuators } from "../projections/PluginRegistry.ts"
import type { ActError, CommandOutcome } from "./Actuation.ts"
import * as Agent from "./Agent.ts"
import type { TaskClosed } from "./Life.ts"
import type { Reading } from "./Perception.ts"
import { manifestOf, type Registry } from "./Registry.ts"
import type { Task } from "./Task.ts"

/** How a run of an agent ended. */
export interface Ended {
  readonly outcome: TaskOutcome
  readonly reason?: string
  /** Decisions made, or calls of `advance`. */
  readonly steps: number
}

/** Steps an agent may take where nobody says otherwise. */
export const MAX_STEPS = 100

type LoopError = Agent.AgentFailed | TaskClosed | ActError | AppendError | LogError

/**
 * Lets an agent work on an open task: perceive, decide, act, again and again, until it is done or out of steps.
 * Every decision is recorded with what it was based on, and is the cause of what follows from it.
 */
export const loop = (
  agent: Agent.Agent,
  task: Task,
  registry: Context.Tag.Service<Registry>,
  maxSteps: number,
  plugins: ReadonlyArray<string> | undefined,
): Effect.Effect<Ended, LoopError> =>
  "decide" in agent ? decideLoop(agent, task, registry, maxSteps, plugins) : advanceLoop(agent, task, maxSteps)

const OUT_OF_STEPS = (steps: number): Ended => ({
  outcome: "truncated",
  reason: `it was not done within ${steps} ${steps === 1 ? "step" : "steps"}`,
  steps,
})

const advanceLoop = (agent: Agent.AdvancingAgent, task: Task, maxSteps: number): Effect.Effect<Ended, LoopError> =>
  Effect.gen(function* () {
    for (let step = 0; step < maxSteps; step++) {
      const goOn = yield* Effect.mapError(agent.advance(task), (cause) => Agent.failure(agent, cause))
      if (!goOn) return { outcome: "achieved", steps: step + 1 }
    }
    return OUT_OF_STEPS(maxSteps)
  })

const decideLoop = (
  agent: Agent.DecidingAgent,
  task: Task,
  registry: Context.Tag.Service<Registry>,
  maxSteps: number,
  plugins: ReadonlyArray<string> | undefined,
): Effect.Effect<Ended, LoopError> =>
  Effect.gen(function* () {
    const numbers = new PCGRandom(task.seed)
    let last: CommandOutcome | undefined
    for (let step = 0; step < maxSteps; step++) {
      const readings = yield* task.perceive()
      const basedOn = evidence(readings, last)
      const choice = yield* Agent.decide(agent, {
        goal: task.goal,
        step,
        readings: Object.fromEntries(readings.map(({ sensor, reading }) => [sensor, reading])),
        lastOutcome: last === undefined ? null : withoutPlace(last),
        actuators: yield* capabilities(registry, plugins),
        random: () => numbers.number(),
        now: basedOn.at(-1)?.recordedAt ?? 0,
      })
      const { rationale, ...chosen } = { rationale: undefined, ...choice }
      const decision = yield* task.decided({
        agent: Agent.fullName(agent),
        choice: Schema.decodeUnknownSync(JsonObject)(chosen),
        basedOn,
        ...(rationale === undefined ? {} : { rationale }),
      })
      if ("done" in choice) {
        return {
          outcome: choice.done,
          steps: step + 1,
          ...(choice.reason === undefined ? {} : { reason: choice.reason }),
        }
      }
      if ("say" in choice) yield* task.say(choice.say, { causationId: decision.id })
      else last = yield* task.act(choice.act, choice.args ?? {}, { causationId: decision.id })
    }
    return OUT_OF_STEPS(maxSteps)
  })

/** What a decision is based on, oldest first. */
const evidence = (readings: ReadonlyArray<Reading>, last: CommandOutcome | undefined): ReadonlyArray<Event> =>
  [...(last === undefined ? [] : [last.event]), ...readings.map(({ event }) => event)].sort(
    (a, b) => a.position - b.position,
  )

const withoutPlace = ({ event: _event, commandId: _commandId, ...outcome }: CommandOutcome): Agent.LastOutcome =>
  outcome

/** What the agent can do now: the active actuators, as their manifests describe them. */
const capabilities = (registry: Context.Tag.Service<Registry>, plugins: ReadonlyArray<string> | undefined) =>
  Effect.gen(function* () {
    const state = yield* registry.state
    const active = activeActuators(state).filter(({ plugin }) => plugins === undefined || plugins.includes(plugin))
    return active.map(({ name, plugin, component }): Agent.Capability => {
      const found = Keyed.get(state, plugin)
      const actuators = found === undefined ? [] : actuatorsOf(manifestOf(found))
      const declared = actuators.find((actuator) => actuator.name === component)
      return {
        name,
        description: declared?.description ?? "",
        ...(declared?.args === undefined ? {} : { args: declared.args }),
        ...(declared?.risk === undefined ? {} : { risk: declared.risk }),
      }
    })
  })

/** The trajectory of a world's episode: observations, actions, rewards and flags, as reinforcement learning reads them. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import { type Json, type JsonObject, valueAt } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"

/** A step that the world carried out. */
export interface TrajectoryStep {
  /** The position of its command. */
  readonly position: number
  readonly action: Json
  readonly reward: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly info: JsonObject
  /** The observation after it. */
  readonly observation: Json
}

/** An episode of one agent in one world, from its reset to its end. */
export interface Trajectory {
  readonly taskId: string
  readonly timeline: string
  /** `name@version`. */
  readonly agent: string
  readonly goal: string
  /** The plugin whose environment is the world. */
  readonly world: string
  /** Null if the seed alone does not repeat the episode. */
  readonly seed: number | null
  readonly options: JsonObject
  /** The spaces of this episode, where the world states them for each; otherwise those of its manifest apply. */
  readonly spaces: { readonly observation: Json; readonly action: Json } | null
  /** The observation after the reset. */
  readonly first: Json
  /** The information after the reset. */
  readonly info: JsonObject
  readonly steps: ReadonlyArray<TrajectoryStep>
}

/** A task that has no trajectory, and why. */
export interface NoTrajectory {
  readonly taskId: string
  readonly reason: Reason
}

/** Why a task has no trajectory. */
export type Reason =
  | "no world"
  | "still open"
  | "several agents"
  | "no step"
  | "a step whose outcome is unknown"
  | "a step without an observation after it"
  | "a reward that is no number"
  | "several resets"

/** Builds the trajectory of a task. Call `add` with the task's own events in order, then `end`. */
export interface TrajectoryBuilder {
  readonly add: (event: Event) => void
  readonly end: () => Trajectory | NoTrajectory
}

/** Narrows what a builder returned. */
export const isTrajectory = (ended: Trajectory | NoTrajectory): ended is Trajectory => "steps" in ended

type Building = { -readonly [Key in keyof TrajectoryStep]: TrajectoryStep[Key] }

/** A command on its way, or carried out. Its observation is the last reading before the next command. */
interface Pending {
  readonly commandId: string
  readonly position: number
  readonly action: Json
}

/**
 * Starts a trajectory. A command that the world refused is no step: the world is as it was. If the task was stopped
 * from outside, its last step counts as truncated.
 */
export const begin = (taskId: string): TrajectoryBuilder => {
  let opened: { readonly agent: string; readonly goal: string; readonly timeline: string } | undefined
  let reset: { readonly world: string; readonly seed: number | null; readonly options: JsonObject } | undefined
  let spaces: Trajectory["spaces"] = null
  let info: JsonObject = {}
  let first: { readonly observation: Json } | undefined
  let pending: Pending | undefined
  let isAwaiting = false
  let closed: string | undefined
  let flaw: Reason | undefined
  const steps: Array<Building> = []
  const blame = (reason: Reason) => {
    flaw ??= reason
  }

  const take = (event: Event): void => {
    if (is(event, "TaskOpened")) {
      const { agent, goal } = event.payload
      opened = { agent, goal, timeline: event.timeline }
    } else if (is(event, "EnvironmentReset")) {
      if (reset !== undefined) {
        blame("several resets")
        return
      }
      const { plugin, seed, options, state, agents } = event.payload
      const isContinued = (event.payload as { readonly continued?: boolean }).continued === true
      if ((agents?.length ?? 1) > 1) blame("several agents")
      const episode = valueAt(state, ["episode"])
      const ofAgents = Object.values(asObject(valueAt(episode ?? null, ["agents"]) ?? {}))
      if (ofAgents.length > 1) blame("several agents")
      const { observation, action } = asObject(asObject(ofAgents[0]).spaces)
      if (observation !== undefined && action !== undefined) spaces = { observation, action }
      info = asObject(valueAt(episode ?? null, ["info"]))
      reset = { world: plugin, seed: isContinued ? null : seed, options }
    } else if (is(event, "SensorRead") && event.payload.sensor === `${reset?.world}/observation`) {
      const { reading } = event.payload
      const last = steps.at(-1)
      if (pending !== undefined) return
      if (last === undefined) first = { observation: reading }
      else {
        last.observation = reading
        isAwaiting = false
      }
    } else if (is(event, "ActuatorCommanded") && event.payload.actuator === `${reset?.world}/step`) {
      const { commandId, args } = event.payload
      if (pending !== undefined) blame("a step whose outcome is unknown")
      if (isAwaiting) blame("a step without an observation after it")
      pending = { commandId, position: event.position, action: asObject(args).action ?? null }
    } else if (is(event, "CommandSucceeded") && event.payload.commandId === pending?.commandId) {
      const result = asObject(event.payload.result)
      const reward = rewardOf(result)
      if (reward === undefined) blame("a reward that is no number")
      const { position, action } = pending
      steps.push({
        ...{ position, action, reward: reward ?? 0 },
        terminated: result.terminated === true,
        truncated: result.truncated === true,
        info: asObject(result.info),
        observation: null,
      })
      isAwaiting = true
      pending = undefined
    } else if (is(event, "CommandOutcomeUnknown") && event.payload.commandId === pending?.commandId) {
      blame("a step whose outcome is unknown")
    } else if (isRefusal(event) && event.payload.commandId === pending?.commandId) {
      pending = undefined
    } else if (is(event, "TaskClosed")) closed = event.payload.outcome
  }

  return {
    add: (event) => {
      if (closed === undefined) take(event)
    },
    end: () => {
      const none = (reason: Reason): NoTrajectory => ({ taskId, reason })
      if (opened === undefined || reset === undefined) return none("no world")
      if (closed === undefined) return none("still open")
      if (flaw !== undefined) return none(flaw)
      if (pending !== undefined) return none("a step whose outcome is unknown")
      if (steps.length === 0) return none("no step")
      if (first === undefined || isAwaiting) return none("a step without an observation after it")
      const last = steps.at(-1)
      if (last !== undefined && !last.terminated && (closed === "truncated" || closed === "abandoned"))
        last.truncated = true
      return { taskId, ...opened, ...reset, spaces, first: first.observation, info, steps }
    },
  }
}

const isRefusal = (event: Event): boolean =>
  is(event, "CommandFailed") || is(event, "CommandDenied") || is(event, "ConfirmationExpired")

/** The reward of a step's result: its own number, or the sum of its named rewards; undefined if one is no number. */
const rewardOf = ({ reward, rewards }: JsonObject): number | undefined => {
  if (typeof reward === "number") return reward
  if (reward !== undefined && reward !== null) return undefined
  const named = Object.values(asObject(rewards))
  const known = named.filter((value) => typeof value === "number")
  return known.length === named.length && named.length > 0 ? known.reduce((sum, value) => sum + value) : undefined
}

/** The facts that a manifest states about its world, and the components that Hindcast derives from them. */

import type { JsonObject } from "../../values/Json.ts"
import type { Spaces } from "../author.ts"
import { jsonSchemaOf } from "../spaces/Space.ts"
import type { Actuator, Manifest, Sensor } from "./schema.ts"

/** Names of a world's components. */
export const OBSERVATION = "observation"
export const ACTION_MASK = "action_mask"
/** The actuator that steps a world. */
export const STEP = "step"

/** The components that a world must not declare, because they follow from its spaces. */
export const DERIVED: ReadonlyArray<string> = [OBSERVATION, ACTION_MASK, STEP]

/** A world's facts, from its manifest. */
export interface WorldFacts {
  readonly spaces: Spaces
  /** The step that truncates an episode; null without a limit. */
  readonly maxSteps: number | null
  readonly maxAgents: number
  /** Whether a mask marks the legal actions. `advice`: the world accepts illegal ones too. */
  readonly mask: boolean | "advice"
  /** Whether the manifest allows endless episodes. */
  readonly isEndless: boolean
}

/** Undefined if the environment is not a world. */
export const worldOf = ({ peas }: Manifest): WorldFacts | undefined => {
  const { spaces, max_agents = 1, max_episode_steps, mask = false } = peas.environment ?? {}
  if (spaces === undefined) return undefined
  const steps = { maxSteps: max_episode_steps ?? null, isEndless: max_episode_steps === null }
  return { spaces, ...steps, maxAgents: max_agents, mask }
}

/**
 * Adds the components of the manifest's world: the sensors `observation` and, with masks, `action_mask`, and the
 * actuator `step`, with schemas from the spaces. Returns a manifest that has them already, such as one from the log,
 * unchanged.
 */
export const withWorld = (manifest: Manifest): Manifest => {
  const world = worldOf(manifest)
  const { environment, sensors = [], actuators = [] } = manifest.peas
  if (world === undefined || environment === undefined || sensors.some(({ name }) => name === OBSERVATION)) {
    return manifest
  }
  const step: Actuator = {
    name: STEP,
    description: `Acts in ${environment.name}: takes one step with an action of its action space.`,
    risk: "none",
    args: argsOf(world),
    // Restoring the state before the step makes a repeated step count once.
    ...(environment.rewind === undefined || environment.rewind.includes("stateless") ? {} : { idempotent: true }),
  }
  const observation: Sensor = {
    name: OBSERVATION,
    description: `What is observed in ${environment.name} now.`,
    priority: 1,
  }
  const mask: Sensor = { name: ACTION_MASK, description: `Which actions are legal in ${environment.name} now: 1 or 0.` }
  return {
    ...manifest,
    peas: {
      ...manifest.peas,
      sensors: [...sensors, observation, ...(world.mask === false ? [] : [mask])],
      actuators: [...actuators, step],
    },
  }
}

/** The JSON Schema of a step's arguments. In a world for several agents, some may have other spaces. */
const argsOf = ({ spaces }: WorldFacts): JsonObject => ({
  type: "object",
  properties: { action: jsonSchemaOf(spaces.action) },
  required: ["action"],
  additionalProperties: false,
})

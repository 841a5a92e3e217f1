/** What a manifest says of a world, and the sensors and the actuator that follow from it. */

import type { JsonObject } from "../../values/Json.ts"
import type { Spaces } from "../author.ts"
import { jsonSchemaOf } from "../spaces/Space.ts"
import type { Actuator, Manifest, Sensor } from "./schema.ts"

/** The names of the components of a world. */
export const OBSERVATION = "observation"
export const ACTION_MASK = "action_mask"
/** The actuator by which agents step a world. */
export const STEP = "step"

/** The components that no world declares by itself, because they follow from its spaces. */
export const DERIVED: ReadonlyArray<string> = [OBSERVATION, ACTION_MASK, STEP]

/** What a manifest says of its world. */
export interface WorldFacts {
  readonly spaces: Spaces
  /** The step at which an episode is truncated; null if there is no such limit. */
  readonly maxSteps: number | null
  readonly maxAgents: number
  /** Whether an action mask says which actions are legal. `advice`: the world takes the others, too. */
  readonly mask: boolean | "advice"
  /** Whether it says that an episode may go on without end. */
  readonly isEndless: boolean
}

/** The facts of a manifest's world; undefined if its environment is not one. */
export const worldOf = ({ peas }: Manifest): WorldFacts | undefined => {
  const { spaces, max_agents = 1, max_episode_steps, mask = false } = peas.environment ?? {}
  if (spaces === undefined) return undefined
  const steps = { maxSteps: max_episode_steps ?? null, isEndless: max_episode_steps === null }
  return { spaces, ...steps, maxAgents: max_agents, mask }
}

/**
 * The manifest with the components of its world: sensors `observation` and, if it has masks, `action_mask`, and the
 * actuator `step`, whose schemas follow from the spaces. A manifest that has them already, such as one from the log, is
 * returned as it is.
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
    // The world is restored to where it stood before the step, so that the step is taken once.
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

/** The JSON Schema of the arguments of a step. A world for several may have other spaces for some agents. */
const argsOf = ({ spaces }: WorldFacts): JsonObject => ({
  type: "object",
  properties: { action: jsonSchemaOf(spaces.action) },
  required: ["action"],
  additionalProperties: false,
})

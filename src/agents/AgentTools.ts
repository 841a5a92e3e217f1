/** The tools of a model agent: its actuators, `perceive` and `answer`, under names that every provider takes. */

import type { ActuatorCapability, SensorCapability } from "../kernel/agents/Agent.ts"
import { sha256 } from "../values/Digest.ts"
import type { JsonObject } from "../values/Json.ts"
import type { ToolDescription } from "./models/Model.ts"

/** Reads all sensors. */
export const PERCEIVE = "perceive"

/** Ends the task with an answer. */
export const ANSWER = "answer"

/** The tools that a model is told of, and what each of them does. */
export interface AgentTools {
  readonly descriptions: ReadonlyArray<ToolDescription>
  /** The actuator (`plugin/actuator`) that a tool's name stands for. */
  readonly actuators: ReadonlyMap<string, string>
  /** The tools that run at the same time as others of one answer: those that say so, and those without a risk. */
  readonly concurrent: ReadonlySet<string>
}

/**
 * The tools for an agent's capabilities. Pure.
 *
 * @param answer JSON Schema of a structured answer, if the agent has to give one
 */
export const of = (
  {
    actuators,
    sensors,
  }: {
    readonly actuators: ReadonlyArray<ActuatorCapability>
    readonly sensors: ReadonlyArray<SensorCapability>
  },
  answer?: JsonObject,
): AgentTools => {
  const names = new Map<string, string>()
  for (const { name } of actuators) names.set(toolName(name, names), name)
  const toolOf = new Map([...names].map(([tool, actuator]) => [actuator, tool]))
  return {
    actuators: names,
    concurrent: new Set(
      actuators.flatMap(({ name, concurrent, effectiveRisk }) =>
        concurrent === true || effectiveRisk === "none" ? [toolOf.get(name) ?? name] : [],
      ),
    ),
    descriptions: [
      ...actuators.map(({ name, description, args }) => ({
        name: toolOf.get(name) ?? name,
        description,
        args: objectSchema(args),
      })),
      ...(sensors.length === 0 ? [] : [perceiving(sensors)]),
      ...(answer === undefined
        ? []
        : [{ name: ANSWER, description: "Gives the answer and ends the task.", args: answer }]),
    ],
  }
}

/** Longest name of a tool that all providers take. */
const LONGEST_NAME = 64

/** The name of an actuator's tool: `plugin/actuator` is `plugin__actuator`. One that is taken gets a digest. */
const toolName = (actuator: string, taken: ReadonlyMap<string, string>): string => {
  const name = actuator.replace("/", "__").replaceAll(/[^a-zA-Z0-9_-]/g, "_")
  const isFree = !taken.has(name) && name !== PERCEIVE && name !== ANSWER
  if (name.length <= LONGEST_NAME && isFree) return name
  const suffix = `_${sha256(actuator).slice(0, 8)}`
  return name.slice(0, LONGEST_NAME - suffix.length) + suffix
}

/** Providers expect the schema of an object. */
const objectSchema = (args: JsonObject | undefined): JsonObject =>
  args === undefined ? { type: "object", properties: {} } : { type: "object", ...args }

const perceiving = (sensors: ReadonlyArray<SensorCapability>): ToolDescription => ({
  name: PERCEIVE,
  description: `Reads all sensors now. They are: ${sensors.map(({ name, description }) => `${name} (${description})`).join("; ")}.`,
  args: { type: "object", properties: {} },
})

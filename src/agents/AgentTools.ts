/**
 * The tools of a model agent: its actuators, `perceive`, `read_result` and `answer`, under names that every provider
 * accepts.
 */

import type { ActuatorCapability, SensorCapability } from "../kernel/agents/Agent.ts"
import { sha256 } from "../values/Digest.ts"
import type { JsonObject } from "../values/Json.ts"
import * as LongResults from "./LongResults.ts"
import type { ToolDescription } from "./models/Model.ts"

export const PERCEIVE = "perceive"

export const ANSWER = "answer"

export const HAND_OFF = "hand_off"

export interface AgentTools {
  readonly descriptions: ReadonlyArray<ToolDescription>
  /** The actuator (`plugin/actuator`) behind each tool's name. */
  readonly actuators: ReadonlyMap<string, string>
  /** Tools that may run together with others of one answer: those declared `concurrent`, and those without a risk. */
  readonly concurrent: ReadonlySet<string>
  /** The longest result of a tool that the model sees at once, in bytes. */
  readonly limits: ReadonlyMap<string, number>
  /** Tools that call agents. */
  readonly agents: ReadonlySet<string>
}

export const of = (
  {
    actuators,
    sensors,
  }: {
    readonly actuators: ReadonlyArray<ActuatorCapability>
    readonly sensors: ReadonlyArray<SensorCapability>
  },
  answer?: JsonObject,
  handOff?: ToolDescription,
): AgentTools => {
  const names = new Map<string, string>()
  for (const { name } of actuators) names.set(toolName(name, names), name)
  const toolOf = new Map([...names].map(([tool, actuator]) => [actuator, tool]))
  const limits = new Map(
    actuators.flatMap(({ name, maxResultBytes }) =>
      maxResultBytes === undefined ? [] : [[toolOf.get(name) ?? name, maxResultBytes] as const],
    ),
  )
  return {
    actuators: names,
    concurrent: new Set(
      actuators.flatMap(({ name, concurrent, sequential, effectiveRisk }) =>
        sequential !== true && (concurrent === true || effectiveRisk === "none") ? [toolOf.get(name) ?? name] : [],
      ),
    ),
    limits,
    agents: new Set(actuators.flatMap(({ name, agent }) => (agent === undefined ? [] : [toolOf.get(name) ?? name]))),
    descriptions: [
      ...actuators.map(({ name, description, args }) => ({
        name: toolOf.get(name) ?? name,
        description,
        args: objectSchema(args),
      })),
      ...(sensors.length === 0 ? [] : [perceiving(sensors)]),
      ...(limits.size === 0 ? [] : [LongResults.reading]),
      ...(handOff === undefined ? [] : [handOff]),
      ...(answer === undefined
        ? []
        : [{ name: ANSWER, description: "Gives the answer and ends the task.", args: answer }]),
    ],
  }
}

/** Maximum length of a tool's name that all providers accept. */
const LONGEST_NAME = 64

/** `plugin/actuator` becomes `plugin__actuator`; a name that is taken or too long gets a digest. */
const toolName = (actuator: string, taken: ReadonlyMap<string, string>): string => {
  const name = actuator.replace("/", "__").replaceAll(/[^a-zA-Z0-9_-]/g, "_")
  const isFree = !taken.has(name) && ![PERCEIVE, ANSWER, HAND_OFF, LongResults.READ_RESULT].includes(name)
  if (name.length <= LONGEST_NAME && isFree) return name
  const suffix = `_${sha256(actuator).slice(0, 8)}`
  return name.slice(0, LONGEST_NAME - suffix.length) + suffix
}

const objectSchema = (args: JsonObject | undefined): JsonObject =>
  args === undefined ? { type: "object", properties: {} } : { type: "object", ...args }

const perceiving = (sensors: ReadonlyArray<SensorCapability>): ToolDescription => ({
  name: PERCEIVE,
  description: `Reads all sensors now. They are: ${sensors.map(({ name, description }) => `${name} (${description})`).join("; ")}.`,
  args: { type: "object", properties: {} },
})

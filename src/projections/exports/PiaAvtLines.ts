/** Events as log lines of the PiaAGI Agent Analysis and Visualization Toolkit. */

import type { DecodedEvent } from "../../events/read/Records.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as Time from "../../values/Time.ts"
import type { Encoder } from "./Encoder.ts"
import { isAtLeast, type LeastLevels, levelOf } from "./piaavt/LogLevel.ts"
import { type Entry, entriesOf, MAPPED } from "./piaavt/Vocabulary.ts"

/** The fields of a line that do not follow from its event. */
export interface PiaAvtOptions {
  /** The `experiment_id` of all lines. */
  readonly experiment: string
  /**
   * `iso`: UTC with three fraction digits and Z, which the toolkit's loader requires; `seconds`: a number since the
   * Unix epoch, which its analysis scripts subtract.
   */
  readonly timestamps: "iso" | "seconds"
  /** Whether lines also have `source` and `data`, the older names that the toolkit's basic analyzer and sequencer read. */
  readonly aliases: boolean
  /** The timeline of all exported events; null if they come from several. */
  readonly timeline: string | null
  /** The agents of tasks that were opened before the first exported event. The encoder adds those of later tasks. */
  readonly agents: Map<string, string>
  /** The least levels of lines. Default: all lines. */
  readonly levels?: LeastLevels
  /** Called for each event that has no line because of its level. */
  readonly onLeftOut?: () => void
}

/** The `simulation_run_id` and `agent_id` of events without a task. The toolkit requires a text. */
const NO_RUN = "no-task"
const NO_AGENT = "no-agent"

/**
 * Encodes events as log lines of the toolkit: one JSON object per line, in ASCII, with the eight keys that its loader
 * requires. The task is both simulation run and goal (in a fork `fork/task`). The agent is the task's, or in a task
 * with several the one that the event names. The source is the component that an event concerns, otherwise its actor.
 * An event that opens, closes, pauses or continues a task has several lines, because the toolkit's analyzers use
 * several names for it.
 */
export const encoder = (options: PiaAvtOptions): Encoder<DecodedEvent> => {
  const { experiment, timestamps, aliases, agents, levels, onLeftOut } = options
  /** The pending commands: an outcome names only its command. */
  const commands = new Map<string, { readonly actuator: string; readonly args: JsonObject }>()
  /** The agents of pending commands, in tasks with several. */
  const agentOfCommand = new Map<string, string>()

  const runOf = ({ taskId, timeline }: DecodedEvent["link"]): string | null => {
    const of = options.timeline ?? timeline
    return taskId === null ? null : of === "main" ? taskId : `${of}/${taskId}`
  }

  const lines = ({ link, text }: DecodedEvent): string => {
    const { type, taskId } = link
    const payload = PARSED.has(type) ? (JSON.parse(text) as JsonObject) : {}
    if (type === "TaskOpened" && taskId !== null) agents.set(taskId, String(payload.agent))
    const commandId = String(payload.commandId)
    if (type === "ActuatorCommanded") {
      commands.set(commandId, { actuator: String(payload.actuator), args: objectOf(payload.args) })
      if (typeof payload.agentId === "string") agentOfCommand.set(commandId, payload.agentId)
    }
    const command = commands.get(commandId)
    const source = command?.actuator ?? sourceOf(payload) ?? link.actor
    const member = typeof payload.agentId === "string" ? payload.agentId : agentOfCommand.get(commandId)
    if (ENDS_COMMAND.has(type)) {
      commands.delete(commandId)
      agentOfCommand.delete(commandId)
    }
    const goal = runOf(link)
    const agent = textOr(taskId === null ? null : (member ?? agents.get(taskId) ?? null), NO_AGENT)
    const level = levelOf(type, payload)
    if (levels !== undefined && !isAtLeast(levels, level, source, agent)) {
      onLeftOut?.()
      return ""
    }
    const ids = [
      `"simulation_run_id":${quoted(textOr(goal, NO_RUN))}`,
      `"experiment_id":${quoted(textOr(experiment, UNNAMED))}`,
      `"agent_id":${quoted(agent)}`,
      `"source_component_id":${quoted(textOr(source, UNNAMED))}`,
    ]
    const start = `{"timestamp":${timeOf(link.occurredAt, timestamps)},${ids.join()},"log_level":"${level}"`
    return entriesOf({ type, payload, goal, agent, command })
      .map((entry) => {
        const data = dataOf(entry, text)
        const older = aliases ? `,"source":${quoted(textOr(source, UNNAMED))},"data":${data}` : ""
        return ascii(`${start},"event_type":${quoted(entry.type)},"event_data":${data}${older}}\n`)
      })
      .join("")
  }
  return { add: (page) => page.map(lines), end: () => "" }
}

/** Replaces an `experiment_id` or `source_component_id` that consists of white space. */
const UNNAMED = "unnamed"

/** The payload, after these fields. */
const dataOf = ({ fields }: Entry, payload: string): string => {
  const before = JSON.stringify(fields)
  return before === "{}" ? payload : payload === "{}" ? before : `${before.slice(0, -1)},${payload.slice(1)}`
}

const quoted = (text: string): string => JSON.stringify(text)

/** Python treats white space and some control characters as an empty text. */
const textOr = (text: string | null, otherwise: string): string =>
  text !== null && /[^\s\p{Cc}]/u.test(text) ? text : otherwise

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Python's times begin with the year 1. */
const FIRST = -62_135_596_800_000

const timeOf = (epochMs: number, as: PiaAvtOptions["timestamps"]): string =>
  as === "seconds"
    ? String(epochMs / 1000)
    : `"${new Date(Math.max(FIRST, Number(Time.dateOf(epochMs)))).toISOString()}"`

/** Escapes characters beyond ASCII: Python reads a file in its platform's encoding. */
const ascii = (line: string): string =>
  line.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The component that a payload names, otherwise its plugin, otherwise its measure. */
const sourceOf = (payload: JsonObject): string | undefined => {
  const names = [payload.sensor, payload.actuator, payload.component, payload.plugin, payload.measure]
  return names.find((name) => typeof name === "string")
}

/** Without `CommandOutcomeUnknown`: the outcome can still become known. */
const ENDS_COMMAND: ReadonlySet<string> = new Set(["CommandDenied", "CommandSucceeded", "CommandFailed"])

/** The types whose payload is parsed because a line needs a field of it. */
const PARSED: ReadonlySet<string> = new Set([
  ...MAPPED,
  ...["SensorSkipped", "CommandAllowed", "CommandDenied", "ConfirmationRequested", "EnvironmentDescribed"],
  ...["BrokerRequested", "BrokerAllowed", "BrokerAnswered"],
  ...["PluginImported", "PluginUpdateHeld", "PluginGranted", "PluginGrantRevoked", "PluginRemoved", "MeasureUnscored"],
  ...["AgentJoined", "AgentSuspended", "AgentContinued", "AgentLate", "AgentLeft"],
  "InputDelivered",
])

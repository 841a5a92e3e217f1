/** Events as log lines of the PiaAGI Agent Analysis and Visualization Toolkit. */

import type { DecodedEvent } from "../../events/read/Records.ts"
import type { JsonObject } from "../../values/Json.ts"
import { iso } from "../../values/Time.ts"
import type { Encoder } from "./Encoder.ts"

/** The fields of a line that do not follow from its event. */
export interface PiaAvtOptions {
  /** The `experiment_id` of all lines. */
  readonly experiment: string
  /** `iso`: UTC with three fraction digits and Z; `seconds`: since the Unix epoch, as a number. */
  readonly timestamps: "iso" | "seconds"
  /**
   * The agents of tasks that were opened before the first exported event. The encoder adds the agents of tasks that are
   * opened later.
   */
  readonly agents: Map<string, string>
}

/** The log levels, by Python's names. */
type Level = "DEBUG" | "INFO" | "WARNING" | "ERROR"

/**
 * Events as the log lines of the PiaAGI Agent Analysis and Visualization Toolkit: one JSON object per line, always with
 * the same eight keys. The task is the simulation run, its agent is the agent (in a task with several, the one that the
 * event names, by its name in the task), and the source is the component that an event is about, or else its actor.
 * `simulation_run_id` and `agent_id` are null for events that belong to no task. The type is the event's, but for an agent's
 * inner state (`AgentStateChanged`), which is `AGENT_INTERNAL_STATE`.
 */
export const encoder = ({ experiment, timestamps, agents }: PiaAvtOptions): Encoder<DecodedEvent> => {
  /** The actuators of pending commands, because an outcome names only its command. */
  const actuatorOfCommand = new Map<string, string>()
  /** The agents of pending commands, in tasks with several. */
  const agentOfCommand = new Map<string, string>()

  const line = ({ link, text }: DecodedEvent): string => {
    const { type, taskId } = link
    const payload = PARSED.has(type) ? (JSON.parse(text) as JsonObject) : {}
    if (type === "TaskOpened" && taskId !== null) agents.set(taskId, String(payload.agent))
    const commandId = String(payload.commandId)
    if (type === "ActuatorCommanded") {
      actuatorOfCommand.set(commandId, String(payload.actuator))
      if (typeof payload.agentId === "string") agentOfCommand.set(commandId, payload.agentId)
    }
    const source = actuatorOfCommand.get(commandId) ?? sourceOf(payload) ?? link.actor
    const member = typeof payload.agentId === "string" ? payload.agentId : agentOfCommand.get(commandId)
    if (ENDS_COMMAND.has(type)) {
      actuatorOfCommand.delete(commandId)
      agentOfCommand.delete(commandId)
    }
    const timestamp = timestamps === "iso" ? `"${iso(link.occurredAt)}"` : String(link.occurredAt / 1000)
    const agent = taskId === null ? null : (member ?? agents.get(taskId) ?? null)
    return (
      `{"timestamp":${timestamp},"simulation_run_id":${quoted(taskId)},"experiment_id":${quoted(experiment)},` +
      `"agent_id":${quoted(agent)},"source_component_id":${quoted(source)},"log_level":"${levelOf(type, payload)}",` +
      `"event_type":${quoted(CATEGORIES[type] ?? type)},"event_data":${text}}\n`
    )
  }
  return { add: (page) => page.map(line), end: () => "" }
}

const quoted = (text: string | null): string => JSON.stringify(text)

/** The component, else the plugin, else the measure that a payload names. */
const sourceOf = (payload: JsonObject): string | undefined => {
  const names = [payload.sensor, payload.actuator, payload.component, payload.plugin, payload.measure]
  return names.find((name) => typeof name === "string")
}

/** `CommandOutcomeUnknown` is not among them, because the outcome can still become known. */
const ENDS_COMMAND: ReadonlySet<string> = new Set(["CommandDenied", "CommandSucceeded", "CommandFailed"])

/** The types that PiaSE's design has a name of its own for, which the toolkit looks for. */
const CATEGORIES: Readonly<Record<string, string>> = { AgentStateChanged: "AGENT_INTERNAL_STATE" }

/** The levels other than INFO that follow from the type alone. */
const LEVELS: Readonly<Record<string, Level>> = {
  CommandAllowed: "DEBUG",
  CommandDispatched: "DEBUG",
  RandomDrawn: "DEBUG",
  SensorSkipped: "WARNING",
  AgentLate: "WARNING",
  CommandDenied: "WARNING",
  ConfirmationExpired: "WARNING",
  ConfirmationWithdrawn: "WARNING",
  MeasureUnscored: "WARNING",
  PluginMisbehaved: "WARNING",
  PluginUpdateHeld: "WARNING",
  SensorFailed: "ERROR",
  CommandFailed: "ERROR",
  CommandOutcomeUnknown: "ERROR",
  PluginQuarantined: "ERROR",
  PluginStartRefused: "ERROR",
}

const LOGGED: Readonly<Record<string, Level>> = { debug: "DEBUG", info: "INFO", warn: "WARNING", error: "ERROR" }

const levelOf = (type: string, payload: JsonObject): Level => {
  switch (type) {
    case "PluginLogged":
      return LOGGED[String(payload.level)] ?? "INFO"
    case "PluginExited":
      return payload.code === 0 ? "INFO" : "ERROR"
    case "TaskClosed":
      return payload.outcome === "achieved" ? "INFO" : "WARNING"
    case "BrokerAnswered":
      return payload.error === undefined ? "INFO" : "WARNING"
    default:
      return LEVELS[type] ?? "INFO"
  }
}

/**
 * The types whose payload is parsed, because a line needs one of its fields; all others are passed on without parsing.
 */
const PARSED: ReadonlySet<string> = new Set([
  ...["TaskOpened", "TaskClosed", "SensorRead", "SensorFailed", "SensorSkipped"],
  ...["ActuatorCommanded", "CommandAllowed", "CommandDispatched", "ConfirmationRequested", "CommandOutcomeUnknown"],
  ...ENDS_COMMAND,
  ...[
    "EnvironmentDescribed",
    "EnvironmentReset",
    "EnvironmentChanged",
    "BrokerRequested",
    "BrokerAllowed",
    "BrokerAnswered",
  ],
  ...["PluginImported", "PluginUpdateHeld", "PluginGranted", "PluginGrantRevoked", "PluginRemoved", "PluginActivated"],
  ...["PluginDeactivated", "PluginStarted", "PluginExited", "PluginMisbehaved", "PluginQuarantined", "PluginLogged"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged"],
  ...["RewardGiven", "PunishmentGiven", "MeasureUnscored"],
  ...["AgentJoined", "AgentSuspended", "AgentContinued", "AgentLate", "AgentLeft", "AgentStateChanged"],
  ...["DecisionMade", "MessageSent", "InputReceived", "InputDelivered", "ModelCalled"],
])

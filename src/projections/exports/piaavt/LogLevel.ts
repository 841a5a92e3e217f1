/** The log levels of PiaAVT's lines. */

import type { JsonObject } from "../../../values/Json.ts"

/** The levels of PiaAGI's logging specification, §3.1, from the finest to the most severe. */
export const LEVELS = ["TRACE", "DEBUG", "INFO", "STATE", "WARN", "ERROR", "CRITICAL"] as const

export type Level = (typeof LEVELS)[number]

/** The least level of lines, for all of them and for single modules. */
export interface LeastLevels {
  readonly least: Level
  /** By the name of a component (`room/open`), a plugin (`room`) or an agent; the first of these that has one applies. */
  readonly of: ReadonlyMap<string, Level>
}

/** Whether a line has at least the level that applies to its component, its plugin or its agent. */
export const isAtLeast = ({ least, of }: LeastLevels, level: Level, component: string, agent: string): boolean => {
  const applies = of.get(component) ?? of.get(component.split("/", 1)[0] ?? "") ?? of.get(agent) ?? least
  return LEVELS.indexOf(level) >= LEVELS.indexOf(applies)
}

/** The level of an event. `payload` may be empty if the type alone determines the level. */
export const levelOf = (type: string, payload: JsonObject): Level => {
  switch (type) {
    case "PluginLogged":
      return LOGGED[String(payload.level)] ?? "INFO"
    case "PluginExited":
      return payload.code === 0 ? "INFO" : "ERROR"
    case "TaskClosed":
      return payload.outcome === "achieved" ? "INFO" : "WARN"
    case "BrokerAnswered":
      return payload.error === undefined ? "INFO" : "WARN"
    default:
      return BY_TYPE[type] ?? "INFO"
  }
}

const LOGGED: Readonly<Record<string, Level>> = { debug: "DEBUG", info: "INFO", warn: "WARN", error: "ERROR" }

/** The levels other than INFO that the type alone determines. */
const BY_TYPE: Readonly<Record<string, Level>> = {
  RandomDrawn: "TRACE",
  CommandAllowed: "DEBUG",
  CommandDispatched: "DEBUG",
  EnvironmentReset: "STATE",
  EnvironmentRestored: "STATE",
  AgentStateChanged: "STATE",
  SensorSkipped: "WARN",
  AgentLate: "WARN",
  BudgetExceeded: "WARN",
  CommandDenied: "WARN",
  ConfirmationExpired: "WARN",
  ConfirmationWithdrawn: "WARN",
  LeaseTakenOver: "WARN",
  RunnerLost: "WARN",
  TaskClaimLost: "WARN",
  TaskPoisoned: "ERROR",
  MeasureUnscored: "WARN",
  PluginMisbehaved: "WARN",
  PluginUpdateHeld: "WARN",
  SensorFailed: "ERROR",
  CommandFailed: "ERROR",
  IoFailed: "ERROR",
  CommandOutcomeUnknown: "ERROR",
  ModelFailed: "ERROR",
  PluginQuarantined: "ERROR",
  PluginStartRefused: "ERROR",
}

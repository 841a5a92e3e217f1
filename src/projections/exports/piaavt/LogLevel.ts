/** The log levels of PiaAVT's lines. */

import type { JsonObject } from "../../../values/Json.ts"

/** The levels of PiaAGI's logging specification, §3.1, from the finest to the most severe. */
export const LEVELS = ["TRACE", "DEBUG", "INFO", "STATE", "WARN", "ERROR", "CRITICAL"] as const

type Level = (typeof LEVELS)[number]

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

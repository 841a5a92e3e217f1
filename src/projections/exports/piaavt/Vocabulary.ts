/** Events in the vocabulary of PiaAGI's logging specification, §4, and of PiaAVT's analyzers. */

import type { Json, JsonObject } from "../../../values/Json.ts"

/** A line of PiaAVT: its `event_type`, and the fields of `event_data` in front of the payload's. */
export interface Entry {
  readonly type: string
  readonly fields: JsonObject
}

interface Subject {
  readonly type: string
  /** Empty for types that are not parsed. */
  readonly payload: JsonObject
  /** PiaAVT's id of the task's goal; null for events without a task. */
  readonly goal: string | null
  readonly agent: string
  /** The command of an outcome; undefined if it is not among the exported events. */
  readonly command: { readonly actuator: string; readonly args: JsonObject } | undefined
}

/** The lines of an event, at least one. An event without a word in the vocabulary keeps its own type. */
export const entriesOf = (subject: Subject): ReadonlyArray<Entry> => {
  const { type } = subject
  const make = Object.hasOwn(ENTRIES, type) ? ENTRIES[type] : undefined
  if (make === undefined) return [{ type, fields: {} }]
  const goal = subject.goal === null ? {} : { goal_id: subject.goal }
  return make(subject).map((entry) => ({
    type: entry.type,
    fields: { ...goal, ...entry.fields, hindcast_type: type },
  }))
}

type ToEntries = (subject: Subject) => ReadonlyArray<Entry>

const one =
  (type: string, fields: (subject: Subject) => JsonObject = () => ({})): ToEntries =>
  (subject) => [{ type, fields: fields(subject) }]

/**
 * A change of a goal's state. `Goal_Dynamics_Analysis` reads `GOAL_STATE_CHANGED`, `task_performance_analysis` reads
 * `GOAL_STATUS_CHANGED`, so there is a line for each.
 */
const goalState = (state: string): ReadonlyArray<Entry> => [
  { type: "GOAL_STATE_CHANGED", fields: { new_state: state } },
  { type: "GOAL_STATUS_CHANGED", fields: { new_state: state } },
]

const taskStatus = (status: string): Entry => ({ type: "TASK_STATUS_UPDATE", fields: { status } })

/** Final states of a goal in PiaAVT, which has none for a task that was stopped from outside. */
const GOAL_STATES: Readonly<Record<string, string>> = { achieved: "ACHIEVED", failed: "FAILED" }

const closed: ToEntries = ({ payload }) => {
  const state = GOAL_STATES[String(payload.outcome)] ?? "ABANDONED"
  return [...goalState(state), taskStatus(state === "ACHIEVED" ? "COMPLETED" : state)]
}

const opened: ToEntries = ({ payload }) => {
  const about = { description: textOf(payload.goal), type: "EXTRINSIC_TASK" }
  return [
    { type: "GOAL_CREATED", fields: { ...about, initial_status: "ACTIVE" } },
    { type: "GOAL_ACTIVATED", fields: { ...about, reason: "the task was opened" } },
    taskStatus("STARTED"),
  ]
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** The outcome of an action. Analyzers look for the goal among its parameters. */
const executed = (outcome: string): ToEntries =>
  one("AGENT_ACTION_EXECUTED_IN_ENV", ({ agent, goal, command }) => ({
    agent_id_acting: agent,
    action_details: {
      ...(command === undefined ? {} : { type: command.actuator }),
      parameters: { ...command?.args, ...(goal === null ? {} : { goal_id: goal }) },
    },
    environmental_outcome_summary: outcome,
  }))

const module = (type: string): ToEntries => one(type, ({ payload }) => ({ module: textOf(payload.plugin) }))

const ENTRIES: Readonly<Record<string, ToEntries>> = {
  TaskOpened: opened,
  TaskClosed: closed,
  TaskPaused: () => [{ type: "GOAL_DEACTIVATED", fields: {} }, ...goalState("SUSPENDED"), taskStatus("PAUSED")],
  TaskContinued: () => [{ type: "GOAL_ACTIVATED", fields: {} }, ...goalState("ACTIVE"), taskStatus("CONTINUED")],
  TaskResumed: () => [taskStatus("RESUMED")],
  TaskCancelled: () => [taskStatus("CANCELLED")],
  SensorRead: one("PERCEPTION_INPUT_RECEIVED", ({ payload }) => ({ modality: textOf(payload.sensor) })),
  SensorFailed: one("MODULE_ERROR"),
  InputReceived: one("PERCEPTION_INPUT_RECEIVED", () => ({ modality: "text" })),
  DecisionMade: one("PLAN_SELECTED", ({ goal }) => (goal === null ? {} : { goal_id_associated: goal })),
  MessageSent: one("NLG_OUTPUT_GENERATED"),
  // From PiaSE's design, not from the specification.
  AgentStateChanged: one("AGENT_INTERNAL_STATE"),
  ModelCalled: one("MODULE_METHOD_CALL"),
  ModelResponded: one("MODULE_METHOD_RETURN"),
  ModelFailed: one("MODULE_ERROR"),
  ActuatorCommanded: one("BEHAVIOR_COMMAND_ISSUED"),
  CommandDispatched: one("AGENT_ACTION_SENT_TO_ENV"),
  CommandSucceeded: executed("succeeded"),
  CommandFailed: executed("failed"),
  CommandOutcomeUnknown: executed("unknown"),
  EnvironmentReset: one("ENVIRONMENT_STATE_CHANGED"),
  EnvironmentRestored: one("ENVIRONMENT_STATE_CHANGED"),
  EnvironmentChanged: one("ENVIRONMENT_STATE_CHANGED"),
  WorldTicked: one("ENVIRONMENT_EVENT_OCCURRED"),
  TriggerFired: one("ENVIRONMENT_EVENT_OCCURRED"),
  MilestoneReached: one("ENVIRONMENT_EVENT_OCCURRED"),
  RewardGiven: one("REWARD_SIGNAL_ISSUED", ({ payload }) => ({ reward: Number(payload.amount) })),
  PunishmentGiven: one("REWARD_SIGNAL_ISSUED", ({ payload }) => ({ reward: 0 - Number(payload.amount) })),
  PluginStarted: module("MODULE_INITIALIZED"),
  PluginExited: module("MODULE_TERMINATED"),
  PluginMisbehaved: module("MODULE_WARNING"),
  PluginQuarantined: module("MODULE_ERROR"),
  PluginStartRefused: module("MODULE_ERROR"),
  PluginActivated: module("MODULE_CONFIGURED"),
  PluginDeactivated: module("MODULE_CONFIGURED"),
  ComponentActivated: one("MODULE_CONFIGURED"),
  ComponentDeactivated: one("MODULE_CONFIGURED"),
  PriorityChanged: one("MODULE_CONFIGURED"),
  PluginLogged: module("SYSTEM_MESSAGE"),
  KernelStarted: one("SIMULATION_CONTROL", () => ({ control: "start" })),
  KernelStopped: one("SIMULATION_CONTROL", () => ({ control: "end" })),
}

/** The core event types that PiaAVT's vocabulary covers. */
export const MAPPED: ReadonlyArray<string> = Object.keys(ENTRIES)

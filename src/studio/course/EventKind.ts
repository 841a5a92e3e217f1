/** The kind of each event for the reader, and whether it reports a failure. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import type { Kind } from "../wire/Kind.ts"

const kinds: { readonly [Name in CoreName]: Kind } = {
  KernelStarted: "other",
  LeaseTakenOver: "other",
  RangeArchived: "other",
  KernelStopped: "other",

  PluginImported: "plugin",
  PluginUpdateHeld: "plugin",
  PluginGranted: "plugin",
  PluginGrantRevoked: "plugin",
  PluginFilesStored: "plugin",
  PluginRemoved: "plugin",
  PluginActivated: "plugin",
  PluginDeactivated: "plugin",
  ComponentActivated: "plugin",
  ComponentDeactivated: "plugin",
  PriorityChanged: "plugin",
  MetadataSet: "plugin",
  MetadataUnset: "plugin",
  SandboxConsentGiven: "plugin",
  PluginStartRefused: "plugin",
  PrecomputeStarted: "plugin",
  PluginStarted: "plugin",
  PluginExited: "plugin",
  PluginMisbehaved: "plugin",
  PluginQuarantined: "plugin",
  PluginLogged: "plugin",
  BrokerRequested: "plugin",
  BrokerAllowed: "plugin",
  BrokerDenied: "plugin",
  BrokerAnswered: "plugin",

  SensorRead: "reading",
  SensorFailed: "reading",
  SensorSkipped: "reading",

  EnvironmentDescribed: "world",
  EnvironmentRestored: "world",
  EnvironmentReset: "world",
  EnvironmentChanged: "world",
  WorldTicked: "world",
  ScenarioStarted: "world",
  TriggerFired: "world",
  MilestoneReached: "world",
  ScenarioEnded: "world",
  RolloutStarted: "world",
  StepsRecorded: "world",
  RolloutEnded: "world",
  SearchStarted: "world",
  StepsSearched: "world",

  CurriculumStarted: "other",
  StageAttempted: "other",
  CurriculumDecided: "other",
  GuidanceGiven: "other",
  AgentDeveloped: "other",
  CurriculumEnded: "other",

  ListenerStarted: "other",
  ListenerFailed: "other",
  ListenerStopped: "other",
  SignalReceived: "message",
  SignalHandled: "other",

  InputReceived: "message",
  InputDelivered: "message",
  MessageSent: "message",

  DecisionMade: "decision",
  AgentStateChanged: "decision",
  RandomDrawn: "decision",
  MemoryStored: "decision",
  MemoryEmbedded: "decision",

  GuideApplied: "model",
  ModelCalled: "model",
  ModelCallDelayed: "model",
  ModelResponded: "model",
  ModelFailed: "model",
  MemoryCompacted: "model",
  BudgetExceeded: "model",

  ActuatorCommanded: "command",
  CommandAllowed: "command",
  CommandDenied: "command",
  CommandDispatched: "command",
  CommandAttemptFailed: "command",
  CommandSucceeded: "command",
  CommandFailed: "command",
  CommandOutcomeUnknown: "command",
  IoCalled: "command",
  IoAnswered: "command",
  IoFailed: "command",

  ConfirmationRequested: "approval",
  ConfirmationDecided: "approval",
  ConfirmationExpired: "approval",
  ConfirmationWithdrawn: "approval",
  ToolsPinned: "other",
  ToolsChanged: "other",

  TaskOpened: "task",
  CaptureNoted: "task",
  RecorderJoined: "task",
  RecorderLeft: "task",
  TaskPaused: "task",
  TaskContinued: "task",
  TaskCancelled: "task",
  TaskResumed: "task",
  TaskHandedOff: "task",
  TasksBelowCounted: "task",
  ClockChanged: "task",
  TaskBundled: "task",
  TaskSubmitted: "task",
  TasksClaimed: "task",
  TaskClaimed: "task",
  TaskReleased: "task",
  TaskClaimLost: "task",
  TaskPoisoned: "task",
  TaskRequeued: "task",
  TaskWithdrawn: "task",
  QueueLimitsSet: "other",
  RunnerStarted: "other",
  RunnerDrainRequested: "other",
  RunnerStopped: "other",
  RunnerLost: "other",
  TaskClosed: "task",
  TimelineForked: "task",
  AgentJoined: "task",
  AgentLeft: "task",
  AgentSuspended: "task",
  AgentContinued: "task",
  AgentLate: "task",

  RewardGiven: "reward",
  PunishmentGiven: "punishment",
  ScoringStarted: "other",
  MeasureUnscored: "other",
  ScoringFinished: "other",
  ScoreSetPromoted: "other",

  NoteAdded: "other",
  TagAdded: "other",
  TagRemoved: "other",
  Starred: "other",
  Labelled: "other",
  AnnotationRemoved: "other",
  PayloadShredded: "other",
  FilesPurged: "other",
  FileImported: "other",
  SourceRecordKept: "other",
  SourceStated: "other",
  AccountMerged: "other",
}

const byType: ReadonlyMap<string, Kind> = new Map(Object.entries(kinds))

/** The kind of an event type. An embedding program's own types are `other`. */
export const kindOf = (type: string): Kind => byType.get(type) ?? "other"

/** Types that always report a failure, a denial or an unknown outcome. */
const BAD: ReadonlySet<string> = new Set<CoreName>([
  "PluginStartRefused",
  "PluginMisbehaved",
  "PluginQuarantined",
  "BrokerDenied",
  "ListenerFailed",
  "SensorFailed",
  "ModelFailed",
  "BudgetExceeded",
  "CommandDenied",
  "CommandFailed",
  "CommandOutcomeUnknown",
  "IoFailed",
  "ConfirmationExpired",
  "AgentLate",
])

export const isAlwaysBad = (type: string): boolean => BAD.has(type)

/** Types of which only the payload tells. */
export const SOMETIMES_BAD: ReadonlyArray<CoreName> = [
  ...(["TaskClosed", "ConfirmationDecided", "BrokerAnswered", "ScenarioEnded", "PluginExited"] as const),
]

/** Every type for which `isBad` may hold. */
export const MAYBE_BAD: ReadonlyArray<string> = [...BAD, ...SOMETIMES_BAD]

/** Whether an event reports a failure, a denial or an unknown outcome. */
export const isBad = (event: Event): boolean => {
  if (isAlwaysBad(event.type)) return true
  if (is(event, "TaskClosed")) return event.payload.outcome === "failed" || event.payload.outcome === "abandoned"
  if (is(event, "ConfirmationDecided")) return !event.payload.approved
  if (is(event, "BrokerAnswered")) return event.payload.error !== undefined
  if (is(event, "ScenarioEnded")) return event.payload.result === "lost"
  // A process that the host stopped, or that ended idle, did not fail.
  if (is(event, "PluginExited")) return (event.payload.code ?? 0) !== 0 || event.payload.inFlight.length > 0
  return false
}

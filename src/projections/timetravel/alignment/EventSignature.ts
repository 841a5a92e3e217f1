/** The signatures by which runs are aligned: the meaning of events, without times, ids and other incidental fields. */

import canonicalize from "canonicalize"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { CoreName } from "../../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../../values/Json.ts"
import * as EventContent from "./EventContent.ts"

export interface EventSignature {
  /** The type, with the sensor, actuator or plugin that it concerns. */
  readonly kind: string
  /** The content: the reading, the arguments, the result. */
  readonly content: string
  /** Kind, content, and the arguments of the event's command. Events with an equal `whole` are the same. */
  readonly whole: string
}

/** Types of events that are recorded about a task afterwards. */
const RECORDED_AFTERWARDS: ReadonlySet<string> = new Set<CoreName>([
  ...(["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"] as const),
  ...(["ScoreSetPromoted", "NoteAdded", "TagAdded", "TagRemoved", "Starred", "Labelled", "AnnotationRemoved"] as const),
  ...(["CurriculumStarted", "StageAttempted", "CurriculumDecided", "GuidanceGiven", "AgentDeveloped"] as const),
  "CurriculumEnded",
  ...(["TaskBundled", "PayloadShredded", "FilesPurged"] as const),
  ...(["RecorderJoined", "RecorderLeft", "CaptureNoted", "AccountMerged"] as const),
  "MemoryEmbedded",
])

/** Whether an event is part of the run, and not recorded about it afterwards. */
export const isPartOfRun = ({ type }: Event): boolean => !RECORDED_AFTERWARDS.has(type)

/**
 * Makes a function that computes signatures. Call it with the events in order: the outcome of a command includes the
 * command's arguments.
 */
export const makeReader = (): ((event: Event) => EventSignature) => {
  const commands = new Map<string, { readonly actuator: string; readonly args: string }>()
  const modelCalls = new Set<string>()
  return (event) => {
    const { type, payload } = event
    // A model's answer is recorded before its raw response, even if the request is in the shared past.
    if (ANSWERED.has(type) && event.causationId !== null) modelCalls.add(event.causationId)
    const commandId = textOf(payload.commandId)
    if (type === COMMANDED && commandId !== undefined) {
      commands.set(commandId, { actuator: textOf(payload.actuator) ?? "", args: canonical(payload.args) })
    }
    const command = commandId === undefined ? undefined : commands.get(commandId)
    const about =
      textOf(payload.sensor) ??
      textOf(payload.actuator) ??
      command?.actuator ??
      textOf(payload.plugin) ??
      textOf(payload.io) ??
      ""
    const kind = `${type} ${about}`
    const content = canonical(EventContent.of(event, modelCalls.has(event.causationId ?? "")))
    return { kind, content, whole: `${kind} ${content} ${command?.args ?? ""}` }
  }
}

const COMMANDED: CoreName = "ActuatorCommanded"
const ANSWERED: ReadonlySet<string> = new Set<CoreName>(["ModelResponded", "ModelFailed"])

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** JSON by RFC 8785, independent of the order of keys. */
const canonical = (value: Json | undefined): string => canonicalize(value) ?? ""

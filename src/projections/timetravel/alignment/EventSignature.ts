/**
 * The signature of an event: its meaning without times, ids and other incidental fields. Two runs are aligned by it.
 */

import canonicalize from "canonicalize"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { CoreName } from "../../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"

/** The meaning of an event, independent of its time and ids. */
export interface EventSignature {
  /** The type, and the sensor, actuator or plugin it is about. */
  readonly kind: string
  /** The content: the reading, the arguments, the result. */
  readonly content: string
  /**
   * Kind, content, and the arguments of the command it is about. Events of two runs with an equal `whole` are the same.
   */
  readonly whole: string
}

/**
 * Fields that record times, durations, costs and ids rather than content; and an agent's explanations, which differ
 * from run to run.
 */
const INCIDENTAL: ReadonlySet<string> = new Set([
  ...["argsDigest", "basedOn", "because", "birth", "commandId", "confirmationId", "expiresAt", "inputs", "instance"],
  ...["kernel", "latencyMs", "pid", "priority", "rationale", "requestDigest", "scoreSetId", "usage", "waitedMs"],
])

/** Events recorded about a task afterwards, which are not part of the run. */
const RECORDED_AFTERWARDS: ReadonlySet<string> = new Set<CoreName>([
  ...(["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"] as const),
  ...(["ScoreSetPromoted", "NoteAdded", "TagAdded", "TaskBundled", "PayloadShredded"] as const),
])

/** Whether an event is part of the run, rather than recorded about it afterwards. */
export const isPartOfRun = ({ type }: Event): boolean => !RECORDED_AFTERWARDS.has(type)

/**
 * Makes a function that computes signatures. It must receive the events in order, because the outcome of a command
 * includes the command's arguments.
 */
export const makeReader = (): ((event: Event) => EventSignature) => {
  const commands = new Map<string, { readonly actuator: string; readonly args: string }>()
  return (event) => {
    const { type, payload } = event
    const commandId = textOf(payload.commandId)
    if (type === COMMANDED && commandId !== undefined) {
      commands.set(commandId, { actuator: textOf(payload.actuator) ?? "", args: canonical(payload.args) })
    }
    const command = commandId === undefined ? undefined : commands.get(commandId)
    const about =
      textOf(payload.sensor) ?? textOf(payload.actuator) ?? command?.actuator ?? textOf(payload.plugin) ?? ""
    const kind = `${type} ${about}`
    const content = canonical(normalize(event))
    return { kind, content, whole: `${kind} ${content} ${command?.args ?? ""}` }
  }
}

const COMMANDED: CoreName = "ActuatorCommanded"
const DECIDED: CoreName = "DecisionMade"

/** The payload without incidental fields. A decision is compared by what was chosen, not by which agent chose. */
export const normalize = ({ type, payload }: Event): JsonObject =>
  Object.fromEntries(
    Object.entries(payload).filter(([field]) => !INCIDENTAL.has(field) && !(type === DECIDED && field === "agent")),
  )

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** JSON by RFC 8785, so that the order of keys does not matter. */
const canonical = (value: Json | undefined): string => canonicalize(value) ?? ""

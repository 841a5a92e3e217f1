import canonicalize from "canonicalize"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { CoreName } from "../../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"

/** What an event means, whenever and under whatever ids it happened. */
export interface EventSignature {
  /** What sort of thing happened, and to what: the type, and the sensor, actuator or plugin it is about. */
  readonly kind: string
  /** What it says: the reading, the arguments, the result. */
  readonly said: string
  /** Both, and the command that it is about: by this, events of two runs are found to be the same. */
  readonly whole: string
}

/**
 * Fields that say when, how long, how much or under which id, and not what; and an agent's own words for it, which no two
 * runs share.
 */
const INCIDENTAL: ReadonlySet<string> = new Set([
  ...["argsDigest", "basedOn", "because", "birth", "commandId", "confirmationId", "expiresAt", "instance", "latencyMs"],
  ...["pid", "priority", "rationale", "requestDigest", "scoreSetId", "usage", "waitedMs"],
])

/** What was recorded about a task, and is no part of what happened in it. */
const AFTERWARDS: ReadonlySet<string> = new Set<CoreName>([
  ...(["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"] as const),
  ...(["ScoreSetPromoted", "NoteAdded", "TagAdded", "TaskBundled", "PayloadShredded"] as const),
])

/** Whether an event is part of what happened, and not of what was said about it later. */
export const isPartOfIt = ({ type }: Event): boolean => !AFTERWARDS.has(type)

/** Tells what events mean, which are to be shown in order: what comes of a command means what the command was. */
export const reader = (): ((event: Event) => EventSignature) => {
  const commands = new Map<string, { readonly actuator: string; readonly args: string }>()
  return (event) => {
    const { type, payload } = event
    const commandId = text(payload.commandId)
    if (type === COMMANDED && commandId !== undefined) {
      commands.set(commandId, { actuator: text(payload.actuator) ?? "", args: written(payload.args) })
    }
    const command = commandId === undefined ? undefined : commands.get(commandId)
    const about = text(payload.sensor) ?? text(payload.actuator) ?? command?.actuator ?? text(payload.plugin) ?? ""
    const kind = `${type} ${about}`
    const said = written(normalize(event))
    return { kind, said, whole: `${kind} ${said} ${command?.args ?? ""}` }
  }
}

const COMMANDED: CoreName = "ActuatorCommanded"
const DECIDED: CoreName = "DecisionMade"

/** What an event says that is not incidental. A decision is what was chosen, whoever chose. */
export const normalize = ({ type, payload }: Event): JsonObject =>
  Object.fromEntries(
    Object.entries(payload).filter(([field]) => !INCIDENTAL.has(field) && !(type === DECIDED && field === "agent")),
  )

const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** JSON by RFC 8785, so that the order of keys says nothing. */
const written = (value: Json | undefined): string => canonicalize(value) ?? ""

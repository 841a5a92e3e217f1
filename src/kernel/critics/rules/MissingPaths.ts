/** Finds paths of rules that existed at no moment of a task: such a rule is undecided, not false. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import type { EventType } from "../../../events/vocabulary/EventType.ts"
import * as Vocabulary from "../../../events/vocabulary/Vocabulary.ts"
import * as PathPattern from "../../../projections/patch/PathPattern.ts"
import * as DidYouMean from "../../../values/DidYouMean.ts"
import type { Json } from "../../../values/Json.ts"
import type { EarlierCommand, RuleContext } from "../../rules/RuleContext.ts"

export interface MissingPaths {
  readonly observe: (context: RuleContext) => void
  /**
   * Why a rule is undecided: it read a path that existed at no moment. Each entry contains the paths whose absence left
   * the rule without a result at one event; if one of them existed at some moment, the rule is false there.
   */
  readonly neverExisted: (missing: ReadonlyArray<Missed>) => string | undefined
}

/** Paths that were missing together, and the last event at which they were. */
export interface Missed {
  readonly reads: ReadonlyArray<PathPattern.Read>
  readonly event: Event
}

type At = NonNullable<PathPattern.Read["at"]>

/**
 * A path of the state or the task exists at some moment, or never. A member of an event, of arguments or of a result
 * may be absent in this one alone; a rule about it is then false. Only a name that is neither in the vocabulary nor in
 * any event of the task is a mistake.
 */
export const start = (reads: ReadonlyArray<PathPattern.Read>): MissingPaths => {
  let sought = reads.filter(({ at }) => at !== undefined && SOUGHT.has(at.variable))
  let last: RuleContext | undefined
  const isThere = ({ at }: PathPattern.Read, context: RuleContext, before: RuleContext | undefined): boolean => {
    if (at?.variable === "event") return PathPattern.exists({ ...context.event } as Json, at.steps)
    const [now, then] = at?.variable === "state" ? [context.state, before?.state] : [context.task, before?.task]
    return now !== then && PathPattern.exists(now as Json, at?.steps ?? [])
  }
  const nearest = ({ variable, steps }: At, event: Event): string => {
    if (variable === "command") return `command, which has ${COMMAND.join(", ")}`
    if (variable === "commands") return `commands[*], which has ${COMMANDS.join(", ")}`
    const field = variable === "event" && steps[0] === "payload" ? steps[1] : undefined
    const [similar] = typeof field === "string" ? DidYouMean.similarNames(field, [...payloadNames()]) : []
    if (similar !== undefined && !Object.hasOwn(event.payload, similar)) {
      const types = [...Vocabulary.core.types.values()].filter((type) => fieldsOf(type).includes(similar))
      return `event.payload.${similar}, of ${types
        .slice(0, MAX_TYPES)
        .map(({ name }) => name)
        .join(", ")}${types.length > MAX_TYPES ? " …" : ""}`
    }
    const document = variable === "state" ? last?.state : variable === "task" ? last?.task : undefined
    return PathPattern.nearest(variable, (document ?? { ...event }) as Json, steps)
  }
  const isMistake = (read: PathPattern.Read): boolean => {
    const { at } = read
    if (at === undefined) return false
    const [first, second] = at.steps
    switch (at.variable) {
      case "state":
      case "task":
        return isSought(read)
      case "event":
        return isSought(read) && !isOfEvents(at.steps)
      case "command":
        return typeof first === "string" && !COMMAND.includes(first)
      case "commands":
        return typeof second === "string" && !COMMANDS.includes(second)
      default:
        return false
    }
  }
  const isSought = ({ text }: PathPattern.Read): boolean => sought.some((read) => read.text === text)
  return {
    observe: (context) => {
      if (sought.length > 0) sought = sought.filter((read) => !isThere(read, context, last))
      last = context
    },
    neverExisted: (missing) => {
      const found = missing.find(({ reads }) => reads.length > 0 && reads.every(isMistake))
      const read = found?.reads[0]
      if (found === undefined || read?.at === undefined) return undefined
      return `the path ${read.text} existed at no moment of the task; nearest: ${nearest(read.at, found.event)}`
    },
  }
}

const MAX_TYPES = 3

const SOUGHT: ReadonlySet<string> = new Set(["state", "task", "event"])

const COMMAND: ReadonlyArray<string> = ["actuator", "args"]
const COMMANDS: ReadonlyArray<string> = [
  ...(["id", "actuator", "args", "digest", "position", "outcome"] satisfies ReadonlyArray<keyof EarlierCommand>),
]

const isOfEvents = ([first, second]: PathPattern.PathPattern): boolean => {
  if (typeof first !== "string") return true
  if (first === "payload") return typeof second !== "string" || payloadNames().has(second)
  return ENVELOPE.has(first)
}

const ENVELOPE: ReadonlySet<string> = new Set<keyof Event>([
  ...(["position", "id", "timeline", "stream", "version", "type", "schemaVersion", "taskId", "causationId"] as const),
  ...(["actor", "occurredAt", "recordedAt", "payload", "personal", "hash"] as const),
])

let names: ReadonlySet<string> | undefined

const payloadNames = (): ReadonlySet<string> => {
  names ??= new Set([...Vocabulary.core.types.values()].flatMap(fieldsOf))
  return names
}

const fieldsOf = ({ payload }: EventType): ReadonlyArray<string> =>
  "fields" in payload && typeof payload.fields === "object" && payload.fields !== null
    ? Object.keys(payload.fields)
    : []

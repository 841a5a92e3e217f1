/** Finds the things that an agent had read before a call, and those that it had not: its recorded readings, and changes after them. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { at, count, shorten } from "../../values/Formats.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { oneLine } from "../../values/PlainText.ts"
import { type Course, nameOf, type Step } from "./Course.ts"
import type { Link } from "./FailureChain.ts"
import type * as Flow from "./Flow.ts"

/** Maximum number of links of each kind. */
const MOST = 2

interface Given {
  /** The task's events, oldest first. */
  readonly events: ReadonlyArray<Event>
  readonly own: Course
  readonly flow: () => Flow.Flow
  /** The recorded decision behind the call. */
  readonly decision: Event | undefined
}

/** Things that the call's agent had read: the readings that its decision names, else results with values of the call. */
export const readBefore = (step: Step, { events, flow, decision }: Given): ReadonlyArray<Link> => {
  const based = basedOn(events, decision)
  if (based.length > 0)
    return based.slice(-MOST).map(({ position, says }) => ({ position, role: "read", says, basis: "recorded" }))
  return flow()
    .usesOf(step)
    .slice(0, MOST)
    .map(({ at: position, from, step: source }) => ({
      position,
      role: "read",
      says: `${source === null ? oneLine(from) : nameOf(source)} told a value of the call`,
      basis: "inferred",
      rule: "same values",
    }))
}

const basedOn = (events: ReadonlyArray<Event>, decision: Event | undefined) => {
  if (decision === undefined || !is(decision, "DecisionMade")) return []
  const positions = new Set(decision.payload.basedOn)
  return events.flatMap((event) =>
    positions.has(event.position) && is(event, "SensorRead")
      ? [{ position: event.position, says: `the decision names this reading of ${oneLine(event.payload.sensor)}` }]
      : [],
  )
}

/** Things that the call's agent had not read: changes of worlds after its last reading, and the file that it changes. */
export const unreadBefore = (step: Step, given: Given): ReadonlyArray<Link> => [
  ...changesSince(step, given).slice(-MOST),
  ...neverNamed(step, given),
]

/** Changes between the last reading of a plugin's sensors and the call, if another one than the agent caused them. */
const changesSince = (step: Step, { events }: Given): ReadonlyArray<Link> => {
  const read = new Map<string, { readonly at: number; readonly sensor: string }>()
  const found = new Map<string, Link>()
  const commandsOf = new Map<string, string>()
  const ownCommands = new Set<string>()
  for (const event of events) {
    if (event.position >= step.at) break
    if (is(event, "ActuatorCommanded") && isOf(event.payload.agentId, step)) ownCommands.add(event.payload.commandId)
    const { commandId } = event.payload
    if (typeof commandId === "string") commandsOf.set(event.id, commandId)
    if (is(event, "SensorRead") && isOf(event.payload.agentId, step)) {
      const { sensor } = event.payload
      const plugin = pluginOf(sensor)
      read.set(plugin, { at: event.position, sensor })
      found.delete(plugin)
    } else if (is(event, "EnvironmentChanged")) {
      const { plugin, patch, unattributed } = event.payload
      const last = read.get(plugin)
      const cause = commandsOf.get(event.causationId ?? "")
      const isOwn = cause !== undefined && ownCommands.has(cause)
      if (last === undefined || isOwn || plugin !== pluginOf(step.actuator)) continue
      const by = unattributed === "no-call" ? " by a person or another program" : ""
      found.set(plugin, {
        position: event.position,
        role: "unread",
        says: `${oneLine(plugin)} changed${by} (${count(patch.length, "value")}) after the last reading of ${oneLine(last.sensor)} ${at(last.at)}`,
        basis: "inferred",
        rule: "no reading since",
      })
    }
  }
  return [...found.values()]
}

/** Whether a reading or a call is of the agent of the call. In a task with one agent, they name none. */
const isOf = (agentId: string | undefined, { by }: Step): boolean => agentId === undefined || agentId === by

const pluginOf = (component: string): string => component.split("/")[0] ?? ""

/** The members of arguments that name a file, and those that say that a call changes it. */
const FILES = ["file_path", "filePath", "notebook_path", "path"] as const
const CONTENTS = ["content", "contents", "new_string", "newString", "new_source", "file_text", "text", "edits"] as const

/** The file that a call changes, as its arguments name it. */
const changedFile = (args: Json): string | undefined => {
  if (!isObject(args) || !CONTENTS.some((name) => Object.hasOwn(args, name))) return undefined
  return FILES.map((name) => args[name]).find((path): path is string => typeof path === "string" && path !== "")
}

const neverNamed = (step: Step, { own }: Given): ReadonlyArray<Link> => {
  const file = changedFile(step.args)
  if (file === undefined) return []
  const sought = JSON.stringify(file).slice(1, -1)
  const isNamed = (value: Json) => JSON.stringify(value).includes(sought)
  const isKnown =
    own.steps.some((other) => other.at < step.at && isNamed(other.args)) ||
    own.sources.some((source) => source.at < step.at && source.from !== "goal" && isNamed(source.value))
  if (isKnown) return []
  return [
    {
      position: step.at,
      role: "unread",
      says: `${nameOf(step)} changes ${shorten(oneLine(file), 80)}, which it had not read, unless it is new`,
      basis: "inferred",
      rule: "never named",
    },
  ]
}

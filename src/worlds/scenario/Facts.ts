/** What the conditions and triggers of a scenario look at: a fold over the events of its task. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskRuleContexts from "../../kernel/critics/rules/TaskRuleContexts.ts"
import type { RuleContext } from "../../kernel/rules/RuleContext.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { agentsOf, canonical, type Scenario } from "./Document.ts"

/** A command that came to its end. */
export interface EndedCommand {
  readonly actuator: string
  readonly args: JsonObject
  readonly succeeded: boolean
}

/** What is known after an event, or after a command's end and the change of the world that it made. */
export interface Facts {
  readonly position: number
  /** The contexts of rules, one for each of the events. */
  readonly contexts: ReadonlyArray<RuleContext>
  /** Whether the world was reset. Before that, nothing is carried, found or set. */
  readonly started: boolean
  /** The number of the agent's commands that came to an end, refused ones too. */
  readonly steps: number
  /** The command that ended, if one did and an agent gave it. */
  readonly command: EndedCommand | undefined
  /** Whether an agent carries an item; without an id, any agent. */
  readonly carries: (item: string, agentId?: string) => boolean
  /** Whether an item is carried, or came to light. */
  readonly found: (item: string, agentId?: string) => boolean
  /** Whether a flag is set, by the scenario or in the world. */
  readonly flag: (flag: string, agentId?: string) => boolean
  /** The state of an agent: its part of the world's document, and what it recorded of itself. */
  readonly stateOf: (agentId?: string) => JsonObject
}

/** Flags that the responses of a scenario set. */
export type Flags = ReadonlySet<string>

/** The fold. */
export interface FactsFold {
  /** The facts after events that were committed together. `flags` is asked when a flag is looked up. */
  readonly after: (events: ReadonlyArray<Event>, flags: () => Flags) => Facts
}

/** The id under which a flag is kept that is set for all agents. */
export const ALL = "*"

/** The name under which a flag of an agent is kept; without an id, that any agent has it. */
export const flagKey = (flag: string, agentId?: string): string =>
  agentId === undefined ? canonical(flag) : `${agentId}/${canonical(flag)}`

/** The flags that the agents of a scenario begin with. */
export const initialFlags = (scenario: Scenario): Flags =>
  new Set(
    agentsOf(scenario).flatMap(({ agent_id, flags = {} }) =>
      Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flagKey(flag, agent_id), flagKey(flag)] : [])),
    ),
  )

/** Starts with a task. */
export const start = (taskId: string, plugin: string): FactsFold => {
  const contexts = TaskRuleContexts.start(taskId, EVERYTHING)
  /** The commands that have no end yet. */
  const open = new Map<string, { readonly actuator: string; readonly args: JsonObject; readonly own: boolean }>()
  /** The ids of the events by which the scenario acts. */
  const fired = new Set<string>()
  let own: JsonObject = {}
  let steps = 0
  let started = false
  let world: JsonObject = {}

  return {
    after: (events, flags) => {
      let command: EndedCommand | undefined
      const seen: Array<RuleContext> = []
      for (const event of events) {
        const context = contexts.after(event)
        if (context !== undefined) seen.push(context)
        if (is(event, "TriggerFired")) fired.add(event.id)
        if (is(event, "AgentStateChanged") && isObject(event.payload.state)) own = event.payload.state
        if (is(event, "ActuatorCommanded")) {
          const { commandId, actuator, args } = event.payload
          open.set(commandId, { actuator, args: isObject(args) ? args : {}, own: !fired.has(event.causationId ?? "") })
        }
        started ||= (is(event, "EnvironmentReset") && event.payload.plugin === plugin) || ENDS.has(event.type)
        if (!ENDS.has(event.type)) continue
        const commandId = String(event.payload.commandId)
        const ended = open.get(commandId)
        open.delete(commandId)
        if (ended === undefined || !ended.own) continue
        steps += 1
        command = { actuator: ended.actuator, args: ended.args, succeeded: is(event, "CommandSucceeded") }
      }
      const state = seen.at(-1)?.state
      if (state !== undefined && "environment" in state && isObject(state.environment)) {
        const document = state.environment[plugin]
        if (isObject(document)) world = document
      }
      return factsOf({
        position: events.at(-1)?.position ?? 0,
        contexts: seen,
        started,
        steps,
        command,
        world,
        own,
        flags,
      })
    },
  }
}

const EVERYTHING = { mentions: new Set(["state", "command", "counts"] as const), parts: undefined }

/** The events with which a command ends. */
export const ENDS: ReadonlySet<string> = new Set([
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
])

const factsOf = ({
  world,
  own,
  flags,
  ...rest
}: Pick<Facts, "position" | "contexts" | "started" | "steps" | "command"> & {
  readonly world: JsonObject
  readonly own: JsonObject
  readonly flags: () => Flags
}): Facts => {
  const parts = (agentId?: string): ReadonlyArray<JsonObject> => partsOf(world, agentId)
  const carries = (item: string, agentId?: string) =>
    parts(agentId).some(({ inventory }) => isNamed(inventory, canonical(item)))
  return {
    ...rest,
    carries,
    found: (item, agentId) =>
      carries(item, agentId) || parts(agentId).some(({ discovered }) => isNamed(discovered, canonical(item))),
    flag: (flag, agentId) =>
      flags().has(flagKey(flag, agentId)) ||
      flags().has(flagKey(flag, ALL)) ||
      parts(agentId).some(
        (part) =>
          isObject(part.flags) &&
          Object.entries(part.flags).some(([name, isSet]) => isSet === true && canonical(name) === canonical(flag)),
      ),
    stateOf: (agentId) => Object.assign({}, ...parts(agentId), own),
  }
}

/**
 * The parts of a world's document that are about an agent: `agents.<id>`, where the world has it, else the document
 * itself; without an id, the document and all agents.
 */
const partsOf = (world: JsonObject, agentId?: string): ReadonlyArray<JsonObject> => {
  const agents = isObject(world.agents) ? world.agents : {}
  if (agentId === undefined) return [world, ...Object.values(agents).filter(isObject)]
  const own = Object.hasOwn(agents, agentId) ? agents[agentId] : undefined
  return isObject(own) ? [own] : [world]
}

/** Whether a list of texts, or of objects with a name, has this canonical name; or an object has it as a key. */
const isNamed = (list: Json | undefined, name: string): boolean =>
  Array.isArray(list) &&
  list.some((item: Json) => {
    const named = isObject(item) ? item.name : item
    return typeof named === "string" && canonical(named) === name
  })

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

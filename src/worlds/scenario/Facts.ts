/** What the conditions and triggers of a scenario look at: a fold over the events of its task. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskRuleContexts from "../../kernel/critics/rules/TaskRuleContexts.ts"
import type { RuleContext } from "../../kernel/rules/RuleContext.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { agentsOf, canonical, namesOf, type Scenario } from "./Document.ts"

/** A command of an agent that came to its end. */
export interface EndedCommand {
  /** The agent that gave it, in a task with several. */
  readonly agentId: string | undefined
  readonly actuator: string
  readonly args: JsonObject
  readonly succeeded: boolean
}

/** What is known after an event, or after commands' ends and the change of the world that they made. */
export interface Facts {
  readonly position: number
  /** The names of the agents, in a task with several; else none. */
  readonly agents: ReadonlyArray<string>
  /** The contexts of rules, one for each of the events. */
  readonly contexts: ReadonlyArray<RuleContext>
  /** Whether the world was reset. Before that, nothing is carried, found or set. */
  readonly started: boolean
  /** The number of an agent's commands that came to an end, refused ones too; without an id, of the one with the most. */
  readonly steps: (agentId?: string) => number
  /** The commands of agents that ended, in order. */
  readonly commands: ReadonlyArray<EndedCommand>
  /** Whether these facts are looked at once more, because flags were set. */
  readonly again: boolean
  /** Whether an agent carries an item; without an id, any agent. */
  readonly carries: (item: string, agentId?: string) => boolean
  /** Whether an item is carried, or came to light. */
  readonly found: (item: string, agentId?: string) => boolean
  /** Whether a flag is set, by the scenario or in the world. */
  readonly flag: (flag: string, agentId?: string) => boolean
  /** The states of an agent; without an id, of each: its part of the world's document, and what it recorded of itself. */
  readonly statesOf: (agentId?: string) => ReadonlyArray<JsonObject>
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

/** Starts a scenario in a task, in the world of a plugin. */
export const start = (scenario: Scenario, taskId: string, plugin: string): FactsFold => {
  const contexts = TaskRuleContexts.start(taskId, EVERYTHING)
  /** The commands that have no end yet. */
  const open = new Map<string, EndedCommand & { readonly isStep: boolean }>()
  /** The ids of the events by which the scenario acts. */
  const fired = new Set<string>()
  /** What agents recorded of themselves, and their steps, by name; without one in a task with one agent. */
  const own = new Map<string | undefined, JsonObject>()
  const steps = new Map<string | undefined, number>()
  let agents = namesOf(scenario)
  let started = false
  let world: JsonObject = {}

  return {
    after: (events, flags) => {
      const commands: Array<EndedCommand> = []
      const seen: Array<RuleContext> = []
      for (const event of events) {
        const context = contexts.after(event)
        if (context !== undefined) seen.push(context)
        if (is(event, "TaskOpened")) agents = event.payload.agents ?? []
        if (is(event, "TriggerFired")) fired.add(event.id)
        if (is(event, "AgentStateChanged") && isObject(event.payload.state)) {
          own.set(event.payload.agentId, event.payload.state)
        }
        if (is(event, "ActuatorCommanded")) {
          const { commandId, actuator, args, agentId } = event.payload
          const isOwn = isStep(event) && !fired.has(event.causationId ?? "")
          open.set(commandId, {
            actuator,
            args: isObject(args) ? args : {},
            agentId,
            succeeded: false,
            isStep: isOwn,
          })
        }
        started ||= (is(event, "EnvironmentReset") && event.payload.plugin === plugin) || ENDS.has(event.type)
        if (!ENDS.has(event.type)) continue
        const commandId = String(event.payload.commandId)
        const ended = open.get(commandId)
        open.delete(commandId)
        if (ended === undefined || !ended.isStep) continue
        steps.set(ended.agentId, (steps.get(ended.agentId) ?? 0) + 1)
        commands.push({ ...ended, succeeded: is(event, "CommandSucceeded") })
      }
      const state = seen.at(-1)?.state
      if (state !== undefined && "environment" in state && isObject(state.environment)) {
        const document = state.environment[plugin]
        if (isObject(document)) world = document
      }
      const last = events.findLast(({ type }) => !REWARDS.has(type)) ?? events.at(-1)
      return factsOf({
        position: last?.position ?? 0,
        contexts: seen,
        again: false,
        agents,
        started,
        steps,
        commands,
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

/** What a world gives for a step. */
export const REWARDS: ReadonlySet<string> = new Set(["RewardGiven", "PunishmentGiven"])

type Of<Value> = ReadonlyMap<string | undefined, Value>

const factsOf = ({
  world,
  own,
  flags,
  steps,
  ...rest
}: Pick<Facts, "position" | "agents" | "contexts" | "started" | "commands" | "again"> & {
  readonly world: JsonObject
  readonly own: Of<JsonObject>
  readonly flags: () => Flags
  readonly steps: Of<number>
}): Facts => {
  const { agents } = rest
  const parts = (agentId?: string) => partsOf(world, agents, agentId)
  const carries = (item: string, agentId?: string) =>
    parts(agentId).some(({ inventory }) => isNamed(inventory, canonical(item)))
  const stateOf = (agentId?: string): JsonObject => Object.assign({}, ...parts(agentId), own.get(agentId))
  return {
    ...rest,
    steps: (agentId) =>
      agentId === undefined || agents.length === 0 ? Math.max(0, ...steps.values()) : (steps.get(agentId) ?? 0),
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
    statesOf: (agentId) => {
      if (agents.length === 0) return [stateOf()]
      return (agentId === undefined ? agents : [agentId]).map((each) => stateOf(each))
    },
  }
}

/**
 * The parts of a world's document that are about an agent: `agents.<id>`, where the world has it. Without an id, and in a
 * task with one agent, they are the document and all agents in it.
 */
const partsOf = (world: JsonObject, names: ReadonlyArray<string>, agentId?: string): ReadonlyArray<JsonObject> => {
  const agents = isObject(world.agents) ? world.agents : undefined
  if (agents === undefined) return [world]
  if (agentId !== undefined) {
    const own = Object.hasOwn(agents, agentId) ? agents[agentId] : undefined
    if (isObject(own)) return [own]
    if (names.length > 0) return []
  }
  return [world, ...Object.values(agents).filter(isObject)]
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

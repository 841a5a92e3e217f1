/** Folds the events of a task into the facts that a scenario's conditions and triggers evaluate. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskRuleContexts from "../../kernel/critics/rules/TaskRuleContexts.ts"
import type { RuleContext } from "../../kernel/rules/RuleContext.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { agentsOf, canonical, namesOf, type Scenario } from "./Document.ts"

/** A command of an agent that has ended. */
export interface EndedCommand {
  /** Set in a task with several agents. */
  readonly agentId: string | undefined
  readonly actuator: string
  readonly args: JsonObject
  readonly succeeded: boolean
}

/** The facts after one commit. */
export interface Facts {
  readonly position: number
  /** The names of the agents in a task with several; otherwise empty. */
  readonly agents: ReadonlyArray<string>
  /** One rule context per event of the commit. */
  readonly contexts: ReadonlyArray<RuleContext>
  /** Whether the world was reset. Before that, no agent carries an item and no flag is set. */
  readonly started: boolean
  /**
   * The number of an agent's commands that ended, including refused ones; without an id, the highest number of any
   * agent.
   */
  readonly steps: (agentId?: string) => number
  /** The agents' commands that ended in this commit, in order. */
  readonly commands: ReadonlyArray<EndedCommand>
  /** Whether triggers evaluate these facts again because responses set flags. */
  readonly again: boolean
  /** Whether the agent carries the item; without an id, whether any agent does. */
  readonly carries: (item: string, agentId?: string) => boolean
  /** Whether the item is carried or discovered. */
  readonly found: (item: string, agentId?: string) => boolean
  /** Whether the flag is set, by the scenario or in the world. */
  readonly flag: (flag: string, agentId?: string) => boolean
  /**
   * The agent's state, or without an id each agent's: its part of the world's document, merged with its recorded inner
   * state.
   */
  readonly statesOf: (agentId?: string) => ReadonlyArray<JsonObject>
}

export type Flags = ReadonlySet<string>

export interface FactsFold {
  /** Returns the facts after the events of one commit. Flag lookups call `flags`. */
  readonly after: (events: ReadonlyArray<Event>, flags: () => Flags) => Facts
}

/** All agents, in the key of a flag. */
export const ALL = "*"

/** The key of an agent's flag; without an id, the key that tells that some agent has it. */
export const flagKey = (flag: string, agentId?: string): string =>
  agentId === undefined ? canonical(flag) : `${agentId}/${canonical(flag)}`

/** The flags that the agents of a scenario begin with. */
export const initialFlags = (scenario: Scenario): Flags =>
  new Set(
    agentsOf(scenario).flatMap(({ agent_id, flags = {} }) =>
      Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flagKey(flag, agent_id), flagKey(flag)] : [])),
    ),
  )

/** Starts the fold for a task in the world of a plugin. */
export const start = (scenario: Scenario, taskId: string, plugin: string): FactsFold => {
  const contexts = TaskRuleContexts.start(taskId, EVERYTHING)
  const open = new Map<string, EndedCommand & { readonly isStep: boolean }>()
  /** Ids of the scenario's own responses. */
  const fired = new Set<string>()
  /** Inner states and step counts by agent, under undefined in a task with one agent. */
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

/** Types of events that end a command. */
export const ENDS: ReadonlySet<string> = new Set([
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
])

/** Types of a world's rewards. */
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
 * An agent's part of a world's document: `agents.<id>`, if there is one. Without an id, or in a task with one agent,
 * the document and all agents in it.
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

/** Whether a list of strings, or of objects with a name, contains this canonical name. */
const isNamed = (list: Json | undefined, name: string): boolean =>
  Array.isArray(list) &&
  list.some((item: Json) => {
    const named = isObject(item) ? item.name : item
    return typeof named === "string" && canonical(named) === name
  })

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

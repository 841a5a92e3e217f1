/** Reads a recorded task from the log: what its agent asked, and the answers. */

import { type Context, Data, Effect } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { CommandOutcome } from "../acting/Command.ts"
import { manifestOf } from "../registry/Registry.ts"
import { measureName, ofManifests } from "../rules/Rubric.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import * as Capabilities from "../tasks/Capabilities.ts"
import { ModelCallFailed, type ModelCallRequest, type ModelCallResponse } from "../tasks/ModelCalls.ts"
import * as PinnedVersions from "../tasks/PinnedVersions.ts"
import { outcomes } from "./RecordedOutcomes.ts"

/** A request of an agent to its task, with the recorded answer. */
export type Request =
  | {
      readonly kind: "perceive"
      readonly position: number
      readonly until: number
      readonly readings: ReadonlyArray<Reading>
    }
  | {
      readonly kind: "decide"
      readonly position: number
      readonly until: number
      readonly event: Event
      readonly decision: PayloadOf<"DecisionMade">
    }
  | {
      readonly kind: "act"
      readonly position: number
      /** Position of the command's last event; `Infinity` if it has no outcome. */
      readonly until: number
      readonly actuator: string
      readonly args: JsonObject
      /** Null if the log has no outcome. */
      readonly outcome: CommandOutcome | null
    }
  | {
      readonly kind: "say"
      readonly position: number
      readonly until: number
      readonly event: Event
      readonly content: string
    }
  | ({ readonly kind: "consult"; readonly position: number; readonly until: number } & Consultation)

/** A call of a language model. `answer` is null if the log has neither a response nor a failure. */
export interface Consultation {
  readonly question: Pick<ModelCallRequest, "provider" | "model" | "request">
  readonly answer: ModelCallResponse | ModelCallFailed | null
}

/** What an agent is given when it begins. */
export interface Instructions {
  readonly goal: string
  readonly seed: number
}

/** A recorded task: the requests of its agent in order, with their answers. */
export interface Recording {
  readonly taskId: string
  /** The timeline in whose history the task was read. */
  readonly timeline: string
  readonly opened: Event & { readonly payload: PayloadOf<"TaskOpened"> }
  /** The goal and seed of its agent, with the overrides of a fork. */
  readonly instructions: Instructions
  /**
   * Where its timeline was forked, and whether the agent started fresh there; null on a timeline that is no fork of
   * the task.
   */
  readonly forked: { readonly at: number; readonly fresh: boolean } | null
  /** The plugins that took part. */
  readonly plugins: ReadonlyArray<string>
  /** The registry after the event at a position, with each plugin in the version that the task was opened with. */
  readonly registryAt: (position: number) => PluginRegistry.PluginRegistry
  readonly requests: ReadonlyArray<Request>
  /** Its end; null if the log has none. */
  readonly closed: (Event & { readonly payload: PayloadOf<"TaskClosed"> }) | null
  /** All events of the task, up to its end. */
  readonly events: ReadonlyArray<Event>
  /** What could be perceived and commanded after the event at a position. */
  readonly capabilitiesAt: (position: number) => Capabilities.Capabilities
}

/** The task cannot be replayed: personal fields of its events can no longer be decrypted. */
export class NotReplayable extends Data.TaggedError("NotReplayable")<{
  readonly taskId: string
  readonly position: number
}> {
  override get message() {
    return `Task ${this.taskId} cannot be replayed or forked: the personal fields of the event at @${this.position} cannot be read, because their key was destroyed or is missing. If the key file still exists, put it beside the log (<log>.keys).`
  }
}

type Log = Context.Tag.Service<EventLog>

/** Reads a task's recording in the history of the log's timeline. */
export const load = (
  log: Log,
  taskId: string,
): Effect.Effect<Recording, TaskNotFound | NotReplayable | LogError, Projector> =>
  Effect.gen(function* () {
    const { timeline } = log
    const events: Array<Event> = []
    let ended = false
    yield* Pages.forEach(log.readPage, { timeline, taskId }, (page) => {
      for (const event of page) {
        // Events after the close are about the task, not part of it.
        if (!ended) events.push(event)
        ended ||= is(event, "TaskClosed")
      }
    })
    const opened = events.find((event) => is(event, "TaskOpened"))
    if (opened === undefined || !is(opened, "TaskOpened")) return yield* new TaskNotFound({ taskId })
    const encrypted = events.find(({ personal }) => personal?.readable === false)
    if (encrypted !== undefined) return yield* new NotReplayable({ taskId, position: encrypted.position })
    const last = events.at(-1)
    const registry = yield* standingAt(opened.position)
    const plugins = opened.payload.plugins ?? presumedPlugins(registry, opened.payload.measures)
    const registryAt = yield* registries(log, registry, opened.position, last?.position ?? 0)
    const offered = offering(plugins)
    const forks = events.flatMap((event) => (is(event, "TimelineForked") ? [event.payload] : []))
    const fork = forks.at(-1)
    return {
      ...{ taskId, timeline, opened, plugins, registryAt, events },
      instructions: forks.reduce(overriddenBy, { goal: opened.payload.goal, seed: opened.payload.seed ?? 0 }),
      forked: fork === undefined ? null : { at: fork.at, fresh: fork.overrides.fresh === true },
      requests: requestsOf(events),
      closed: last !== undefined && is(last, "TaskClosed") ? last : null,
      capabilitiesAt: (position) => offered(registryAt(position)),
    }
  })

/** Applies the overrides of a fork. */
const overriddenBy = (
  instructions: Instructions,
  { overrides: { goal, seed } }: PayloadOf<"TimelineForked">,
): Instructions => ({
  goal: typeof goal === "string" ? goal : instructions.goal,
  seed: typeof seed === "number" ? seed : instructions.seed,
})

const standingAt = (position: number) =>
  Effect.flatMap(Projector, (projector) => projector.stateAt(PluginRegistry.projection, position)).pipe(
    // The event at that position was just read.
    Effect.catchTag("PositionOutOfRange", Effect.die),
  )

/**
 * The plugins that took part, if an old log does not list them: all active plugins whose measures all score the task.
 */
const presumedPlugins = (
  registry: PluginRegistry.PluginRegistry,
  measures: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  Object.entries(registry).flatMap(([name, plugin]) => {
    const own = plugin.active ? ofManifests([manifestOf(plugin)]).measures.map(measureName) : []
    return plugin.active && own.every((measure) => measures.includes(measure)) ? [name] : []
  })

/** Event types that change which sensors and actuators are available. */
const REGISTRY = [
  ...["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated", "PluginQuarantined"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged"],
]

/** The registry during the task, folded from its opening, with the versions of that time. */
const registries = (
  log: Log,
  began: PluginRegistry.PluginRegistry,
  after: number,
  until: number,
): Effect.Effect<Recording["registryAt"], LogError> =>
  Effect.gen(function* () {
    const changes = [{ position: after, pinned: began }]
    let registry = began
    // All timelines share one registry, whose events are on `main`.
    yield* Pages.forEach(log.readPage, { timeline: MAIN, types: REGISTRY, after, until }, (page) => {
      for (const event of page) {
        registry = PluginRegistry.projection.evolve(registry, event)
        changes.push({ position: event.position, pinned: PinnedVersions.withVersionsOf(registry, began) })
      }
    })
    return (position) => changes.findLast((change) => change.position <= position)?.pinned ?? began
  })

/** The capabilities that a registry offers, computed once for each. */
const offering = (plugins: ReadonlyArray<string>) => {
  const known = new WeakMap<PluginRegistry.PluginRegistry, Capabilities.Capabilities>()
  return (registry: PluginRegistry.PluginRegistry): Capabilities.Capabilities => {
    const offered = known.get(registry) ?? Capabilities.offered(registry, (plugin) => plugins.includes(plugin))
    known.set(registry, offered)
    return offered
  }
}

const requestsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const decided = events.some(isChoice)
  const readings = decided ? fromDecisions(events) : fromPerceptions(events)
  return [...readings, ...fromEvents(events)].sort((a, b) => a.position - b.position)
}

/**
 * The perceptions of a deciding agent. There is one before each decision, whose `basedOn` lists the readings; it is
 * placed right before the decision. A perception after the last decision is found by the perception numbers.
 */
const fromDecisions = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const byPosition = new Map(events.map((event) => [event.position, event]))
  const consulted = events.filter((event) => is(event, "ModelCalled"))
  let before = 0
  const perceived = events.flatMap((event) => {
    if (!isChoice(event)) return []
    const evidence = (event.payload.basedOn ?? []).flatMap((position) => byPosition.get(position) ?? [])
    // The readings were perceived before a model was consulted about them.
    const consultedAt = consulted.find(({ position }) => position > before)?.position ?? event.position
    before = event.position
    return [perceiving(evidence, Math.min(consultedAt, event.position) - 0.5)]
  })
  const last = events.findLast(isChoice)?.position ?? 0
  return [...perceived, ...fromPerceptions(events.filter(({ position }) => position > last)).slice(0, 1)]
}

/** The perceptions of an agent that advances by itself. */
const fromPerceptions = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const perceptions = new Map<number, Array<Event>>()
  for (const event of events) {
    const { perception } = event.payload
    if (!PERCEIVING.has(event.type) || typeof perception !== "number") continue
    perceptions.set(perception, [...(perceptions.get(perception) ?? []), event])
  }
  return [...perceptions.values()].map((read) => perceiving(read, read[0]?.position ?? 0))
}

/** Event types that a perception leaves. */
const PERCEIVING: ReadonlySet<string> = new Set(["SensorRead", "SensorFailed", "SensorSkipped"])

/** A perceive request, with the readings in the order in which `perceive` returns them: by priority, then by name. */
const perceiving = (events: ReadonlyArray<Event>, position: number): Request => {
  const read = events.filter((event) => is(event, "SensorRead"))
  const readings = read
    .toSorted(
      ({ payload: a }, { payload: b }) =>
        b.priority - a.priority || (a.sensor < b.sensor ? -1 : Number(a.sensor > b.sensor)),
    )
    .map((event) => ({ sensor: event.payload.sensor, reading: event.payload.reading, position: event.position, event }))
  const until = Math.max(position, ...events.map((event) => event.position))
  return { kind: "perceive", position, until, readings }
}

/** Whether an event is a decision of a deciding agent. One of an agent that thinks in turns lists its calls instead. */
const isChoice = (event: Event): event is Event & { readonly payload: PayloadOf<"DecisionMade"> } =>
  is(event, "DecisionMade") && !("calls" in event.payload.choice)

const responseIn = ({ latencyMs: _, ...response }: PayloadOf<"ModelResponded">): ModelCallResponse => response

const failureIn = ({ latencyMs: _, ...failure }: PayloadOf<"ModelFailed">) => failure

/** The requests that are decisions, commands, messages and model calls. */
const fromEvents = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const ended = outcomes(events)
  const forks = new Set(events.flatMap((event) => (is(event, "TimelineForked") ? [event.id] : [])))
  const answers = new Map(
    events.flatMap((event) =>
      is(event, "ModelResponded") || is(event, "ModelFailed") ? [[event.causationId ?? "", event] as const] : [],
    ),
  )
  return events.flatMap((event): ReadonlyArray<Request> => {
    const { position } = event
    if (isChoice(event)) {
      return [{ kind: "decide", position, until: position, event, decision: event.payload }]
    }
    if (is(event, "MessageSent")) {
      return [{ kind: "say", position, until: position, event, content: event.payload.content }]
    }
    if (is(event, "ModelCalled")) {
      const { provider, model, request } = event.payload
      const answered = answers.get(event.id)
      const until = answered?.position ?? Number.POSITIVE_INFINITY
      const answer =
        answered === undefined
          ? null
          : is(answered, "ModelResponded")
            ? responseIn(answered.payload)
            : new ModelCallFailed({ provider, model, ...failureIn(answered.payload) })
      return [{ kind: "consult", position, until, question: { provider, model, request }, answer }]
    }
    if (!is(event, "ActuatorCommanded")) return []
    const { commandId, actuator, args } = event.payload
    const outcome = ended.get(commandId) ?? null
    // The agent never learned that a fork withdrew this command, so it may request it again.
    if (forks.has(outcome?.outcome.event.causationId ?? "")) return []
    const until = outcome === null ? Number.POSITIVE_INFINITY : outcome.until
    return [{ kind: "act", position, until, actuator, args: args as JsonObject, outcome: outcome?.outcome ?? null }]
  })
}

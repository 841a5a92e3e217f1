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
import type { ModelCallRequest, ModelCallResponse } from "../tasks/ModelCalls.ts"
import * as PinnedVersions from "../tasks/PinnedVersions.ts"
import { outcomes } from "./RecordedOutcomes.ts"

/** Something that an agent asked of its task, and what it was answered, as the log has it. */
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
      /** The last event of the command; where it has no outcome, `Infinity`. */
      readonly until: number
      readonly actuator: string
      readonly args: JsonObject
      /** Null where the log does not say how it ended. */
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

/** What was asked of a language model; null where the log has no answer. */
export interface Consultation {
  readonly question: ModelCallRequest
  readonly answer: ModelCallResponse | null
}

/** What an agent is told when it begins. */
export interface Told {
  readonly goal: string
  readonly seed: number
}

/** One task as it was recorded: what its agent asked, in order, and what it was answered. */
export interface Recording {
  readonly taskId: string
  /** The timeline whose history it is of. */
  readonly timeline: string
  readonly opened: Event & { readonly payload: PayloadOf<"TaskOpened"> }
  /** What its agent was told: in a fork, as that says. */
  readonly told: Told
  /** Where its timeline was forked for it, and whether its agent began there; null on a timeline that was not. */
  readonly forked: { readonly at: number; readonly fresh: boolean } | null
  /** The plugins that took part. */
  readonly plugins: ReadonlyArray<string>
  /** The registry as the task saw it after the event at a position: each plugin in the version that it began with. */
  readonly registryAt: (position: number) => PluginRegistry.PluginRegistry
  readonly requests: ReadonlyArray<Request>
  /** How it ended; null where the log does not say. */
  readonly closed: (Event & { readonly payload: PayloadOf<"TaskClosed"> }) | null
  /** Every event of the task, up to its end. */
  readonly events: ReadonlyArray<Event>
  /** What could be perceived and done after the event at a position. */
  readonly capabilitiesAt: (position: number) => Capabilities.Capabilities
}

/** The task was recorded and cannot be replayed: what its agent was told, or chose, can no longer be read. */
export class NotReplayable extends Data.TaggedError("NotReplayable")<{
  readonly taskId: string
  readonly position: number
}> {
  override get message() {
    return `Task ${this.taskId} cannot be replayed or forked: the personal fields of the event at @${this.position} cannot be read, for their key was destroyed or is not here. With the key file beside the log (<log>.keys) they can.`
  }
}

type Log = Context.Tag.Service<EventLog>

/** Reads a task's recording from a log, in the history of the timeline that the log stands for. */
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
        // What comes after the close is about the task, not part of it.
        if (!ended) events.push(event)
        ended ||= is(event, "TaskClosed")
      }
    })
    const opened = events.find((event) => is(event, "TaskOpened"))
    if (opened === undefined || !is(opened, "TaskOpened")) return yield* new TaskNotFound({ taskId })
    const sealed = events.find(({ personal }) => personal?.readable === false)
    if (sealed !== undefined) return yield* new NotReplayable({ taskId, position: sealed.position })
    const last = events.at(-1)
    const registry = yield* standingAt(opened.position)
    const plugins = opened.payload.plugins ?? presumed(registry, opened.payload.measures)
    const registryAt = yield* registries(log, registry, opened.position, last?.position ?? 0)
    const offered = offering(plugins)
    const forks = events.flatMap((event) => (is(event, "TimelineForked") ? [event.payload] : []))
    const fork = forks.at(-1)
    return {
      ...{ taskId, timeline, opened, plugins, registryAt, events },
      told: forks.reduce(toldIn, { goal: opened.payload.goal, seed: opened.payload.seed ?? 0 }),
      forked: fork === undefined ? null : { at: fork.at, fresh: fork.overrides.fresh === true },
      requests: requestsOf(events),
      closed: last !== undefined && is(last, "TaskClosed") ? last : null,
      capabilitiesAt: (position) => offered(registryAt(position)),
    }
  })

/** Everything that a fork does not say otherwise is as it was. */
const toldIn = (told: Told, { overrides: { goal, seed } }: PayloadOf<"TimelineForked">): Told => ({
  goal: typeof goal === "string" ? goal : told.goal,
  seed: typeof seed === "number" ? seed : told.seed,
})

const standingAt = (position: number) =>
  Effect.flatMap(Projector, (projector) => projector.stateAt(PluginRegistry.projection, position)).pipe(
    // The event there was just read.
    Effect.catchTag("PositionOutOfRange", Effect.die),
  )

/** Who took part, where an old log does not say: every active plugin, unless the task is not scored by its measures. */
const presumed = (registry: PluginRegistry.PluginRegistry, measures: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(registry).flatMap(([name, plugin]) => {
    const own = plugin.active ? ofManifests([manifestOf(plugin)]).measures.map(measureName) : []
    return plugin.active && own.every((measure) => measures.includes(measure)) ? [name] : []
  })

/** Of what a registry says, that on which it depends what can be perceived and done. */
const REGISTRY = [
  ...["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated", "PluginQuarantined"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged"],
]

/** The registry over the course of a task: folded on from its opening, in the versions that it began with. */
const registries = (
  log: Log,
  began: PluginRegistry.PluginRegistry,
  after: number,
  until: number,
): Effect.Effect<Recording["registryAt"], LogError> =>
  Effect.gen(function* () {
    const changes = [{ position: after, seen: began }]
    let registry = began
    // The registry is one for all timelines: what is said of it is said on main.
    yield* Pages.forEach(log.readPage, { timeline: MAIN, types: REGISTRY, after, until }, (page) => {
      for (const event of page) {
        registry = PluginRegistry.projection.evolve(registry, event)
        changes.push({ position: event.position, seen: PinnedVersions.asBegun(registry, began) })
      }
    })
    return (position) => changes.findLast((change) => change.position <= position)?.seen ?? began
  })

/** What a registry offers, put together once for each. */
const offering = (plugins: ReadonlyArray<string>) => {
  const known = new WeakMap<PluginRegistry.PluginRegistry, Capabilities.Capabilities>()
  return (registry: PluginRegistry.PluginRegistry): Capabilities.Capabilities => {
    const offered = known.get(registry) ?? Capabilities.offered(registry, (plugin) => plugins.includes(plugin))
    known.set(registry, offered)
    return offered
  }
}

const requestsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const decided = events.some((event) => is(event, "DecisionMade"))
  const readings = decided ? fromDecisions(events) : fromPerceptions(events)
  return [...readings, ...fromEvents(events)].sort((a, b) => a.position - b.position)
}

/**
 * What a deciding agent perceived: before each decision once, and the decision names what that was. Its place is right
 * before the decision; what was perceived after the last one is told by the numbers of perceptions.
 */
const fromDecisions = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const byPosition = new Map(events.map((event) => [event.position, event]))
  const consulted = events.filter((event) => is(event, "ModelCalled"))
  let before = 0
  const perceived = events.flatMap((event) => {
    if (!is(event, "DecisionMade")) return []
    const grounds = (event.payload.basedOn ?? []).flatMap((position) => byPosition.get(position) ?? [])
    // What it was based on was perceived before anybody was consulted about it.
    const asked = consulted.find(({ position }) => position > before)?.position ?? event.position
    before = event.position
    return [perceiving(grounds, Math.min(asked, event.position) - 0.5)]
  })
  const last = events.findLast((event) => is(event, "DecisionMade"))?.position ?? 0
  return [...perceived, ...fromPerceptions(events.filter(({ position }) => position > last)).slice(0, 1)]
}

/** What an agent perceived that perceives by itself. */
const fromPerceptions = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const perceptions = new Map<number, Array<Event>>()
  for (const event of events) {
    if (!is(event, "SensorRead") || event.payload.perception === undefined) continue
    const { perception } = event.payload
    perceptions.set(perception, [...(perceptions.get(perception) ?? []), event])
  }
  return [...perceptions.values()].map((read) => perceiving(read, read[0]?.position ?? 0))
}

/** Readings in the order in which perceiving answers with them: by priority, equals by name. */
const perceiving = (events: ReadonlyArray<Event>, position: number): Request => {
  const read = events.filter((event) => is(event, "SensorRead"))
  const readings = read
    .toSorted(
      ({ payload: a }, { payload: b }) =>
        b.priority - a.priority || (a.sensor < b.sensor ? -1 : Number(a.sensor > b.sensor)),
    )
    .map((event) => ({ sensor: event.payload.sensor, reading: event.payload.reading, position: event.position, event }))
  const until = read.length === 0 ? position : Math.max(...read.map((event) => event.position))
  return { kind: "perceive", position, until, readings }
}

/** What was decided, commanded and said. */
const fromEvents = (events: ReadonlyArray<Event>): ReadonlyArray<Request> => {
  const ended = outcomes(events)
  const forks = new Set(events.flatMap((event) => (is(event, "TimelineForked") ? [event.id] : [])))
  const answers = new Map(
    events.flatMap((event) => (is(event, "ModelResponded") ? [[event.causationId ?? "", event] as const] : [])),
  )
  return events.flatMap((event): ReadonlyArray<Request> => {
    const { position } = event
    if (is(event, "DecisionMade")) {
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
        answered === undefined ? null : { response: answered.payload.response, usage: answered.payload.usage }
      return [{ kind: "consult", position, until, question: { provider, model, request }, answer }]
    }
    if (!is(event, "ActuatorCommanded")) return []
    const { commandId, actuator, args } = event.payload
    const outcome = ended.get(commandId) ?? null
    // Its agent was never told that a fork had withdrawn it: it is the agent's to ask for it again.
    if (forks.has(outcome?.outcome.event.causationId ?? "")) return []
    const until = outcome === null ? Number.POSITIVE_INFINITY : outcome.until
    return [{ kind: "act", position, until, actuator, args: args as JsonObject, outcome: outcome?.outcome ?? null }]
  })
}

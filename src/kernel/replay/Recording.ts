/** Reads a recorded task from the log: its agent's requests and their answers. */

import { Effect } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import { NotReplayable } from "../context/NotReplayable.ts"
import { manifestOf } from "../registry/Registry.ts"
import { measureName, ofManifests } from "../rules/Rubric.ts"
import * as Capabilities from "../tasks/Capabilities.ts"
import * as PinnedVersions from "../tasks/PinnedVersions.ts"
import { requestsOf } from "./RecordedRequests.ts"
import type { Request } from "./Request.ts"

export { beforeFirstDecision, isTurn, PERCEIVING } from "./RecordedRequests.ts"
export type { Request } from "./Request.ts"

/** The goal, seed and budget of an agent. */
export interface Instructions {
  readonly goal: string
  readonly seed: number
  readonly budget: TaskBudget | undefined
}

/** A recorded task: the requests of its agent in order, with their answers. */
export interface Recording {
  readonly taskId: string
  /** The timeline whose history has the task. */
  readonly timeline: string
  readonly opened: Event & { readonly payload: PayloadOf<"TaskOpened"> }
  /** The goal and seed, with the overrides of a fork. */
  readonly instructions: Instructions
  /** The fork of its timeline; null if that is no fork of the task. */
  readonly forked: { readonly at: number; readonly fresh: boolean } | null
  readonly plugins: ReadonlyArray<string>
  /** The registry after a position, with the plugin versions of the opening. */
  readonly registryAt: (position: number) => PluginRegistry.PluginRegistry
  readonly requests: ReadonlyArray<Request>
  /** The end, if the log has one. */
  readonly closed: (Event & { readonly payload: PayloadOf<"TaskClosed"> }) | null
  /** All events of the task, up to its end. */
  readonly events: ReadonlyArray<Event>
  /** The available sensors and actuators after a position. */
  readonly capabilitiesAt: (position: number) => Capabilities.Capabilities
}

/** Reads a task's recording in the history of the log's timeline. */
export const load = (
  log: EventLog.Service,
  taskId: string,
): Effect.Effect<Recording, TaskNotFound | NotReplayable | LogError, Projector> =>
  Effect.gen(function* () {
    const { timeline } = log
    const events: Array<Event> = []
    let ended = false
    yield* Pages.forEach(log.readPage, { timeline, taskId }, (page) => {
      for (const event of page) {
        // Later events are about the task, not part of it.
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
    const capabilitiesAt = (position: number) => offered(registryAt(position))
    const forks = events.flatMap((event) => (is(event, "TimelineForked") ? [event.payload] : []))
    const fork = forks.at(-1)
    return {
      taskId,
      timeline,
      opened,
      plugins,
      registryAt,
      events,
      instructions: forks.reduce(overriddenBy, {
        goal: opened.payload.goal,
        seed: opened.payload.seed ?? 0,
        budget: opened.payload.limits?.budget,
      }),
      forked: fork === undefined ? null : { at: fork.at, fresh: fork.overrides.fresh === true },
      requests: requestsOf(events, (position) => capabilitiesAt(position).sensors.length),
      closed: last !== undefined && is(last, "TaskClosed") ? last : null,
      capabilitiesAt,
    }
  })

const overriddenBy = (
  instructions: Instructions,
  { overrides: { goal, seed } }: PayloadOf<"TimelineForked">,
): Instructions => ({
  ...instructions,
  goal: typeof goal === "string" ? goal : instructions.goal,
  seed: typeof seed === "number" ? seed : instructions.seed,
})

const standingAt = (position: number) =>
  Effect.flatMap(Projector, (projector) => projector.stateAt(PluginRegistry.projection, position)).pipe(
    // The event at that position was just read.
    Effect.catchTag("PositionOutOfRange", Effect.die),
  )

/** Old logs do not list the plugins: this takes active ones whose measures all score the task. */
const presumedPlugins = (
  registry: PluginRegistry.PluginRegistry,
  measures: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  Object.entries(registry).flatMap(([name, plugin]) => {
    const own = plugin.active ? ofManifests([manifestOf(plugin)]).measures.map(measureName) : []
    return plugin.active && own.every((measure) => measures.includes(measure)) ? [name] : []
  })

/** Event types that change the available sensors and actuators. */
const REGISTRY = [
  ...["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated", "PluginQuarantined"],
  ...["ComponentActivated", "ComponentDeactivated", "PriorityChanged"],
]

/** Folds the registry from the opening, with the versions of that time. */
const registries = (
  log: EventLog.Service,
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

const offering = (plugins: ReadonlyArray<string>) => {
  const known = new WeakMap<PluginRegistry.PluginRegistry, Capabilities.Capabilities>()
  return (registry: PluginRegistry.PluginRegistry): Capabilities.Capabilities => {
    const offered = known.get(registry) ?? Capabilities.offered(registry, (plugin) => plugins.includes(plugin))
    known.set(registry, offered)
    return offered
  }
}

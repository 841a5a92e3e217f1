/**
 * The results of a task's commands that may be used again (`cacheFor`). A command that gets such a result is not
 * dispatched, and its `CommandSucceeded` names the command that the result is from.
 *
 * Only results of the same task count, of the same agent in it, and of the same version of the plugin. A resumed task
 * and a live fork know those of their past, and none of a future that the fork leaves behind.
 */

import { Clock, Effect } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as MonotonicClock from "../../../platform/MonotonicClock.ts"
import { actuatorsOf } from "../../../plugins/manifest/Manifest.ts"
import type { PluginRegistry } from "../../../projections/state/PluginRegistry.ts"
import type { Json } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import { manifestOf } from "../../registry/Registry.ts"

/** A result, and the command that gave it. */
export interface RecentResult {
  readonly commandId: string
  readonly result: Json
}

/** The parts of a command that decide whether it repeats another one. */
export interface Repeated {
  readonly actuator: string
  readonly argsDigest: string
  readonly agentId?: string | undefined
  /** The digest of the plugin's version. */
  readonly digest: string
}

/**
 * A moment on two clocks, in milliseconds. People can set the first one; the second one may stop in a suspended machine.
 */
export interface Moment {
  readonly wall: number
  /** Undefined for moments of an earlier kernel. */
  readonly monotonic: number | undefined
}

export const now: Effect.Effect<Moment> = Effect.zipWith(
  Clock.currentTimeMillis,
  MonotonicClock.now,
  (wall, monotonic) => ({ wall, monotonic }),
)

export interface RecentResults {
  /** The newest result of an equal command that is at most `ageMs` old by both clocks; undefined if there is none. */
  readonly find: (repeated: Repeated, now: Moment, ageMs: number) => RecentResult | undefined
  /** @param ageMs for how long the result stands, in milliseconds */
  readonly add: (of: Repeated, result: RecentResult, now: Moment, ageMs: number) => void
}

/** The past of a continued task. */
export interface Past {
  /** The events up to where the task continues. */
  readonly events: ReadonlyArray<Event>
  /** The plugins, in the versions of the past. */
  readonly registry: PluginRegistry
  /** Plugins whose worlds a fork overrides: their results are of another world. */
  readonly overridden: ReadonlyArray<string>
}

/** Maximum number of results that a task keeps; the oldest goes first. */
const MOST_RESULTS = 1_000

/** Maximum size of a task's results together, in characters of JSON; the oldest goes first. */
const MOST_CHARACTERS = 16_000_000

interface Kept extends RecentResult {
  readonly at: Moment
  readonly ageMs: number
  readonly characters: number
}

/** Keeps nothing, so that each command is dispatched. */
export const none: RecentResults = { find: () => undefined, add: () => {} }

export const make = (past?: Past): RecentResults => {
  const results = new Map<string, Kept>()
  let characters = 0
  const drop = (key: string) => {
    characters -= results.get(key)?.characters ?? 0
    results.delete(key)
  }
  const keep = (of: Repeated, { commandId, result }: RecentResult, at: Moment, ageMs: number) => {
    const key = keyOf(of)
    drop(key)
    const size = JSON.stringify(result).length
    if (size > MOST_CHARACTERS) return
    results.set(key, { commandId, result, at, ageMs, characters: size })
    characters += size
    for (const oldest of results.keys()) {
      if (results.size <= MOST_RESULTS && characters <= MOST_CHARACTERS) break
      drop(oldest)
    }
  }
  if (past !== undefined) for (const { of, result, at, ageMs } of resultsIn(past)) keep(of, result, at, ageMs)
  return {
    find: (repeated, moment, ageMs) => {
      const found = results.get(keyOf(repeated))
      return found !== undefined && ageAt(moment, found.at) <= ageMs ? found : undefined
    },
    add: (of, result, moment, ageMs) => {
      for (const [key, kept] of results) if (ageAt(moment, kept.at) > kept.ageMs) drop(key)
      keep(of, result, moment, ageMs)
    },
  }
}

/**
 * The longer of the ages by both clocks. A wall clock that was set back says nothing about a result of an earlier
 * kernel.
 */
const ageAt = (now: Moment, at: Moment): number => {
  const byWall = now.wall - at.wall
  if (at.monotonic === undefined || now.monotonic === undefined) return byWall < 0 ? Number.POSITIVE_INFINITY : byWall
  return Math.max(byWall, now.monotonic - at.monotonic)
}

const keyOf = ({ actuator, argsDigest, digest, agentId = "" }: Repeated) =>
  JSON.stringify([actuator, argsDigest, digest, agentId])

interface PastResult {
  readonly of: Repeated
  readonly result: RecentResult
  readonly at: Moment
  readonly ageMs: number
}

/**
 * The recorded results of actuators with `cacheFor`. A result that was shredded is null, so nulls do not count. One
 * that `settle` reported is of an unknown time.
 */
const resultsIn = ({ events, registry, overridden }: Past): ReadonlyArray<PastResult> => {
  const caching = cachingIn(registry)
  if (caching.size === 0) return []
  const forgotten = new Set(overridden)
  const commands = new Map<string, Repeated>()
  let found: Array<PastResult> = []
  for (const event of events) {
    if (is(event, "ActuatorCommanded")) {
      const { commandId, actuator, argsDigest, agentId } = event.payload
      const digest = caching.get(actuator)?.digest
      if (digest !== undefined) commands.set(commandId, { actuator, argsDigest, agentId, digest })
    } else if (is(event, "CommandSucceeded")) {
      const { commandId, result, unrecorded, cachedFrom, settledBy } = event.payload
      const of = commands.get(commandId)
      const ageMs = of === undefined ? undefined : caching.get(of.actuator)?.cacheFor
      if (of === undefined || ageMs === undefined || result === null) continue
      if (unrecorded !== undefined || cachedFrom !== undefined || settledBy !== undefined) continue
      const at = { wall: event.recordedAt, monotonic: undefined }
      found.push({ of, result: { commandId, result }, at, ageMs })
    } else if (is(event, "TimelineForked") && isObject(event.payload.overrides.world)) {
      const { world } = event.payload.overrides
      found = found.filter(({ of }) => !Object.hasOwn(world, pluginOf(of.actuator)))
    }
  }
  return found.filter(({ of }) => !forgotten.has(pluginOf(of.actuator)))
}

/** By name, `plugin/actuator`. */
const cachingIn = (
  registry: PluginRegistry,
): ReadonlyMap<string, { readonly digest: string; readonly cacheFor: number }> =>
  new Map(
    Object.keys(registry).flatMap((plugin) => {
      const found = SafeRecord.get(registry, plugin)
      return found === undefined
        ? []
        : actuatorsOf(manifestOf(found)).flatMap(({ name, cacheFor }) =>
            cacheFor === undefined ? [] : [[`${plugin}/${name}`, { digest: found.digest, cacheFor }] as const],
          )
    }),
  )

const pluginOf = (actuator: string) => actuator.slice(0, actuator.indexOf("/"))

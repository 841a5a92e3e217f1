/**
 * The results of a task's commands that may be used again (`cacheFor`). A command that gets such a result is not
 * dispatched, and its `CommandSucceeded` names the command that the result is from.
 *
 * Only results of the same task count, and of the same agent in it. A resumed task and a fork know those of their past,
 * and none of a future that the fork leaves behind.
 */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../../values/Json.ts"

/** A result, and the command that gave it. */
export interface RecentResult {
  readonly commandId: string
  readonly result: Json
  /** When it was recorded, in epoch milliseconds. */
  readonly at: number
}

/** The parts of a command that decide whether it repeats another one. */
export interface Repeated {
  readonly actuator: string
  readonly argsDigest: string
  readonly agentId?: string | undefined
}

export interface RecentResults {
  /** The newest result of an equal command that is at most `ageMs` old; undefined if there is none. */
  readonly find: (repeated: Repeated, now: number, ageMs: number) => RecentResult | undefined
  readonly add: (of: Repeated, result: RecentResult) => void
}

/** Maximum number of results that a task keeps; the oldest goes first. */
const MOST_RESULTS = 1_000

/** @param past the events of a continued task up to where it continues */
export const make = (past: ReadonlyArray<Event> = []): RecentResults => {
  const results = new Map<string, RecentResult>()
  let unread = past
  const add = (of: Repeated, result: RecentResult) => {
    const key = keyOf(of)
    results.delete(key)
    results.set(key, result)
    const [oldest] = results.size > MOST_RESULTS ? results.keys() : []
    if (oldest !== undefined) results.delete(oldest)
  }
  return {
    add,
    find: (repeated, now, ageMs) => {
      for (const [of, result] of resultsIn(unread)) add(of, result)
      unread = []
      const found = results.get(keyOf(repeated))
      if (found === undefined) return undefined
      const age = now - found.at
      // A clock that was set back says nothing about a result's age.
      return age >= 0 && age <= ageMs ? found : undefined
    },
  }
}

const keyOf = ({ actuator, argsDigest, agentId = "" }: Repeated) => JSON.stringify([actuator, argsDigest, agentId])

/** The recorded results. A result that was shredded is null, so nulls do not count. */
const resultsIn = function* (events: ReadonlyArray<Event>): Iterable<readonly [Repeated, RecentResult]> {
  const commands = new Map<string, Repeated>()
  for (const event of events) {
    if (is(event, "ActuatorCommanded")) {
      const { commandId, actuator, argsDigest, agentId } = event.payload
      commands.set(commandId, { actuator, argsDigest, agentId })
    } else if (is(event, "CommandSucceeded")) {
      const { commandId, result, unrecorded, cachedFrom } = event.payload
      const command = commands.get(commandId)
      if (command === undefined || unrecorded !== undefined || cachedFrom !== undefined || result === null) continue
      yield [command, { commandId, result, at: event.recordedAt }]
    }
  }
}

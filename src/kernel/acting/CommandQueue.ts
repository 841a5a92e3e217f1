/** The queue in which the commands of all tasks wait for their actuators, by priority. */

import { Deferred, Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as NextCommand from "./NextCommand.ts"

/** A lane of the queue: the commands to one instance of a plugin. */
export interface Lane {
  /** Lanes with the same name are the same lane. */
  readonly name: string
  /** How many of its commands may run concurrently. */
  readonly capacity: number
}

/** A command that asks for a turn. */
export interface Slot {
  readonly lane: Lane
  /** `plugin/actuator`, whose priority applies. */
  readonly actuator: string
  /** Its priority when it was commanded. The current one is looked up when turns are given. */
  readonly priority: number
}

/**
 * A priority queue of commands. A turn goes to the highest priority; among equals, to the one that came first. A full
 * lane does not delay another lane. Priorities are read when a turn is given, so a changed priority counts from the
 * next turn on.
 */
export interface CommandQueue {
  /**
   * Takes a turn in a lane that is free and for which nobody waits. Returns how it is given back; undefined if the turn
   * has to be waited for.
   */
  readonly takeTurn: (lane: Lane) => Effect.Effect<void> | undefined
  /**
   * Waits for a turn, runs the command, and gives the turn back. `restore` makes the waiting interruptible when the
   * caller is uninterruptible.
   */
  readonly inTurn: <A, E>(
    slot: Slot,
    command: Effect.Effect<A, E>,
    restore: <A2, E2>(effect: Effect.Effect<A2, E2>) => Effect.Effect<A2, E2>,
  ) => Effect.Effect<A, E>
}

/** A command in the queue. */
interface QueueEntry {
  readonly slot: Slot
  readonly arrived: number
  readonly granted: Deferred.Deferred<void>
}

/** @param priorities looks up the current priority of an actuator; `undefined` where there is no such actuator */
export const make = (priorities: Effect.Effect<(actuator: string) => number | undefined, LogError>): CommandQueue => {
  const waiting = new Set<QueueEntry>()
  const running = new Map<string, number>()
  let arrivals = 0

  const hasCapacity = ({ name, capacity }: Lane) => (running.get(name) ?? 0) < capacity

  const occupy = ({ name }: Lane) => running.set(name, (running.get(name) ?? 0) + 1)

  /** Gives a turn back. */
  const vacate = (lane: Lane) => {
    const left = (running.get(lane.name) ?? 1) - 1
    if (left > 0) running.set(lane.name, left)
    else running.delete(lane.name)
    return advance(lane)
  }

  const grantTurns = (priorityOf: (slot: Slot) => number) => {
    const left = new Set([...waiting].map((entry) => ({ entry, ...entry, priority: priorityOf(entry.slot) })))
    const next = () => NextCommand.next(left, ({ slot }) => hasCapacity(slot.lane))
    for (let chosen = next(); chosen !== undefined; chosen = next()) {
      left.delete(chosen)
      waiting.delete(chosen.entry)
      occupy(chosen.slot.lane)
      Deferred.unsafeDone(chosen.granted, Effect.void)
    }
  }

  /** Gives turns to the commands that can run, after a lane changed. */
  const advance = (lane: Lane) =>
    Effect.suspend(() => {
      if (waiting.size === 0 || !hasCapacity(lane)) return Effect.void
      const known = ({ priority }: Slot) => priority
      const ready = [...waiting].filter(({ slot }) => hasCapacity(slot.lane)).length
      // A single command needs no priority.
      if (ready <= 1) return Effect.sync(() => grantTurns(known))
      return priorities.pipe(
        Effect.map((priorityOf) => grantTurns((slot) => priorityOf(slot.actuator) ?? known(slot))),
        // The failure does not block the queue: each command reads the log again in its turn, and fails there if it
        // must.
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            ProgramLog.warning("commands go by the priorities they came with: the registry cannot be read", cause),
            Effect.sync(() => grantTurns(known)),
          ),
        ),
      )
    })

  const enter = (slot: Slot) =>
    Effect.map(Deferred.make<void>(), (granted): QueueEntry => {
      const entry = { slot, arrived: ++arrivals, granted }
      waiting.add(entry)
      return entry
    })

  const leave = (entry: QueueEntry) =>
    Effect.suspend(() => {
      const { lane } = entry.slot
      return waiting.delete(entry) ? advance(lane) : vacate(lane)
    })

  return {
    takeTurn: (lane) => {
      if (!hasCapacity(lane) || [...waiting].some(({ slot }) => slot.lane.name === lane.name)) return undefined
      occupy(lane)
      return Effect.suspend(() => vacate(lane))
    },
    inTurn: (slot, command, restore) =>
      Effect.acquireUseRelease(
        enter(slot),
        ({ granted }) =>
          advance(slot.lane).pipe(Effect.zipRight(restore(Deferred.await(granted))), Effect.zipRight(command)),
        leave,
      ),
  }
}

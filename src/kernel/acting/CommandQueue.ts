import { Deferred, Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as NextCommand from "./NextCommand.ts"

/** Where commands take turns: an instance of a plugin. */
export interface Lane {
  /** The same name is the same lane. */
  readonly name: string
  /** How many of its commands are under way at the same time. */
  readonly room: number
}

/** What asks for a turn. */
export interface Slot {
  readonly lane: Lane
  /** `plugin/actuator`: whose priority counts. */
  readonly actuator: string
  /** Its priority when it was commanded. It is looked up again whenever there is a choice. */
  readonly priority: number
}

/**
 * Commands that wait for their turns. A turn goes to the highest priority, among equals to the one that came first; a lane
 * that is full holds nobody up in another one. Priorities are looked at when a turn is given, so that one that was changed
 * counts from the next turn on.
 */
export interface CommandQueue {
  /**
   * Waits for a turn, runs the command, and gives the turn back. `restore` makes the waiting interruptible, where the caller
   * is not.
   */
  readonly inTurn: <A, E>(
    turn: Slot,
    command: Effect.Effect<A, E>,
    restore: <A2, E2>(effect: Effect.Effect<A2, E2>) => Effect.Effect<A2, E2>,
  ) => Effect.Effect<A, E>
}

/** Somebody in the queue. */
interface Place {
  readonly turn: Slot
  readonly arrived: number
  readonly granted: Deferred.Deferred<void>
}

/** @param priorities gives what says an actuator's priority as it stands now; `undefined` where there is no such actuator */
export const make = (priorities: Effect.Effect<(actuator: string) => number | undefined, LogError>): CommandQueue => {
  const waiting = new Set<Place>()
  const underWay = new Map<string, number>()
  let arrivals = 0

  const hasRoom = ({ name, room }: Lane) => (underWay.get(name) ?? 0) < room

  const letGo = (priorityOf: (turn: Slot) => number) => {
    const left = new Set([...waiting].map((place) => ({ place, ...place, priority: priorityOf(place.turn) })))
    const next = () => NextCommand.next(left, ({ turn }) => hasRoom(turn.lane))
    for (let chosen = next(); chosen !== undefined; chosen = next()) {
      left.delete(chosen)
      waiting.delete(chosen.place)
      underWay.set(chosen.turn.lane.name, (underWay.get(chosen.turn.lane.name) ?? 0) + 1)
      Deferred.unsafeDone(chosen.granted, Effect.void)
    }
  }

  /** Lets go whoever can, after something changed in a lane. */
  const turn = (lane: Lane) =>
    Effect.suspend(() => {
      if (!hasRoom(lane)) return Effect.void
      const known = ({ priority }: Slot) => priority
      const ready = [...waiting].filter(({ turn }) => hasRoom(turn.lane)).length
      // Who is alone needs no priority.
      if (ready <= 1) return Effect.sync(() => letGo(known))
      return priorities.pipe(
        Effect.map((priorityOf) => letGo((turn) => priorityOf(turn.actuator) ?? known(turn))),
        // Nobody waits for ever because of it: a command reads the log again in its turn, and fails there if it must.
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            ProgramLog.warning("commands go by the priorities they came with: the registry cannot be read", cause),
            Effect.sync(() => letGo(known)),
          ),
        ),
      )
    })

  const enter = (turn: Slot) =>
    Effect.map(Deferred.make<void>(), (granted): Place => {
      const place = { turn, arrived: ++arrivals, granted }
      waiting.add(place)
      return place
    })

  const leave = (place: Place) =>
    Effect.suspend(() => {
      const { lane } = place.turn
      if (!waiting.delete(place)) {
        const left = (underWay.get(lane.name) ?? 1) - 1
        if (left > 0) underWay.set(lane.name, left)
        else underWay.delete(lane.name)
      }
      return turn(lane)
    })

  return {
    inTurn: (asked, command, restore) =>
      Effect.acquireUseRelease(
        enter(asked),
        ({ granted }) =>
          turn(asked.lane).pipe(Effect.zipRight(restore(Deferred.await(granted))), Effect.zipRight(command)),
        leave,
      ),
  }
}

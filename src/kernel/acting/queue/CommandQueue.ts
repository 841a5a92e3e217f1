/** The queue in which the commands of all tasks wait for their actuators, by priority. */

import { Deferred, Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import * as ProgramLog from "../../../platform/ProgramLog.ts"
import * as CommandOrder from "./CommandOrder.ts"
import * as NextCommand from "./NextCommand.ts"
import type { Lane } from "./WaitingCommands.ts"
import * as WaitingCommands from "./WaitingCommands.ts"

export type { Lane } from "./WaitingCommands.ts"

/** A request for a turn. */
export interface Slot {
  readonly lane: Lane
  /** `plugin/actuator` */
  readonly actuator: string
  /** At the time of the request; the queue looks up the current one when it grants turns. */
  readonly priority: number
  /** Default: a place of its own, which waits for no other. */
  readonly place?: CommandOrder.Place
}

/**
 * A turn goes to the highest priority; among equals, to the earliest request. A full lane does not delay another lane.
 * Priorities are read when a turn is granted, so a change counts from the next turn on.
 *
 * Commands of one task and lane start one after the other: each gets its turn once the dispatch before it is recorded.
 * Earlier appends or the start of a process therefore do not change their order.
 */
export interface CommandQueue {
  /** Takes a place in the order of a task. Give it back with `leave`. */
  readonly arrive: (task: string) => CommandOrder.Place
  /** Gives a place back: the command was dispatched, has ended, or waits for a person. */
  readonly leave: (place: CommandOrder.Place) => Effect.Effect<void>
  /** Returns a command to its old place, after a person has answered. */
  readonly comeBack: (place: CommandOrder.Place) => void
  readonly isFirst: (place: CommandOrder.Place) => boolean
  /**
   * Takes a turn at once, in a free lane without waiting commands. Returns the effect that gives it back, or undefined
   * if the command must wait. Preceding commands may still be starting: check `isFirst` at the start.
   */
  readonly takeTurn: (place: CommandOrder.Place, slot: Omit<Slot, "place">) => Effect.Effect<void> | undefined
  /** Requests a turn. The caller must give it back. */
  readonly enqueue: (slot: Slot) => Effect.Effect<LanePlace>
}

/** A turn of a command at its lane. */
export interface LanePlace {
  readonly given: Effect.Effect<void>
  readonly giveBack: Effect.Effect<void>
}

/** A command that waits for its turn, or has one. */
interface QueueEntry extends WaitingCommands.Queued {
  readonly slot: Slot
  readonly granted: Deferred.Deferred<void>
}

/** @param priorities looks up the current priority of an actuator; `undefined` for an unknown one */
export const make = (priorities: Effect.Effect<(actuator: string) => number | undefined, LogError>): CommandQueue => {
  const running = new Map<string, number>()
  const order = CommandOrder.make()
  const hasRoom = ({ name, capacity }: Omit<Lane, "within">) => (running.get(name) ?? 0) < capacity
  const waiting = WaitingCommands.make<QueueEntry>(order, hasRoom)
  let alone = 0

  const hasCapacity = (lane: Lane) => both(lane).every(hasRoom)

  const occupy = (lane: Lane) => {
    for (const { name } of both(lane)) running.set(name, (running.get(name) ?? 0) + 1)
  }

  const vacate = (lane: Lane) => {
    for (const { name } of both(lane)) {
      const left = (running.get(name) ?? 1) - 1
      if (left > 0) running.set(name, left)
      else running.delete(name)
    }
    waiting.vacated(lane)
  }

  /** Moves a place. Unless its command starts, later ones of its task may be next. */
  const move = (place: CommandOrder.Place, state: CommandOrder.Place["state"]) => {
    order.move(place, state)
    if (state !== "starting") waiting.taskChanged(place.task)
  }

  const grantTurns = (priorityOf: (slot: Slot) => number) => {
    const next = () =>
      NextCommand.next(
        waiting.ready().map((entry) => ({ entry, arrived: entry.place.arrived, priority: priorityOf(entry.slot) })),
        () => true,
      )
    for (let chosen = next(); chosen !== undefined; chosen = next()) {
      const { entry } = chosen
      waiting.remove(entry)
      occupy(entry.slot.lane)
      move(entry.place, "starting")
      Deferred.unsafeDone(entry.granted, Effect.void)
    }
  }

  const advance: Effect.Effect<void> = Effect.suspend(() => {
    if (waiting.isEmpty()) return Effect.void
    const known = ({ priority }: Slot) => priority
    const ready = waiting.ready().length
    // Commands of one actuator have the same priority whatever it is now.
    if (ready <= 1) return ready === 0 ? Effect.void : Effect.sync(() => grantTurns(known))
    return priorities.pipe(
      Effect.map((priorityOf) => grantTurns((slot) => priorityOf(slot.actuator) ?? known(slot))),
      // The failure does not block the queue: each command reads the log again in its turn, and fails there if it must.
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          ProgramLog.warning("cannot read the registry: commands keep the priorities of their requests", cause),
          Effect.sync(() => grantTurns(known)),
        ),
      ),
    )
  })

  const bind = (place: CommandOrder.Place, { lane, priority }: Omit<Slot, "place">) => {
    place.lane = lane.name
    place.priority = priority
    waiting.taskChanged(place.task)
  }

  const enter = (slot: Slot) =>
    Effect.map(Deferred.make<void>(), (granted): QueueEntry => {
      const place = slot.place ?? order.arrive(`alone ${++alone}`)
      const entry = { slot, place, granted }
      bind(place, slot)
      move(place, "waiting")
      waiting.add(entry)
      return entry
    })

  const exit = (entry: QueueEntry) =>
    Effect.suspend(() => {
      const { place, slot } = entry
      if (!waiting.remove(entry)) vacate(slot.lane)
      // A command that did not start keeps its place, since it may request another turn.
      if (slot.place === undefined) move(place, "gone")
      else if (place.state !== "gone") move(place, "coming")
      return advance
    })

  return {
    arrive: order.arrive,
    leave: (place) =>
      Effect.suspend(() => {
        if (place.state === "gone") return Effect.void
        move(place, "gone")
        return advance
      }),
    comeBack: (place) => move(place, "coming"),
    isFirst: order.isFirst,
    takeTurn: (place, slot) => {
      const { lane } = slot
      bind(place, slot)
      if (!hasCapacity(lane) || !order.isNext(place)) return undefined
      if (waiting.waitsIn(lane.name)) return undefined
      occupy(lane)
      move(place, "starting")
      return Effect.suspend(() => {
        vacate(lane)
        if (place.state === "starting") move(place, "coming")
        return advance
      })
    },
    enqueue: (slot) =>
      Effect.map(Effect.tap(enter(slot), advance), (entry) => ({
        given: Deferred.await(entry.granted),
        giveBack: exit(entry),
      })),
  }
}

const both = (lane: Lane): ReadonlyArray<Lane> => (lane.within === undefined ? [lane] : [lane, lane.within])

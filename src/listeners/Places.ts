/** Places of tasks at work. A task that waits for people leaves its place until it goes on. */

import { Deferred, Effect, FiberId, Stream } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"

export interface Places {
  /** Takes a place once one is free. */
  readonly take: (taskId: string) => Effect.Effect<void>
  /** Takes a place for a task that the log already has; none while it waits for people. */
  readonly takeAgain: (taskId: string) => Effect.Effect<void, LogError>
  readonly leave: (taskId: string) => void
  /** Notices after a position which tasks begin and end to wait. Never ends by itself. */
  readonly watch: (after: number) => Effect.Effect<never, LogError>
}

/** The things that a task at work waits for. */
interface AtWork {
  readonly waitsFor: Set<string>
  /** The position of the last event that counted. */
  seen: number
}

/** @param most the number of tasks that may work at once. Those that go on after a wait may be more */
export const make = (log: EventLog.Service, most: number): Places => {
  const tasks = new Map<string, AtWork>()
  const queue: Array<Deferred.Deferred<void>> = []

  const working = () => {
    let count = 0
    for (const { waitsFor } of tasks.values()) if (waitsFor.size === 0) count += 1
    return count
  }

  const admit = () => {
    if (working() >= most) return
    const next = queue.shift()
    if (next !== undefined) Deferred.unsafeDone(next, Effect.void)
  }

  const note = (event: Event) => {
    const task = event.taskId === null ? undefined : tasks.get(event.taskId)
    if (task === undefined || event.position <= task.seen) return
    task.seen = event.position
    evolve(task.waitsFor, event)
    admit()
  }

  const take: Places["take"] = (taskId) =>
    Effect.suspend(() => {
      if (queue.length === 0 && working() < most) {
        tasks.set(taskId, { waitsFor: new Set(), seen: 0 })
        return Effect.void
      }
      const turn = Deferred.unsafeMake<void>(FiberId.none)
      queue.push(turn)
      return Effect.zipRight(
        Effect.onInterrupt(Deferred.await(turn), () => Effect.sync(() => queue.splice(queue.indexOf(turn), 1))),
        Effect.sync(() => {
          tasks.set(taskId, { waitsFor: new Set(), seen: 0 })
          admit()
        }),
      )
    })

  const takeAgain: Places["takeAgain"] = (taskId) =>
    Effect.gen(function* () {
      const known: AtWork = { waitsFor: new Set(), seen: 0 }
      yield* Stream.runForEach(log.read({ timeline: log.timeline, taskId, types: TYPES }), (event) =>
        Effect.sync(() => {
          known.seen = event.position
          evolve(known.waitsFor, event)
        }),
      )
      if (known.waitsFor.size === 0) yield* take(taskId)
      else tasks.set(taskId, known)
    })

  return {
    take,
    takeAgain,
    leave: (taskId) => {
      tasks.delete(taskId)
      admit()
    },
    watch: (after) =>
      Effect.zipRight(
        Stream.runForEach(log.follow({ timeline: log.timeline, types: TYPES, after }), (item) =>
          Effect.sync(() => {
            if ("id" in item) note(item)
          }),
        ),
        Effect.never,
      ),
  }
}

const TYPES = [
  ...["ConfirmationRequested", "ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"],
  ...["DecisionMade", "InputDelivered", "TaskPaused", "TaskContinued"],
]

/** Adds what a task begins to wait for, and removes what has come. */
const evolve = (waitsFor: Set<string>, event: Event): void => {
  if (is(event, "ConfirmationRequested")) waitsFor.add(event.payload.confirmationId)
  else if (is(event, "ConfirmationDecided") || is(event, "ConfirmationExpired") || is(event, "ConfirmationWithdrawn")) {
    waitsFor.delete(event.payload.confirmationId)
  } else if (is(event, "DecisionMade")) {
    if (event.payload.choice.waits === "input") waitsFor.add(INPUT)
  } else if (is(event, "InputDelivered")) waitsFor.delete(INPUT)
  else if (is(event, "TaskPaused")) waitsFor.add(PAUSE)
  else if (is(event, "TaskContinued")) waitsFor.delete(PAUSE)
}

const INPUT = "an input"
const PAUSE = "the end of a pause"

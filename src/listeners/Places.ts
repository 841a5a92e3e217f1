/**
 * Places of tasks at work. A task that waits for people leaves its place until it goes on, and so does one that waits
 * for called agents (`Agent.asTool`) that all wait for people.
 */

import { Deferred, Effect, FiberId, Stream } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { ParentTask } from "../events/vocabulary/Tasks.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import type { UnfinishedTask } from "../kernel/Kernel.ts"

export interface Places {
  /** Takes a place once one is free. */
  readonly take: (taskId: string) => Effect.Effect<void>
  /**
   * Takes a place for a task that the log already has; none while it waits for people.
   *
   * @param unfinished the open tasks of the log
   */
  readonly takeAgain: (taskId: string, unfinished: ReadonlyArray<UnfinishedTask>) => Effect.Effect<void, LogError>
  readonly leave: (taskId: string) => void
  /** Notices after a position which tasks begin and end to wait. Never ends by itself. */
  readonly watch: (after: number) => Effect.Effect<never, LogError>
}

/** A task at work, or one that wants to be, or the task of an agent that it called. */
interface AtWork {
  /** The task whose command called its agent. */
  readonly caller: string | undefined
  /** What of people it waits for. */
  readonly waitsFor: Set<string>
  /** The open tasks of the agents that it called. */
  readonly called: Set<string>
  /** Whether it may work. Called agents work in the place of their caller. */
  hasPlace: boolean
  /** The position of the last event that counted. */
  seen: number
}

/** @param most the number of tasks that may work at once. Those that go on after a wait may be more */
export const make = (log: EventLog.Service, most: number): Places => {
  const tasks = new Map<string, AtWork>()
  const queue: Array<Deferred.Deferred<void>> = []

  /** A command that called an agent ends with that agent's task. */
  const waits = ({ waitsFor, called }: AtWork): boolean => {
    if (waitsFor.size > 0) return true
    const below = [...called].flatMap((id) => tasks.get(id) ?? [])
    return below.length > 0 && below.every(waits)
  }

  const working = () => {
    let count = 0
    for (const task of tasks.values()) if (task.hasPlace && !waits(task)) count += 1
    return count
  }

  const add = (taskId: string, caller?: string): AtWork => {
    const task: AtWork = { caller, waitsFor: new Set(), called: new Set(), hasPlace: false, seen: 0 }
    tasks.set(taskId, task)
    if (caller !== undefined) tasks.get(caller)?.called.add(taskId)
    return task
  }

  /** Forgets a task and those below it. */
  const remove = (taskId: string) => {
    const task = tasks.get(taskId)
    if (task === undefined) return
    tasks.delete(taskId)
    for (const below of task.called) remove(below)
    if (task.caller !== undefined) tasks.get(task.caller)?.called.delete(taskId)
  }

  const admit = () => {
    if (working() >= most) return
    const next = queue.shift()
    if (next !== undefined) Deferred.unsafeDone(next, Effect.void)
  }

  const note = (event: Event) => {
    const { taskId, position } = event
    if (taskId === null) return
    if (is(event, "TaskOpened")) {
      const caller = callerIn(event.payload.parent)
      if (caller !== undefined && tasks.has(caller) && !tasks.has(taskId)) add(taskId, caller).seen = position
      return
    }
    const task = tasks.get(taskId)
    if (task === undefined || position <= task.seen) return
    task.seen = position
    if (!is(event, "TaskClosed")) evolve(task.waitsFor, event)
    else if (task.caller !== undefined) remove(taskId)
    admit()
  }

  const enter = (taskId: string) => {
    const task = tasks.get(taskId) ?? add(taskId)
    task.hasPlace = true
  }

  const take: Places["take"] = (taskId) =>
    Effect.suspend(() => {
      if (queue.length === 0 && working() < most) return Effect.sync(() => enter(taskId))
      const turn = Deferred.unsafeMake<void>(FiberId.none)
      queue.push(turn)
      return Effect.zipRight(
        Effect.onInterrupt(Deferred.await(turn), () => Effect.sync(() => giveUp(turn))),
        Effect.sync(() => {
          enter(taskId)
          admit()
        }),
      )
    })

  /** One that was admitted already gives its turn on. */
  const giveUp = (turn: Deferred.Deferred<void>) => {
    const index = queue.indexOf(turn)
    if (index < 0) admit()
    else queue.splice(index, 1)
  }

  /** Reads what a task waits for, and the tasks of the agents that it called. */
  const readAgain = (
    taskId: string,
    unfinished: ReadonlyArray<UnfinishedTask>,
    caller?: string,
  ): Effect.Effect<AtWork, LogError> =>
    Effect.gen(function* () {
      const task = add(taskId, caller)
      yield* Stream.runForEach(log.read({ timeline: log.timeline, taskId, types: TYPES }), (event) =>
        Effect.sync(() => {
          task.seen = event.position
          evolve(task.waitsFor, event)
        }),
      )
      for (const { taskId: below, parent } of unfinished) {
        if (callerIn(parent) === taskId && !tasks.has(below)) yield* readAgain(below, unfinished, taskId)
      }
      return task
    })
  return {
    take,
    takeAgain: (taskId, unfinished) =>
      Effect.flatMap(readAgain(taskId, unfinished), (task) =>
        waits(task) ? Effect.sync(() => enter(taskId)) : take(taskId),
      ),
    leave: (taskId) => {
      remove(taskId)
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

/** The task whose command opened one: it waits for that one's end. Children of forks belong to none here. */
const callerIn = (parent: ParentTask | undefined): string | undefined =>
  parent?.commandId === undefined || parent.timeline !== undefined ? undefined : parent.taskId

const TYPES = [
  ...["TaskOpened", "TaskClosed"],
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

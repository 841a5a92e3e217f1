/** Which tasks of a timeline started which others: as events of sub-agents tell, and as imports name the parent. */

import { Effect, Option, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as OneAtATime from "../../platform/OneAtATime.ts"
import * as ParentOf from "../../projections/state/environment/ParentOf.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"

/** The beginning of a task that another one started. */
export interface Child {
  readonly task: string
  readonly parent: string
  /** The parent's event that caused the task; null if the log does not say. */
  readonly cause: number | null
  readonly goal: string
}

export class TaskFamilies {
  position = 0
  /** Concurrent requests read one after the other: each one continues where the last one stopped. */
  readonly oneAtATime = OneAtATime.make()
  readonly #children = new Map<string, Array<Child>>()
  readonly #origins = new Map<string, Child>()

  /** The number of known children. */
  get size(): number {
    return this.#origins.size
  }

  take(child: Child): void {
    if (this.#origins.has(child.task) || child.parent === child.task) return
    this.#origins.set(child.task, child)
    const known = this.#children.get(child.parent)
    if (known === undefined) this.#children.set(child.parent, [child])
    else known.push(child)
  }

  childrenOf(task: string): ReadonlyArray<Child> {
    return this.#children.get(task) ?? []
  }

  originOf(task: string): Child | undefined {
    return this.#origins.get(task)
  }
}

/** Reads the tasks that were opened since, a page at a time. */
export const extend = (
  log: EventLog.Service,
  past: TimelineHistory,
  families: TaskFamilies,
): Effect.Effect<TaskFamilies, LogError> =>
  families.oneAtATime(
    Effect.gen(function* () {
      const { position: head } = yield* log.head
      const query = { types: ["TaskOpened"], after: families.position, until: head }
      yield* Pages.stream(past.readPage, query).pipe(
        Stream.runForEachChunk((page) =>
          Effect.gen(function* () {
            for (const event of page) {
              const child = yield* childOf(log, event)
              if (child !== undefined) families.take(child)
              families.position = event.position
            }
          }),
        ),
      )
      families.position = Math.max(families.position, head)
      return families
    }),
  )

const parentOf = (event: Event): string | null =>
  is(event, "TaskOpened") ? (ParentOf.parentOf(event.payload)?.taskId ?? null) : null

const childOf = (log: EventLog.Service, event: Event): Effect.Effect<Child | undefined, LogError> =>
  Effect.gen(function* () {
    const { taskId, causationId } = event
    if (taskId === null || !is(event, "TaskOpened")) return undefined
    const goal = event.personal?.readable === false ? "" : event.payload.goal
    const cause = causationId === null ? undefined : Option.getOrUndefined(yield* found(log, causationId))
    if (cause !== undefined && cause.taskId !== null && cause.taskId !== taskId)
      return { task: taskId, parent: cause.taskId, cause: cause.position, goal }
    const parent = parentOf(event)
    return parent === null ? undefined : { task: taskId, parent, cause: null, goal }
  })

/** A cause may be archived in a segment that is missing. */
const found = (log: EventLog.Service, id: string) =>
  Effect.catchTag(log.find(id), "SegmentUnavailable", () => Effect.succeedNone)

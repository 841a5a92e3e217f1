/**
 * Finds tasks without folding the whole log: all tasks from the events that open and close them, with payloads or
 * without, or the newest ones from their own events.
 */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Envelope, Records } from "../../events/read/Records.ts"
import { splitBySpan } from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Projection from "../fold/Projection.ts"
import * as fewEvents from "../projector/fewEvents.ts"
import type { ProjectorService } from "../projector/Projector.ts"
import * as OwnWork from "./files/OwnWork.ts"
import * as Tasks from "./Tasks.ts"

const OPENING: ReadonlyArray<CoreName> = ["TaskOpened"]

/** The events that determine a task's goal, agent and standing. */
const STANDING: ReadonlyArray<CoreName> = [
  ...OPENING,
  ...(["TaskResumed", "TimelineForked", "TaskPaused", "TaskContinued", "TaskCancelled", "TaskClosed"] as const),
]

/** A task as its first and last events describe it. */
export type Heading = Pick<Tasks.Task, "goal" | "agent" | "from" | "openedAt">

/** A task without the facts in its other events: its steps, its model use, and its last position while it is open. */
export type Standing = Heading &
  Pick<Tasks.Task, "outcome" | "reason" | "unjudged" | "closedAt" | "asked" | "parent" | "budget">

/** The ids of all tasks of a log's timeline, oldest first. */
export const ids = (log: EventLog.Service): Effect.Effect<ReadonlyArray<string>, LogError> =>
  Effect.map(folded(log, { types: OPENING }), Object.keys)

/** All tasks by id, oldest first, from the events that open, change and close them. */
export const standings = (log: EventLog.Service): Effect.Effect<Readonly<Record<string, Standing>>, LogError> =>
  folded(log, { types: STANDING })

/** The open tasks with their ids, oldest first. */
export const open = (
  log: EventLog.Service,
): Effect.Effect<ReadonlyArray<readonly [id: string, task: Standing]>, LogError> =>
  Effect.map(folded(log, { types: STANDING }), Tasks.open)

/** One task; undefined if it was never opened. */
export const heading = (log: EventLog.Service, taskId: string): Effect.Effect<Heading | undefined, LogError> =>
  Effect.map(folded(log, { types: STANDING, taskId }), (tasks) => SafeRecord.get(tasks, taskId))

/** The state of one task; undefined if it was never opened. */
export const standing = (log: EventLog.Service, taskId: string): Effect.Effect<Standing | undefined, LogError> =>
  Effect.map(folded(log, { types: STANDING, taskId }), (tasks) => SafeRecord.get(tasks, taskId))

/** The position at which each task was opened, by task id, oldest first. Reads no payloads. */
export const openings = (
  log: EventLog.Service,
  records: Records.Service,
): Effect.Effect<ReadonlyMap<string, number>, LogError> =>
  Effect.suspend(() => {
    const found = new Map<string, number>()
    const take = ({ taskId, position }: Envelope) => {
      if (taskId !== null && !found.has(taskId)) found.set(taskId, position)
    }
    return Effect.as(forEachEnvelope(log, records, OPENING, take), found)
  })

/** The numbers of all tasks and of the open ones. Reads no payloads. */
export const count = (
  log: EventLog.Service,
  records: Records.Service,
): Effect.Effect<{ readonly all: number; readonly open: number }, LogError> =>
  Effect.suspend(() => {
    const all = new Set<string>()
    const open = new Set<string>()
    const take = ({ taskId, type }: Envelope) => {
      if (taskId === null) return
      if (type === CLOSING) open.delete(taskId)
      else if (!all.has(taskId)) {
        all.add(taskId)
        open.add(taskId)
      }
    }
    return Effect.map(forEachEnvelope(log, records, [...OPENING, CLOSING], take), () => ({
      all: all.size,
      open: open.size,
    }))
  })

const CLOSING: CoreName = "TaskClosed"

const forEachEnvelope = (
  { spans }: EventLog.Service,
  { envelopes }: Records.Service,
  types: ReadonlyArray<CoreName>,
  take: (envelope: Envelope) => void,
): Effect.Effect<void, LogError> =>
  Effect.forEach(
    splitBySpan(spans, { types }),
    (part) =>
      Pages.forEach(envelopes, part, (page) => {
        for (const envelope of page) take(envelope)
      }),
    { discard: true },
  )

interface Selected {
  readonly types: ReadonlyArray<CoreName>
  readonly taskId?: string
}

const folded = (log: EventLog.Service, selected: Selected): Effect.Effect<Tasks.Tasks, LogError> =>
  Effect.suspend(() => {
    const builder = Projection.begin(Tasks.projection, Tasks.projection.initial)
    const take = (page: ReadonlyArray<Event>) => Projection.applyAll(Tasks.projection, builder, page)
    return Effect.map(Pages.forEach(log.readPage, { timeline: log.timeline, ...selected }, take), () => builder.state())
  })

/** The newest tasks of a log, and whether there are earlier ones. */
export interface NewestTasks {
  /** Oldest first. */
  readonly tasks: ReadonlyArray<readonly [id: string, task: Tasks.Task]>
  readonly earlier: boolean
}

/**
 * Returns at most `limit` tasks, those opened last, without Hindcast's own work (`OwnWork`). Each is folded from its own events, so the cost does not depend on
 * the length of the log.
 */
export const newest = (
  log: EventLog.Service,
  projector: Pick<ProjectorService, "current">,
  limit: number,
): Effect.Effect<NewestTasks, LogError> =>
  Effect.gen(function* () {
    const opened = yield* openedLast(log, limit + 1)
    const tasks = yield* Effect.forEach(opened.slice(-limit), (taskId) =>
      Effect.map(one(log, projector, taskId), (task) => (task === undefined ? [] : [[taskId, task] as const])),
    )
    return { tasks: tasks.flat(), earlier: opened.length > limit }
  })

/**
 * One task, from its own events if they are few, otherwise from the fold of all tasks, which may start at a snapshot.
 */
const one = (
  log: EventLog.Service,
  projector: Pick<ProjectorService, "current">,
  taskId: string,
): Effect.Effect<Tasks.Task | undefined, LogError> =>
  Effect.gen(function* () {
    const own = yield* fewEvents.fold(log.readPage, { timeline: log.timeline, taskId }, Tasks.projection)
    return SafeRecord.get(own ?? (yield* projector.current(Tasks.projection)), taskId)
  })

/** Positions in the first stretch, searched backwards from the end, and the growth factor of the next ones. */
const FIRST_STRETCH = 2_000
const GROWTH = 8

/** The ids of the last opened tasks, at most `count`, oldest first. */
const openedLast = (log: EventLog.Service, count: number): Effect.Effect<ReadonlyArray<string>, LogError> =>
  Effect.gen(function* () {
    const { position } = yield* log.head
    const newestFirst: Array<string> = []
    let end = position
    for (let length = FIRST_STRETCH; end > 0 && newestFirst.length < count; length *= GROWTH) {
      const after = Math.max(0, end - length)
      const opened: Array<Opened> = []
      const query = { timeline: log.timeline, types: OPENING, after, until: end }
      yield* Pages.forEach(log.readPage, query, (page) => {
        for (const event of page) {
          const { taskId, position } = event
          const isOwn = is(event, "TaskOpened") && OwnWork.isOwn(event.payload)
          if (taskId !== null && !isOwn) opened.push({ taskId, position })
        }
      })
      for (const each of opened.reverse()) {
        if (newestFirst.length === count) break
        if (yield* isFirst(log, each)) newestFirst.push(each.taskId)
      }
      end = after
    }
    return newestFirst.reverse()
  })

interface Opened {
  readonly taskId: string
  readonly position: number
}

/** Whether an event opened its task: if a task is opened again, the first event counts. */
const isFirst = (log: EventLog.Service, { taskId, position }: Opened): Effect.Effect<boolean, LogError> =>
  Effect.map(
    log.readPage({ timeline: log.timeline, types: OPENING, taskId }, 1),
    ([first]) => first?.position === position,
  )

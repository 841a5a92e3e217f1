/** Reads the log for a scoring, and passes each event to the judging of its task. */

import { Chunk, Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import type { Critic, Judging } from "../critics/Critic.ts"
import type { PlannedTask, ScanPart } from "./ScoringPlan.ts"

export interface ScannedTask {
  readonly taskId: string
  readonly judging: Judging
}

export interface ScanOptions<E> {
  readonly log: EventLog.Service
  readonly critic: Critic
  readonly parts: ReadonlyArray<ScanPart>
  /** Receives completed tasks, in the order of the plan. */
  readonly onCompleted: (completed: ReadonlyArray<ScannedTask>) => Effect.Effect<void, E>
  readonly onPositions: (positions: number) => Effect.Effect<void>
}

/** Reads the log in one pass. Memory holds only tasks between their first and last event. */
export const run = <E>({
  log,
  critic,
  parts,
  onCompleted,
  onPositions,
}: ScanOptions<E>): Effect.Effect<void, E | LogError> => {
  const ofSteps = defined({ stepTypes: critic.stepTypes })
  const begin = ({ taskId }: PlannedTask): ScannedTask => {
    const read = (after: number, until: number, limit: number) =>
      log.readPage({ after, until, taskId, timeline: log.timeline }, limit)
    return { taskId, judging: critic.start({ taskId, read }) }
  }

  const together = ({ after, until, tasks, part }: ScanPart, onRead: (position: number) => Effect.Effect<void>) => {
    const planned = new Map(tasks.map((task) => [task.taskId, task]))
    const open = new Map<string, ScannedTask>()
    const observe = (event: Event): ScannedTask | undefined => {
      const task = event.taskId === null ? undefined : planned.get(event.taskId)
      if (task === undefined || event.position < task.from) return undefined
      let current = open.get(task.taskId)
      if (current === undefined) {
        current = begin(task)
        open.set(task.taskId, current)
      }
      current.judging.observe(event)
      if (!task.closed || event.position < task.to) return undefined
      open.delete(task.taskId)
      planned.delete(task.taskId)
      return current
    }
    return forEachPage(log, { after, until, timeline: log.timeline, ...defined({ part }), ...ofSteps }, (page) => {
      const completed: Array<ScannedTask> = []
      for (const event of page) {
        const task = observe(event)
        if (task !== undefined) completed.push(task)
      }
      return Effect.zipRight(onCompleted(completed), onRead(page.at(-1)?.position ?? until))
    }).pipe(
      // The remaining tasks are open at the end of the range.
      Effect.zipRight(
        Effect.suspend(() =>
          onCompleted(
            tasks.flatMap((task) => (planned.has(task.taskId) ? [open.get(task.taskId) ?? begin(task)] : [])),
          ),
        ),
      ),
    )
  }

  /** Reads tasks one after the other, by the index on task ids. */
  const alone = ({ tasks }: ScanPart, onRead: (position: number) => Effect.Effect<void>) =>
    Effect.forEach(
      tasks,
      (task) =>
        Effect.gen(function* () {
          const scanned = begin(task)
          const query = {
            after: task.from - 1,
            until: task.to,
            taskId: task.taskId,
            timeline: log.timeline,
            ...ofSteps,
          }
          yield* forEachPage(log, query, (page) => {
            for (const event of page) scanned.judging.observe(event)
            return Effect.void
          })
          yield* onCompleted([scanned])
          yield* onRead(task.to)
        }),
      { discard: true },
    )

  let passed = 0
  return Effect.forEach(
    parts,
    (part) => {
      const onRead = (position: number) => onPositions(passed + position - part.after)
      return Effect.andThen(part.alone ? alone(part, onRead) : together(part, onRead), () => {
        passed += part.until - part.after
        return onPositions(passed)
      })
    },
    { discard: true },
  )
}

const forEachPage = <E>(
  log: EventLog.Service,
  query: Parameters<typeof Pages.stream>[1],
  take: (page: ReadonlyArray<Event>) => Effect.Effect<void, E>,
): Effect.Effect<void, E | LogError> =>
  Stream.runForEachChunk(Pages.stream(log.readPage, query), (page) => take(Chunk.toReadonlyArray(page)))

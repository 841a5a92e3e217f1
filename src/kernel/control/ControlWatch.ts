/** Follows other processes' requests to a kernel and its tasks, even while these append nothing. */

import { Duration, Effect } from "effect"
import type { AppendError, EventLog } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import { awaiting } from "../../events/read/CommitNotifier.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { RunningTasks } from "../tasks/RunningTasks.ts"

const AGAIN = Duration.millis(250)

const TYPES: ReadonlyArray<string> = ["TaskPaused", "TaskContinued", "TaskCancelled", "LeaseTakenOver"]

/**
 * Passes requests from the log on to running tasks, until it is interrupted. If another kernel takes the log over, all
 * tasks and the watch end with `LeaseLost`.
 *
 * @param after the position after which requests are new
 * @param cancelled receives the cancellation of a task that nobody works on
 */
export const run = (
  log: EventLog.Service,
  running: RunningTasks,
  lease: HeldLease,
  after: number,
  cancelled: (event: Event) => Effect.Effect<void, AppendError>,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let from = after
    let isOver = false
    let hasFailed = false
    const unclosed = new Set<Event>()
    const handOn = Effect.gen(function* () {
      const events: Array<Event> = []
      yield* Pages.forEach(log.readPage, { types: TYPES, after: from }, (page) => {
        events.push(...page)
      })
      for (const event of events) {
        if (is(event, "LeaseTakenOver")) yield* lease.check
        if (!running.noticed(event) && is(event, "TaskCancelled")) unclosed.add(event)
        from = event.position
      }
    })
    const tried = (step: Effect.Effect<void, AppendError>) =>
      step.pipe(
        Effect.catchTag("LeaseLost", (lost) => {
          isOver = true
          return running.lose(lost)
        }),
        Effect.catchAllCause((cause) => {
          hasFailed = true
          return ProgramLog.warning(
            "could not read requests about tasks (pause, continue, cancel); trying again",
            cause,
          )
        }),
      )
    const look = Effect.gen(function* () {
      hasFailed = false
      if (log.mayHave?.({ types: TYPES, after: from }) !== false) yield* tried(handOn)
      // A task that fails to close does not hold up the others.
      for (const event of unclosed) {
        if (isOver) return
        yield* tried(Effect.map(cancelled(event), () => void unclosed.delete(event)))
      }
    })
    const looking = (requested: Effect.Effect<void>) => {
      const due = Effect.suspend(() => (hasFailed ? Effect.raceFirst(requested, Effect.sleep(AGAIN)) : requested))
      // The first look finds requests from before the subscription.
      const more = Effect.suspend(() => (isOver ? Effect.void : Effect.zipRight(due, look)))
      return Effect.zipRight(look, Effect.repeat(more, { until: () => isOver }))
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => awaiting(log.onCommit, ({ type }) => TYPES.includes(type))),
      ({ committed }) => looking(committed),
      ({ end }) => Effect.sync(end),
    )
  })

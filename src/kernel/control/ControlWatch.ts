/** Follows what other processes ask of the tasks that a kernel works on, also while these append nothing. */

import { type Context, Duration, Effect } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { RunningTasks } from "../tasks/RunningTasks.ts"

/** How often it looks. A task that appends an event notices earlier requests at once. */
const EVERY = Duration.millis(250)

const TYPES = ["TaskPaused", "TaskContinued", "TaskCancelled"]

/**
 * Hands requests on to running tasks, until it is interrupted.
 *
 * @param after the position after which requests are new
 * @param cancelled called with the cancellation of a task that nobody works on
 */
export const run = <E>(
  log: Context.Tag.Service<EventLog>,
  running: RunningTasks,
  after: number,
  cancelled: (event: Event) => Effect.Effect<void, E>,
): Effect.Effect<never> =>
  Effect.suspend(() => {
    let from = after
    const look = Effect.gen(function* () {
      const events: Array<Event> = []
      yield* Pages.forEach(log.readPage, { types: TYPES, after: from }, (page) => {
        events.push(...page)
      })
      for (const event of events) {
        if (!running.noticed(event) && is(event, "TaskCancelled")) yield* cancelled(event)
        from = event.position
      }
    }).pipe(
      Effect.catchAllCause((cause) =>
        ProgramLog.warning("what is asked of tasks could not be followed; it is tried again", cause),
      ),
    )
    return Effect.forever(Effect.zipRight(Effect.sleep(EVERY), look))
  })

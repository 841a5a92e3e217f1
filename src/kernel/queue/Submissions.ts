/** Reads the submissions of tasks that are claimed together, which often lie together, too. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Candidate } from "../../projections/queue/Claimable.ts"

/** One read covers at most this many positions for each task. */
const POSITIONS_PER_TASK = 8

/** The submissions by task. Dies if the log lost one. */
export const read = (
  log: EventLog.Service,
  tasks: ReadonlyArray<Pick<Candidate, "task" | "queued">>,
): Effect.Effect<ReadonlyMap<string, PayloadOf<"TaskSubmitted">>, LogError> =>
  Effect.gen(function* () {
    const positions = tasks.map(({ queued }) => queued.submitted)
    const after = Math.min(...positions) - 1
    const until = Math.max(...positions)
    const areTogether = until - after <= POSITIONS_PER_TASK * tasks.length
    const types = ["TaskSubmitted"]
    const events = areTogether
      ? yield* log.readPage({ timeline: log.timeline, types, after, until }, until - after)
      : (yield* Effect.forEach(tasks, ({ queued: { submitted } }) =>
          log.readPage({ timeline: log.timeline, types, after: submitted - 1, until: submitted }, 1),
        )).flat()
    // By position, as the queue has them: another program's event may be in any stream.
    const byPosition = new Map(events.map((event) => [event.position, event]))
    const submissions = new Map<string, PayloadOf<"TaskSubmitted">>()
    for (const { task, queued } of tasks) {
      const event = yield* found(task, byPosition.get(queued.submitted))
      if (is(event, "TaskSubmitted")) submissions.set(task, event.payload)
    }
    return submissions
  })

const found = (task: string, event: Event | undefined): Effect.Effect<Event> =>
  event !== undefined && is(event, "TaskSubmitted")
    ? Effect.succeed(event)
    : Effect.dieMessage(`the log lost the submission of task ${task}`)

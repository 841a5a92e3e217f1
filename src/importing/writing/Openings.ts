/** The tasks of one session: its own and, because a closed task stays closed, one for each continuation by a recorder. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Recorder } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/** The first events of `TASK`, `TASK.2` and so on, whoever opened them. */
export const of = (log: EventLog.Service, taskId: string): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.gen(function* () {
    const openings: Array<Event> = []
    for (let part = 1; ; part++) {
      const [opened] = yield* log.readPage({ stream: `task/${part === 1 ? taskId : `${taskId}.${part}`}` }, 1)
      if (opened !== undefined) openings.push(opened)
      else if (part > 1) return openings
    }
  })

/** How the recorder that opened a task records; undefined for a task of a kernel or an import. */
export const meansOf = (opened: Event): Recorder["means"] | "program" =>
  is(opened, "TaskOpened") && opened.payload.recorder !== undefined
    ? (opened.payload.recorder.means ?? "program")
    : undefined

/** Answers `/api/log`. */

import * as path from "node:path"
import { Effect, Schema } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { VERSION } from "../../kernel/versions.ts"
import { Allowed } from "../Allowed.ts"
import { StudioLog } from "../StudioLog.ts"
import type { LogInfo } from "../wire/Log.ts"

export const LogQuery = Schema.Struct({})

export const log = (_: typeof LogQuery.Type) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { index } = yield* StudioLog
    const { answer, forks, write, annotate, talk, scenarios, notes } = yield* Allowed
    const { position: head } = yield* log.head
    const last = yield* lastEvent(log, head)
    const { timelines, missing } = yield* timelinesOf(log)
    const stopped = index.stopped()
    const [curriculum] = yield* log
      .readPage({ timeline: MAIN, types: ["CurriculumStarted"] }, 1)
      .pipe(Effect.catchTag("SegmentUnavailable", () => Effect.succeed([])))
    return {
      name: path.basename(log.name),
      version: VERSION,
      head,
      headAt: last?.recordedAt ?? null,
      timelines: timelines.map(({ name, parent }) => ({
        name,
        parent: parent === null ? null : { timeline: parent.name, position: parent.at },
      })),
      allows: { answer, fork: forks !== null, write, annotate, talk: talk !== null },
      scenarios: write && scenarios !== null,
      curricula: curriculum !== undefined,
      agents: forks === null ? [] : [...forks.agents.keys()],
      notes: [
        ...notes,
        ...missing,
        ...(stopped === null ? [] : [`The index of all events could not be built: ${stopped}`]),
      ],
      indexed: index.indexed(),
    } satisfies LogInfo
  })

/** All timelines. If a segment is missing, only `main`, and a message about the segment. */
const timelinesOf = (log: EventLog.Service) =>
  Timelines.list(log).pipe(
    Effect.map((timelines) => ({ timelines, missing: [] as ReadonlyArray<string> })),
    Effect.catchTag("SegmentUnavailable", ({ message }) =>
      Effect.succeed({ timelines: [{ name: MAIN, parent: null }], missing: [message] }),
    ),
  )

/** The last event, unless the log is empty or the event's segment is missing. */
const lastEvent = (log: EventLog.Service, head: number) =>
  head === 0
    ? Effect.succeed(undefined)
    : log.readPage({ after: head - 1, until: head }, 1).pipe(
        Effect.map(([event]) => event),
        Effect.catchTag("SegmentUnavailable", () => Effect.succeed(undefined)),
      )

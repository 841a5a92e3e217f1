/** Reads the events of a recorded run from its log. */

import * as fs from "node:fs"
import { Data, Effect } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { NotReplayable } from "../../kernel/context/NotReplayable.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import * as Calls from "../../promise/Calls.ts"
import { defined } from "../../values/defined.ts"
import * as RecorderLog from "../log/RecorderLog.ts"

/** The log has no such run. Name the id of a recorded task. */
export class RunNotFound extends Data.TaggedError("RunNotFound")<{ readonly log: string; readonly taskId?: string }> {
  override get message() {
    return `${this.log}: expected ${this.taskId === undefined ? "a recorded run" : `a run ${this.taskId}`}, found none. \`hindcast task ls\` lists tasks.`
  }
}

/**
 * Returns a run's events; without a task id, those of the last task. Fails with `NotReplayable` if the key of its
 * subject was destroyed or is missing.
 */
export const eventsOf = (
  filename: string,
  taskId: string | undefined,
  timeline = MAIN,
): Promise<ReadonlyArray<Event>> =>
  eventsIn(filename, taskId, timeline).pipe(Effect.provide(RecorderLog.layer(filename)), Calls.run)

/** Like `eventsOf`, of an open log. */
export const eventsIn = (filename: string, taskId: string | undefined, timeline = MAIN) =>
  Effect.gen(function* () {
    const main = yield* EventLog
    const log = Timelines.view(main, yield* Timelines.named(main, timeline))
    const events: Array<Event> = []
    const run = taskId ?? (yield* lastTask(log))
    if (run !== null) {
      yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId: run }, (page) => {
        events.push(...page)
      })
    }
    const encrypted = events.find(({ personal }) => personal?.readable === false)
    if (encrypted !== undefined)
      return yield* new NotReplayable({ taskId: encrypted.taskId ?? "", position: encrypted.position })
    if (events.length > 0) return events
    return yield* Effect.fail(new RunNotFound({ log: ServerUrl.nameOf(filename), ...defined({ taskId }) }))
  })

/**
 * Writes a task's events to a file, for a program that cannot reach the server of its log. Only the owner may read it.
 */
export const keep = (file: string, events: ReadonlyArray<Event>): void =>
  fs.writeFileSync(file, JSON.stringify(events), { mode: OwnerOnly.FILE_MODE, flag: "wx" })

/** Reads what `keep` of this version wrote. */
export const kept = (file: string): ReadonlyArray<Event> => JSON.parse(fs.readFileSync(file, "utf8"))

/** The last opened task; null if there is none. Searches from the end of the log in growing steps. */
const lastTask = (log: EventLog.Service) =>
  Effect.gen(function* () {
    const { position: head } = yield* log.head
    for (let back = FIRST_LOOK; ; back *= FURTHER) {
      const after = Math.max(0, head - back)
      let last: string | null = null
      yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: ["TaskOpened"], after }, (page) => {
        last = page.at(-1)?.taskId ?? last
      })
      if (last !== null || after === 0) return last
    }
  })

/** Number of positions in the first step, and the growth factor. */
const FIRST_LOOK = 1_000
const FURTHER = 10

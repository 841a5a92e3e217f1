/**
 * Reads the annotations that hold on a log's timeline. A fork shares the annotations of its shared moments, and of the
 * tasks that it did not change, even if they were made after the fork.
 */

import { Effect } from "effect"
import { type EventLog, type LogError, MAIN, type Span } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import * as Projection from "../fold/Projection.ts"
import * as Annotations from "./Annotations.ts"

/** The timeline on which each task goes its own way, by task id. */
export type Owners = (taskId: string) => string

/** Events that begin a task, or take it to a fork. */
const OWNING: ReadonlyArray<CoreName> = ["TaskOpened", "TimelineForked"]

type Log = Pick<EventLog.Service, "readPage" | "timeline" | "spans">

/** The state of the annotations, of all timelines. */
export const state = (log: Log): Effect.Effect<Annotations.Annotations, LogError> =>
  Effect.suspend(() => {
    const builder = Projection.begin(Annotations.projection, Annotations.projection.initial)
    return Pages.forEach(log.readPage, { types: Annotations.TYPES }, (page) =>
      Projection.applyAll(Annotations.projection, builder, page),
    ).pipe(Effect.map(() => builder.state()))
  })

/** The annotations that hold on the log's timeline, oldest first. */
export const load = (log: Log): Effect.Effect<ReadonlyArray<Annotations.Annotation>, LogError> =>
  Effect.gen(function* () {
    const all = Annotations.listed(yield* state(log))
    return all.length === 0 ? [] : holdingOn(log, yield* owners(log), all)
  })

/** The annotations of the event at a position. */
export const ofEvent = (log: Log, position: number): Effect.Effect<ReadonlyArray<Annotations.Annotation>, LogError> =>
  Effect.map(state(log), (all) => Annotations.listed(all).filter(({ subject }) => subject.moment === position))

/** Selects the annotations that hold on a timeline. */
export const holdingOn = (
  { spans }: { readonly spans: ReadonlyArray<Span> },
  owners: Owners,
  annotations: ReadonlyArray<Annotations.Annotation>,
): ReadonlyArray<Annotations.Annotation> =>
  annotations.filter(({ subject: { moment, task, timeline } }) =>
    moment === null
      ? task !== null && owners(task) === timeline
      : Moment.isInHistory(spans, { timeline, position: moment }),
  )

/** Finds for each task of the log's timeline where it goes its own way. */
export const owners = (log: Log): Effect.Effect<Owners, LogError> =>
  Effect.suspend(() => {
    if (log.timeline === MAIN) return Effect.succeed(() => MAIN)
    const found = new Map<string, string>()
    return Pages.forEach(log.readPage, { timeline: log.timeline, types: OWNING }, (page) => {
      for (const { taskId, timeline } of page) if (taskId !== null) found.set(taskId, timeline)
    }).pipe(Effect.as((taskId: string) => found.get(taskId) ?? log.timeline))
  })

/** The tags of each task, sorted, by task id. */
export const tagsOf = (
  annotations: ReadonlyArray<Annotations.Annotation>,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const tags = new Map<string, Array<string>>()
  for (const { kind, subject, text } of annotations) {
    if (kind !== "tag" || subject.task === null || text === undefined) continue
    const own = tags.get(subject.task)
    if (own === undefined) tags.set(subject.task, [text])
    else own.push(text)
  }
  for (const own of tags.values()) own.sort()
  return tags
}

/** Looks up the subject of an annotation, and writes it into payloads. */

import { Effect } from "effect"
import { EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import type { Subject } from "../../projections/annotations/Annotations.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { defined } from "../../values/defined.ts"
import { type About, NotAnnotated } from "./AnnotationOptions.ts"

export type Asked = About

/** The subject does not exist. */
export type SubjectError = TaskNotFound | Moment.LocateError | Timelines.TimelineNotFound | NotAnnotated | LogError

/** The log on a timeline. */
export const viewOf = (
  log: EventLog.Service,
  timeline = log.timeline,
): Effect.Effect<EventLog.Service, Timelines.TimelineNotFound | LogError> =>
  timeline === log.timeline
    ? Effect.succeed(log)
    : Effect.map(Timelines.named(log, timeline), (named) => Timelines.view(log, named))

/** Finds a task, or the event at a moment. */
export const resolve = (
  log: EventLog.Service,
  { task, moment, timeline }: About,
): Effect.Effect<Subject, SubjectError> =>
  Effect.gen(function* () {
    const view = yield* viewOf(log, timeline)
    if (moment !== undefined && task === undefined) return yield* eventAt(view, moment)
    if (task === undefined || moment !== undefined) {
      const found = task === undefined ? "neither" : "both"
      return yield* new NotAnnotated({ about: "annotation", expected: "either a task or a moment", found })
    }
    const [opened] = yield* view.readPage({ timeline: view.timeline, taskId: task, types: ["TaskOpened"] }, 1)
    if (opened === undefined) return yield* new TaskNotFound({ taskId: task })
    return { task, timeline: (yield* AnnotationList.owners(view))(task), moment: null }
  })

const eventAt = (view: EventLog.Service, moment: Moment.Moment): Effect.Effect<Subject, SubjectError> =>
  Effect.gen(function* () {
    const { timeline, position } = yield* Effect.provideService(Moment.locate(moment), EventLog, view)
    const on = timeline === view.timeline ? view : Timelines.view(view, yield* Timelines.named(view, timeline))
    // The state before the first event is a moment too, but no event to annotate.
    // A step belongs to the event that holds it.
    const holder = StepPosition.holder(position)
    const types = StepPosition.isWithin(position) ? { types: [StepPosition.COMPACT] } : {}
    const query = { timeline: on.timeline, after: holder - 1, until: holder, ...types }
    const [event] = position === 0 ? [] : yield* on.readPage(query, 1)
    if (event === undefined) {
      const expected = `an event at ${StepPosition.addressOf(position)}`
      return yield* new NotAnnotated({ about: String(moment), expected, found: "none" })
    }
    return { task: event.taskId, timeline: event.timeline, moment: position }
  })

/** The subject in words: `@412`, or the task's id. */
export const inWords = ({ task, moment }: Subject): string =>
  moment === null ? (task ?? "") : StepPosition.addressOf(moment)

/** The subject as fields of a payload. */
export const stated = ({ task, timeline, moment }: Subject) =>
  defined({
    task: task ?? undefined,
    timeline: timeline === MAIN ? undefined : timeline,
    moment: moment ?? undefined,
  })

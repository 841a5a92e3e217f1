/** Answers `/api/annotations` and `/api/annotate`. */

import { Effect, Schema } from "effect"
import { EventLog, type LogError } from "../../../events/log/EventLog.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import * as Annotating from "../../../kernel/annotations/Annotating.ts"
import * as AnnotationList from "../../../projections/annotations/AnnotationList.ts"
import type { Annotation } from "../../../projections/annotations/Annotations.ts"
import * as Labels from "../../../projections/annotations/Labels.ts"
import { defined } from "../../../values/defined.ts"
import { visible, visibleLines } from "../../../values/PlainText.ts"
import { Allowed, NotAllowed } from "../../Allowed.ts"
import type { Annotated, AnnotationOrder, AnnotationRow, AnnotationList as Listed } from "../../wire/Annotations.ts"
import * as Query from "../Query.ts"

export const AnnotationsQuery = Schema.Struct({ timeline: Query.Timeline })

/** Maximum number of annotations in an answer: the newest ones. */
const MAX_ROWS = 5_000

export const annotations = ({ timeline }: typeof AnnotationsQuery.Type) =>
  Effect.gen(function* () {
    const all = yield* AnnotationList.load(yield* on(timeline))
    return { rows: all.slice(-MAX_ROWS).map(rowOf), total: all.length } satisfies Listed
  })

/** The annotations of some tasks and their moments, for a shared file. */
export const ofTasks = (timeline: string, tasks: ReadonlySet<string>) =>
  Effect.map(annotations({ timeline }), ({ rows }): Listed => {
    const own = rows.filter(({ task }) => task !== null && tasks.has(task))
    return { rows: own, total: own.length }
  })

const on = (timeline: string): Effect.Effect<EventLog.Service, Timelines.TimelineNotFound | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return Timelines.view(log, yield* Timelines.named(log, timeline))
  })

const rowOf = ({ kind, at, by, recordedAt, subject, ...said }: Annotation): AnnotationRow => ({
  ...{ kind, at, recordedAt },
  by: visible(by),
  task: subject.task,
  moment: subject.moment,
  // A person or a program wrote it: invisible characters could hide text, or turn the words around it.
  text: visibleLines(Labels.said({ kind, ...said })),
})

const about = {
  timeline: Schema.NonEmptyString,
  task: Schema.NullOr(Schema.NonEmptyString),
  moment: Schema.NullOr(Schema.NonNegativeInt),
}

/** The body of `/api/annotate`. */
export const AnnotateBody: Schema.Schema<AnnotationOrder> = Schema.Union(
  Schema.Struct({ what: Schema.Literal("note"), text: Schema.String, ...about }),
  Schema.Struct({ what: Schema.Literal("star"), ...about }),
  Schema.Struct({
    what: Schema.Literal("label"),
    measure: Schema.String,
    value: Schema.Union(Schema.Boolean, Schema.Finite, Schema.String),
    ...about,
  }),
  Schema.Struct({
    what: Schema.Literal("tag"),
    timeline: Schema.NonEmptyString,
    task: Schema.NonEmptyString,
    tag: Schema.String,
    remove: Schema.Boolean,
  }),
  Schema.Struct({ what: Schema.Literal("remove"), annotation: Schema.NonNegativeInt }),
)

export const annotate = (order: AnnotationOrder) =>
  Effect.gen(function* () {
    const allowed = yield* Allowed
    if (!allowed.annotate) {
      return yield* new NotAllowed({ what: "add notes, stars, tags and labels", option: "annotate" })
    }
    const events = yield* perform(Annotating.make(yield* EventLog), allowed.by, order)
    return { positions: events.map(({ position }) => position) } satisfies Annotated
  })

const perform = (service: Annotating.Service, by: string, order: AnnotationOrder) => {
  switch (order.what) {
    case "note":
      return service.note({ ...aboutOf(order), by, text: order.text })
    case "star":
      return service.star({ ...aboutOf(order), by })
    case "label":
      return service.label({ ...aboutOf(order), by, measure: order.measure, value: order.value })
    case "tag": {
      const { timeline, task, tag, remove } = order
      return service.tag({ timeline, task, tags: [tag], remove, by })
    }
    case "remove":
      return service.remove({ annotation: order.annotation, by })
  }
}

/** A moment needs no task: the event tells its own. */
const aboutOf = ({ timeline, task, moment }: Extract<AnnotationOrder, { readonly moment: number | null }>) => ({
  timeline,
  ...(moment === null ? defined({ task: task ?? undefined }) : { moment }),
})

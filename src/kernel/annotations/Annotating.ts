/**
 * Records people's notes, stars, tags and labels, from any process that can append to the log. Needs no lease:
 * annotations have a stream of their own, so they neither disturb a kernel nor change a task.
 */

import { Context, Effect, Layer } from "effect"
import type { AppendPart } from "../../events/log/AppendRequest.ts"
import { type AppendError, type CoreNewEvent, EventLog, Exact, MAIN } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import * as Annotations from "../../projections/annotations/Annotations.ts"
import * as Labels from "../../projections/annotations/Labels.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { LabelOptions, NotAnnotated, NoteOptions, RemoveOptions, StarOptions, TagOptions } from "./AnnotationOptions.ts"
import * as AnnotationSubject from "./AnnotationSubject.ts"
import * as LabelScoring from "./LabelScoring.ts"

export {
  type About,
  LabelOptions,
  NotAnnotated,
  NoteOptions,
  RemoveOptions,
  StarOptions,
  TagOptions,
} from "./AnnotationOptions.ts"

/** Reasons why nothing was recorded. */
export type AnnotateError = Options.InvalidOptions | AnnotationSubject.SubjectError | NotAnnotated | AppendError

/** Records annotations. */
export class Annotating extends Context.Tag("hindcast/Annotating")<Annotating, Annotating.Service>() {}

/** The type of the service: `Annotating.Service`. */
export declare namespace Annotating {
  /** Records notes, stars, tags and labels, and lists them. Each call returns the events that it added. */
  export interface Service {
    /** Adds a note to a moment or a task, or corrects an earlier note. */
    readonly note: (options: NoteOptions) => Effect.Effect<ReadonlyArray<Event>, AnnotateError>
    /** Stars a moment or a task. Adds nothing if the person has starred it already. */
    readonly star: (options: StarOptions) => Effect.Effect<ReadonlyArray<Event>, AnnotateError>
    /** Adds tags to a task, or removes them. Adds nothing for tags that the task has, or no longer has. */
    readonly tag: (options: TagOptions) => Effect.Effect<ReadonlyArray<Event>, AnnotateError>
    /**
     * Labels a task or a moment, replacing the person's earlier label for the same measure. A pass, a fail or a score
     * of a closed task is also recorded as a score set, which `compare` sets against critics.
     */
    readonly label: (options: LabelOptions) => Effect.Effect<ReadonlyArray<Event>, AnnotateError>
    /** Withdraws a note, a star or a label, and a label's score set, by the position of its event. */
    readonly remove: (options: RemoveOptions) => Effect.Effect<ReadonlyArray<Event>, AnnotateError>
    /** The annotations that hold on the log's timeline, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Annotations.Annotation>, AppendError>
  }
}

/** Short form of `Annotating.Service` for namespace imports. */
export type Service = Annotating.Service

const STREAM = "annotations"

interface Addition {
  readonly events: ReadonlyArray<CoreNewEvent>
  readonly with?: ReadonlyArray<AppendPart>
}

const NOTHING: Addition = { events: [] }

/** The service of a log. */
export const make = (log: EventLog.Service): Service => {
  const found = (about: AnnotationSubject.Asked) => AnnotationSubject.resolve(log, about)

  /** Decides by the present annotations what to add. A writer in between causes a conflict, and a new decision. */
  const append = (
    by: string,
    task: string | null,
    decide: (present: Annotations.Annotations) => Effect.Effect<Addition, NotAnnotated | AppendError>,
  ): Effect.Effect<ReadonlyArray<Event>, NotAnnotated | AppendError> =>
    Effect.gen(function* () {
      const version = yield* log.versionOf(STREAM, MAIN)
      const { events, with: parts } = yield* decide(yield* AnnotationList.state(log))
      if (events.length === 0) return []
      const request = { timeline: MAIN, stream: STREAM, actor: `human:${by}`, expected: Exact(version), events }
      const appending = { ...request, ...defined({ with: parts, subjectOfTask: task ?? undefined }) }
      return yield* log.append(appending).pipe(
        Effect.map((appended) => appended.events),
        Effect.catchTag("VersionConflict", () => append(by, task, decide)),
      )
    })

  const note: Service["note"] = (input) =>
    Effect.gen(function* () {
      const { by, text, replaces, ...about } = yield* Options.decode("annotations.note", NoteOptions, input)
      const subject = yield* found(about)
      return yield* append(by, subject.task, (present) =>
        Effect.gen(function* () {
          if (replaces !== undefined) yield* noteAt(present, replaces, subject)
          const payload = {
            about: AnnotationSubject.inWords(subject),
            text: plainText(text),
            ...AnnotationSubject.stated(subject),
            ...defined({ replaces }),
          }
          return { events: [{ type: "NoteAdded", payload }] }
        }),
      )
    })

  const star: Service["star"] = (input) =>
    Effect.gen(function* () {
      const { by, ...about } = yield* Options.decode("annotations.star", StarOptions, input)
      const subject = yield* found(about)
      return yield* append(by, subject.task, (present) =>
        Effect.succeed(
          ownOf(present, "star", by, subject).length > 0
            ? NOTHING
            : { events: [{ type: "Starred", payload: AnnotationSubject.stated(subject) }] },
        ),
      )
    })

  const tag: Service["tag"] = (input) =>
    Effect.gen(function* () {
      const { by, task, timeline, tags, remove } = yield* Options.decode("annotations.tag", TagOptions, input)
      const subject = yield* found({ task, ...defined({ timeline }) })
      return yield* append(by, subject.task, (present) => {
        const has = new Set(
          Annotations.listed(present).flatMap(({ kind, subject: of, text }) =>
            kind === "tag" && Annotations.isSame(of, subject) ? (text ?? []) : [],
          ),
        )
        const where = AnnotationSubject.stated(subject)
        const events = [...new Set(tags)].flatMap((tag): ReadonlyArray<CoreNewEvent> => {
          if (has.has(tag) !== (remove === true)) return []
          return remove === true
            ? [{ type: "TagRemoved", payload: { ...where, task, tag } }]
            : [{ type: "TagAdded", payload: { about: task, tag, ...where } }]
        })
        return Effect.succeed({ events })
      })
    })

  const label: Service["label"] = (input) =>
    Effect.gen(function* () {
      const given = yield* Options.decode("annotations.label", LabelOptions, input)
      const { by, measure = Labels.PASS, value, comment, target, ...about } = given
      const subject = yield* found(about)
      const view = yield* AnnotationSubject.viewOf(log, about.timeline)
      return yield* append(by, subject.task, (present) =>
        Effect.gen(function* () {
          const before = ownOf(present, "label", by, subject).find((own) => own.measure === measure)
          const scoring = yield* LabelScoring.of(view, subject, { by, measure, value, comment }, before?.scoreSetId)
          const withdrawn =
            scoring === undefined && before?.scoreSetId !== undefined ? [LabelScoring.withdrawal(before)] : []
          const payload = {
            ...AnnotationSubject.stated(subject),
            ...{ measure, value },
            ...defined({
              comment: comment === undefined ? undefined : plainText(comment),
              target: target === undefined ? undefined : plainText(target),
              scoreSetId: scoring?.scoreSetId,
            }),
          }
          const parts = scoring === undefined ? withdrawn : [scoring.part]
          return { events: [{ type: "Labelled", payload }], with: parts }
        }),
      )
    })

  const remove: Service["remove"] = (input) =>
    Effect.gen(function* () {
      const { by, annotation } = yield* Options.decode("annotations.remove", RemoveOptions, input)
      return yield* append(by, null, (present) =>
        Effect.gen(function* () {
          const removed = Annotations.at(present, annotation)
          if (removed === undefined || removed.kind === "tag") {
            const what = removed === undefined ? "none" : "a tag, which `hindcast tag --remove` removes"
            return yield* new NotAnnotated({
              about: `@${annotation}`,
              expected: "a note, a star or a label",
              found: what,
            })
          }
          return {
            events: [{ type: "AnnotationRemoved", payload: { annotation } }],
            with: removed.scoreSetId === undefined ? [] : [LabelScoring.withdrawal(removed)],
          }
        }),
      )
    })

  return { note, star, tag, label, remove, list: AnnotationList.load(log) }
}

/** The service over a log. */
export const layer: Layer.Layer<Annotating, never, EventLog> = Layer.effect(Annotating, Effect.map(EventLog, make))

/** A person's annotations of a kind about a subject. */
const ownOf = (
  present: Annotations.Annotations,
  kind: Annotations.Annotation["kind"],
  by: string,
  subject: Annotations.Subject,
): ReadonlyArray<Annotations.Annotation> =>
  Annotations.listed(present).filter(
    (one) => one.kind === kind && one.by === `human:${by}` && Annotations.isSame(one.subject, subject),
  )

const noteAt = (present: Annotations.Annotations, position: number, subject: Annotations.Subject) =>
  Effect.gen(function* () {
    const note = Annotations.at(present, position)
    const about = AnnotationSubject.inWords(subject)
    const expected = `a note about ${about} at @${position}`
    if (note?.kind !== "note") return yield* new NotAnnotated({ about, expected, found: "none" })
    if (!Annotations.isSame(note.subject, subject)) {
      const found = `one about ${AnnotationSubject.inWords(note.subject)}`
      return yield* new NotAnnotated({ about, expected, found })
    }
    return note
  })

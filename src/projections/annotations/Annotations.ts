/** The projection of annotations: notes, stars, tags and labels, as later events have corrected and removed them. */

import { Schema } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { evolveBy, type Handlers } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Projection from "../fold/Projection.ts"
import { RecordBuilder } from "../fold/RecordBuilder.ts"

/** The subject of an annotation: a moment, which is the event at a position, or a whole task. */
export const Subject = Schema.Struct({
  task: Schema.NullOr(Schema.String).annotations({ description: "The task; null for a moment outside all tasks" }),
  timeline: Schema.String.annotations({
    description: "The timeline of the moment's event, or the one on which the task goes its own way",
  }),
  moment: Schema.NullOr(Position).annotations({ description: "The event's position; null for the whole task" }),
}).annotations({ identifier: "AnnotationSubject" })

export type Subject = typeof Subject.Type

/** Whether two annotations are about the same event, or the same task. */
export const isSame = (one: Subject, other: Subject): boolean =>
  one.moment === other.moment && (one.moment !== null || (one.task === other.task && one.timeline === other.timeline))

/** An annotation that nobody has removed. */
export const Annotation = Schema.Struct({
  kind: Schema.Literal("note", "star", "tag", "label"),
  at: Position.annotations({ description: "The position of its own event, which names it" }),
  by: Schema.String.annotations({ description: "The actor, such as `human:ada`" }),
  recordedAt: EpochMs,
  subject: Subject,
  text: optional(Schema.String.annotations({ description: "The note, the tag, or the reason for a label" })),
  measure: optional(Schema.String.annotations({ description: "What a label judges" })),
  value: optional(
    Schema.Union(Schema.Boolean, Schema.Finite, Schema.String).annotations({
      description: "The judgement: pass or fail, a score, or a category",
    }),
  ),
  target: optional(Schema.String.annotations({ description: "The answer that would have been right" })),
  scoreSetId: optional(Schema.String.annotations({ description: "The score set with the same judgement" })),
  corrects: optional(Position.annotations({ description: "The position of the note that this one corrects" })),
}).annotations({ identifier: "Annotation" })

export type Annotation = typeof Annotation.Type

/** All annotations of a log by their unique keys, oldest first, and these keys by position. */
export const Annotations = Schema.Struct({
  current: Schema.Record({ key: Schema.String, value: Annotation }),
  keys: Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
    description: "The key in `current` by the position of the annotation's event",
  }),
}).annotations({ identifier: "Annotations" })

export type Annotations = typeof Annotations.Type

/** All annotations, oldest first. */
export const listed = ({ current }: Annotations): ReadonlyArray<Annotation> =>
  Object.values(current).sort((one, other) => one.at - other.at)

/** The annotation whose event is at a position. */
export const at = ({ current, keys }: Annotations, position: number): Annotation | undefined => {
  const key = SafeRecord.get(keys, String(position))
  return key === undefined ? undefined : SafeRecord.get(current, key)
}

interface Records {
  readonly current: RecordBuilder<Annotation>
  readonly keys: RecordBuilder<string>
}

interface Stated {
  readonly task?: string
  readonly timeline?: string
  readonly moment?: number
}

const subjectOf = ({ task, timeline = MAIN, moment }: Stated): Subject => ({
  task: task ?? null,
  timeline,
  moment: moment ?? null,
})

const isStated = ({ task, moment }: Stated): boolean => task !== undefined || moment !== undefined

/** A new annotation; without its fields of a kind. */
const madeBy = ({ position, actor, recordedAt }: Event) => ({ at: position, by: actor, recordedAt })

const remove = (records: Records, position: number): Annotation | undefined => {
  const key = records.keys.get(String(position))
  const removed = key === undefined ? undefined : records.current.get(key)
  if (key === undefined || removed === undefined) return undefined
  records.current.remove(key)
  records.keys.remove(String(position))
  return removed
}

/** Adds an annotation; it takes the place of an earlier one with the same key. */
const put = (records: Records, key: string, annotation: Annotation): Records => {
  const before = records.current.get(key)
  if (before !== undefined) remove(records, before.at)
  records.current.set(key, annotation)
  records.keys.set(String(annotation.at), key)
  return records
}

const keyOf = (kind: Annotation["kind"], { task, timeline, moment }: Subject, ...of: ReadonlyArray<string>): string =>
  JSON.stringify([kind, moment ?? [timeline, task], ...of])

const handlers: Handlers<Records> = {
  NoteAdded: (records, { text, replaces, ...stated }, event) => {
    // Notes of programs are events of their tasks, and about nothing else.
    if (!isStated(stated)) return records
    const subject = subjectOf(stated)
    const corrected = replaces === undefined ? undefined : records.keys.get(String(replaces))
    const isNote = corrected !== undefined && records.current.get(corrected)?.kind === "note"
    if (isNote && replaces !== undefined) remove(records, replaces)
    const note = { kind: "note" as const, ...madeBy(event), subject, text }
    return put(records, keyOf("note", subject, String(event.position)), {
      ...note,
      ...defined({ corrects: isNote ? replaces : undefined }),
    })
  },
  TagAdded: (records, { tag, ...stated }, event) => {
    // A program may tag its own task by an event of the task.
    const own = event.taskId === null ? undefined : { task: event.taskId, timeline: event.timeline }
    const given = isStated(stated) ? stated : own
    if (given === undefined) return records
    const subject = subjectOf(given)
    const key = keyOf("tag", subject, tag)
    return records.current.get(key) === undefined
      ? put(records, key, { kind: "tag", ...madeBy(event), subject, text: tag })
      : records
  },
  TagRemoved: (records, { tag, ...stated }) => {
    const before = records.current.get(keyOf("tag", subjectOf(stated), tag))
    if (before !== undefined) remove(records, before.at)
    return records
  },
  Starred: (records, stated, event) => {
    const subject = subjectOf(stated)
    const key = keyOf("star", subject, event.actor)
    return !isStated(stated) || records.current.get(key) !== undefined
      ? records
      : put(records, key, { kind: "star", ...madeBy(event), subject })
  },
  Labelled: (records, { measure, value, comment, target, scoreSetId, ...stated }, event) => {
    if (!isStated(stated)) return records
    const subject = subjectOf(stated)
    const label = { kind: "label" as const, ...madeBy(event), subject, measure, value }
    return put(records, keyOf("label", subject, event.actor, measure), {
      ...label,
      ...defined({ text: comment, target, scoreSetId }),
    })
  },
  AnnotationRemoved: (records, { annotation }) => {
    remove(records, annotation)
    return records
  },
}

/** The types of events that the projection folds. */
export const TYPES: ReadonlyArray<string> = Object.keys(handlers)

const apply = evolveBy(handlers)

const builder = (from: Annotations, own: boolean): Projection.StateBuilder<Annotations> => {
  const records: Records = {
    current: new RecordBuilder(from.current, own),
    keys: new RecordBuilder(from.keys, own),
  }
  let state = from
  return {
    apply: (event) => void apply(records, event),
    state: () => {
      const [current, keys] = [records.current.record(), records.keys.record()]
      if (current !== state.current || keys !== state.keys) state = { current, keys }
      return state
    },
    chunked: () => ({ current: records.current.chunked(), keys: records.keys.chunked() }),
  }
}

/**
 * The annotations of a log. Each is about events of one timeline, and recorded on `main`; `AnnotationList` finds those
 * that a timeline shares.
 */
export const projection: Projection.Projection<Annotations> = {
  name: "Annotations",
  version: 1,
  state: Annotations,
  initial: { current: {}, keys: {} },
  types: TYPES,
  evolve: Projection.evolveFrom(builder),
  builder,
}

/**
 * Event types of annotations: what people say about tasks and moments afterwards. An annotation is never deleted; a
 * later event corrects or removes it. Annotations have no `taskId` in their envelope, so that no fold of a task counts
 * them.
 */

import { Schema } from "effect"
import { eventType, optional, SHREDDED } from "./EventType.ts"

/** The subject of an annotation: a task, or a moment, which is an event. */
const subject = {
  task: optional(
    Schema.NonEmptyString.annotations({ description: "The task, or the task of the moment; absent if it has none" }),
  ),
  timeline: optional(
    Schema.NonEmptyString.annotations({
      description: "The timeline of the moment's event, or the one on which the task goes its own way. Absent on main",
    }),
  ),
  moment: optional(
    Schema.Int.annotations({ description: "The position of the event; absent if it is about the whole task" }),
  ),
}

const comment = optional(Schema.String.annotations({ description: "The reason, in the person's own words" }))

const positionOf = (what: string) => optional(Schema.Int.annotations({ description: `The position of ${what}` }))

export const annotatingEvents = [
  eventType(
    "NoteAdded",
    "A person or program added a note.",
    {
      about: Schema.String.annotations({ description: "The subject in words" }),
      text: Schema.String,
      ...subject,
      replaces: positionOf("the note that this one corrects"),
    },
    { personal: { text: SHREDDED }, positions: ["moment", "replaces"] },
  ),
  eventType(
    "TagAdded",
    "A person or program added a tag.",
    {
      about: Schema.String.annotations({ description: "The subject in words" }),
      tag: Schema.NonEmptyString,
      ...subject,
    },
    { positions: ["moment"] },
  ),
  eventType("TagRemoved", "A person or program removed a tag of a task.", {
    task: Schema.NonEmptyString,
    timeline: subject.timeline,
    tag: Schema.NonEmptyString,
  }),
  eventType(
    "Starred",
    "A person marked a moment or a task as an example to keep.",
    { ...subject },
    {
      positions: ["moment"],
    },
  ),
  eventType(
    "Labelled",
    "A person judged a task or a moment. A later judgement by the same person of the same subject and measure replaces it.",
    {
      ...subject,
      measure: Schema.NonEmptyString.annotations({ description: "What was judged, such as `pass` or `helpful`" }),
      value: Schema.Union(Schema.Boolean, Schema.Finite, Schema.NonEmptyString).annotations({
        description: "Pass or fail, a score, or a category",
      }),
      comment,
      target: optional(
        Schema.String.annotations({ description: "The answer that would have been right, for data sets" }),
      ),
      scoreSetId: optional(
        Schema.NonEmptyString.annotations({
          description: "The score set with the same judgement, if it is a pass, a fail or a score of a task",
        }),
      ),
    },
    { personal: { comment: SHREDDED, target: SHREDDED }, positions: ["moment"] },
  ),
  eventType(
    "AnnotationRemoved",
    "A person withdrew a note, a star or a label.",
    { annotation: Schema.Int.annotations({ description: "The position of its event" }) },
    { positions: ["annotation"] },
  ),
] as const

/**
 * Event types of annotations (people's later remarks about tasks and moments), of destroyed data, of captures and of
 * imports. An annotation is never deleted; a later event corrects or removes it. Annotations have no `taskId` in their
 * envelope, so that no fold of a task counts them.
 */

import { Schema } from "effect"
import { Json } from "../../values/Json.ts"
import { AgentId, eventType, optional, SHREDDED, Sha256 } from "./EventType.ts"
import { MatchRule } from "./Inference.ts"

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
    Schema.Finite.annotations({
      description: "The position of the event, or of a step of a `StepsRecorded`; absent if it is about the whole task",
    }),
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

export const destroyingEvents = [
  eventType("PayloadShredded", "A person destroyed the key of encrypted payload fields.", {
    keyId: Schema.NonEmptyString,
    reason: Schema.String,
  }),
  eventType(
    "FilesPurged",
    "A person removed contents of recorded files from the store next to the log.",
    {
      root: optional(Schema.String.annotations({ description: "The workspace of the file" })),
      file: optional(Schema.String.annotations({ description: "The file all of whose contents were removed" })),
      before: optional(
        Schema.NonNegativeInt.annotations({
          description: "Instead of a file: the contents were removed that no state from this position on contains",
        }),
      ),
      contents: Schema.NonNegativeInt,
      bytes: Schema.NonNegativeInt.annotations({ description: "Their stored size" }),
      reason: Schema.String,
    },
    { personal: { root: SHREDDED, file: SHREDDED } },
  ),
] as const

/** Something that happened in sight but is not in the log. */
export const Unseen = Schema.Struct({
  what: Schema.NonEmptyString.annotations({ description: "Such as `a connection`, `an upgrade to websocket`" }),
  target: Schema.String.annotations({ description: "Where it went, what it started, or why it is missing" }),
  count: Schema.Positive.pipe(Schema.int()),
}).annotations({ identifier: "Unseen" })

export type Unseen = typeof Unseen.Type

/** Something that a source cannot show. */
export const Lack = Schema.Struct({ what: Schema.NonEmptyString, why: Schema.String }).annotations({
  identifier: "Lack",
})

export type Lack = typeof Lack.Type

export const capturingEvents = [
  eventType(
    "CaptureNoted",
    "Gaps: data that a recorder or an import could not record, and data that its source never has.",
    {
      unseen: Schema.Array(Unseen),
      source: optional(
        Schema.NonEmptyString.annotations({
          description:
            "The format of an import, which notes at its start what the format lacks, and at its end the totals of what it left out; `hooks` or `acp` for a recorded session of a coding agent",
        }),
      ),
      lacks: optional(
        Schema.Array(Lack).annotations({ description: "Things that the source never shows, or says that it lacks" }),
      ),
    },
    { personal: { unseen: [] } },
  ),
] as const

const source = Schema.NonEmptyString.annotations({ description: "The format it was imported from" })

/** Number of occurrences by name. */
const Counts = Schema.Record({ key: Schema.String, value: Schema.NonNegativeInt })

/** Totals of model calls. An absent one is unknown. */
const Stated = {
  usd: optional(Schema.NonNegative.annotations({ description: "Their cost, in US dollars" })),
  inputTokens: optional(Schema.NonNegativeInt),
  outputTokens: optional(Schema.NonNegativeInt),
}

export const importingEvents = [
  eventType(
    "FileImported",
    "A file of another program was imported into the tasks that the event names.",
    {
      source,
      name: Schema.String.annotations({ description: "The file's name, without its directory" }),
      digest: Sha256.annotations({ description: "Digest of the file's content, up to where it was read" }),
      bytes: Schema.NonNegativeInt,
      records: Schema.NonNegativeInt,
      taskIds: Schema.Array(Schema.String).annotations({ description: "Tasks of its first 10,000 runs" }),
      runs: optional(Schema.NonNegativeInt.annotations({ description: "Number of its runs, if there are more" })),
      finished: Schema.Boolean.annotations({ description: "Whether all of its runs had ended" }),
      kept: Counts.annotations({ description: "Records kept unchanged, by kind" }),
      leftOut: Counts.annotations({ description: "Records that are not in the log, by kind and reason" }),
    },
    { personal: { name: SHREDDED } },
  ),
  eventType(
    "SourceRecordKept",
    "A record of an imported run that fits no other type, unchanged.",
    {
      source,
      kind: Schema.String.annotations({ description: "The source's name for it" }),
      record: Json,
      agentId: optional(AgentId),
    },
    { personal: { record: null } },
  ),
  eventType(
    "AccountMerged",
    "Another account of the task was merged into it. Facts in both accounts are in the log once; the rest was added.",
    {
      source: Schema.NonEmptyString.annotations({ description: "The format of the other account" }),
      matches: Schema.Array(
        Schema.Struct({
          key: Schema.String.annotations({ description: "The event in the other account, by that account's ids" }),
          event: Schema.NonEmptyString.annotations({
            description: "The id of the task's event that records the same fact",
          }),
          rule: MatchRule.annotations({ description: "How they were found to be the same" }),
        }),
      ),
      begins: optional(
        Schema.Struct({ with: Schema.NonEmptyString, isCopied: Schema.Boolean }).annotations({
          description: "How the other account begins, as in `TaskOpened`: a fork of the session begins the same way",
        }),
      ),
    },
  ),
  eventType("SourceStated", "A statement of the source about its whole run so far.", {
    source,
    used: optional(
      Schema.Struct({
        ...Stated,
        models: Schema.Record({ key: Schema.String, value: Schema.Struct(Stated) }).annotations({
          description: "Per model, by `provider/model`",
        }),
      }).annotations({
        description: "Usage of all its model calls, if only the sum is known",
      }),
    ),
    waits: optional(
      Schema.String.annotations({ description: "The part that is not imported yet, until the run's next event" }),
    ),
  }),
] as const

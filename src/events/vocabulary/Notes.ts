/** Event types of people's additions (notes, tags, shredding), of captures and of imports. */

import { Schema } from "effect"
import { Json } from "../../values/Json.ts"
import { AgentId, eventType, optional, SHREDDED, Sha256 } from "./EventType.ts"

export const noteEvents = [
  eventType(
    "NoteAdded",
    "A person or program remarked on something.",
    { about: Schema.String, text: Schema.String },
    { personal: { text: SHREDDED } },
  ),
  eventType("TagAdded", "A tag was put on something.", { about: Schema.String, tag: Schema.NonEmptyString }),
  eventType("PayloadShredded", "The key of encrypted payload fields was destroyed.", {
    keyId: Schema.NonEmptyString,
    reason: Schema.String,
  }),
] as const

/** Something that happened in sight but is not in the log. */
export const Unseen = Schema.Struct({
  what: Schema.NonEmptyString.annotations({ description: "Such as `a connection`, `an upgrade to websocket`" }),
  target: Schema.String.annotations({ description: "Where it went, what was started, or why it is not there" }),
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
    "What a recorder or an import could not record, and what its source cannot show.",
    {
      unseen: Schema.Array(Unseen),
      source: optional(
        Schema.NonEmptyString.annotations({
          description:
            "The format of an import, which says first what it lacks, and at the end what was left out in all",
        }),
      ),
      lacks: optional(
        Schema.Array(Lack).annotations({ description: "What the source never shows, or says of itself that it lacks" }),
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
    "A file of another program was imported: what it held is in the tasks that it names.",
    {
      source,
      name: Schema.String.annotations({ description: "The file's name, without its directory" }),
      digest: Sha256.annotations({ description: "Of the file's content, as far as it was read" }),
      bytes: Schema.NonNegativeInt,
      records: Schema.NonNegativeInt,
      taskIds: Schema.Array(Schema.String),
      finished: Schema.Boolean.annotations({ description: "Whether all of its runs had ended" }),
      kept: Counts.annotations({ description: "Records that are kept as they are, by kind" }),
      leftOut: Counts.annotations({ description: "Records that are not in the log, by kind and reason" }),
    },
    { personal: { name: SHREDDED } },
  ),
  eventType(
    "SourceRecordKept",
    "A record of an imported run for which there is no other type of event, as it was.",
    {
      source,
      kind: Schema.String.annotations({ description: "What the source calls it" }),
      record: Json,
      agentId: optional(AgentId),
    },
    { personal: { record: null } },
  ),
  eventType("SourceStated", "What the source of an imported run says of the whole of it so far.", {
    source,
    used: optional(
      Schema.Struct({
        ...Stated,
        models: Schema.Record({ key: Schema.String, value: Schema.Struct(Stated) }).annotations({
          description: "Of each model, by `provider/model`",
        }),
      }).annotations({
        description: "What all of its calls of models used, where their sum is known and no call's share",
      }),
    ),
    waits: optional(
      Schema.String.annotations({ description: "What of it is not imported yet; the next event of the run ends that" }),
    ),
  }),
] as const

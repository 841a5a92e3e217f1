/** Event types of destroyed data, of captures and of imports. */

import { Schema } from "effect"
import { Json } from "../../values/Json.ts"
import { AgentId, eventType, optional, SHREDDED, Sha256 } from "./EventType.ts"
import { MatchRule } from "./Inference.ts"

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

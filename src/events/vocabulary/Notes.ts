/** Event types of what people add to a log: notes, tags, and the shredding of personal data. */

import { Schema } from "effect"
import { eventType, SHREDDED } from "./EventType.ts"

/** Events that people cause. */
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

/** What of an event was inferred when it was recorded or imported, and by which rules. */

import { Schema } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { Inferred } from "../../../events/vocabulary/Inference.ts"

const isInferred = Schema.is(Inferred)

/** What was inferred of it, with the rule for each; empty where nothing was. */
export const of = ({ payload }: Pick<Event, "payload">): Inferred =>
  isInferred(payload.inferred) ? payload.inferred : {}

/** The parts of an event that a recorder or importer inferred, with the rules. */

import { Schema } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { Inferred } from "../../../events/vocabulary/Inference.ts"

const isInferred = Schema.is(Inferred)

/** The rule of each inferred part; empty if there is none. */
export const of = ({ payload }: Pick<Event, "payload">): Inferred =>
  isInferred(payload.inferred) ? payload.inferred : {}

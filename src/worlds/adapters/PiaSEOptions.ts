/** What a program says of an environment that is used under PiaSE's names, and where its readings have the fields. */

import type { Effect } from "effect"
import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type Json, pointerKeys, valueAt } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { type ActionOptions, actionFields } from "./Actions.ts"
import { type TickOptions, tickFields } from "./Ticks.ts"

/**
 * Where the fields of PiaSE's `PerceptionData` are in the readings: JSON Pointers into `raw_observations`, such as
 * `/room/description`. A field without a pointer is null.
 */
export interface PerceptionFields {
  /** Text. */
  readonly visible_text?: string
  /** A list of what the agent carries. `inventory_update` is how it differs from the reading before. */
  readonly inventory?: string
  /** An object. */
  readonly self_stats_feedback?: string
  /** A list of objects. */
  readonly visible_entities?: string
}

/** Options of `PiaSE.of`. */
export interface PiaSEOptions extends ActionOptions, TickOptions {
  readonly fields?: PerceptionFields
  /**
   * The parts of the state that agents may ask for and are told the changes of: JSON Pointers into the state. The rest
   * is known through perception alone. Default: none.
   */
  readonly publicState?: ReadonlyArray<string>
  /** How long `submit_action` waits for an action to end before it answers `in_progress`. Default: until it ends. */
  readonly answerWithinMs?: number
  /** Delivers an event to a subscriber. Default: none, and `subscribe_to_event` is refused. */
  readonly deliver?: (callbackUrl: string, event: Event) => Effect.Effect<void>
}

/** A JSON Pointer (RFC 6901) to a part of a document. */
const Pointer = Schema.String.pipe(
  Schema.pattern(/^\//),
  Schema.annotations({ description: 'a JSON Pointer, which begins with "/"' }),
)

/** Schema of `PiaSEOptions`. */
export const PiaSEOptions = Options.of<PiaSEOptions>({
  optional: {
    ...actionFields,
    ...tickFields,
    fields: Options.of<PerceptionFields>({
      optional: {
        visible_text: Pointer,
        inventory: Pointer,
        self_stats_feedback: Pointer,
        visible_entities: Pointer,
      },
    }),
    publicState: Schema.Array(Pointer),
    answerWithinMs: Options.Milliseconds,
    deliver: Options.callable(),
  },
})

/** The value at a JSON Pointer; null if there is no pointer, or nothing there. */
export const at = (document: Json, pointer: string | undefined): Json =>
  pointer === undefined ? null : (valueAt(document, pointerKeys(pointer)) ?? null)

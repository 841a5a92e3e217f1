/** Options of an environment under PiaSE's names, with the places of PiaSE's fields in its readings. */

import type { Effect } from "effect"
import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type Json, pointerKeys, valueAt } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { type ActionOptions, actionFields } from "./Actions.ts"
import { type TickOptions, tickFields } from "./Ticks.ts"

/**
 * JSON Pointers into `raw_observations` for fields of PiaSE's `PerceptionData`, such as `/room/description`. A field
 * without a pointer is null.
 */
export interface PerceptionFields {
  /** Points to a string. */
  readonly visible_text?: string
  /** Points to a list of carried items. `inventory_update` is its difference from the previous reading. */
  readonly inventory?: string
  /** Points to an object. */
  readonly self_stats_feedback?: string
  /** Points to a list of objects. */
  readonly visible_entities?: string
}

/** Options of `PiaSE.of`. */
export interface PiaSEOptions extends ActionOptions, TickOptions {
  readonly fields?: PerceptionFields
  /**
   * JSON Pointers to the parts of the state that agents may query and whose changes they see. Perception alone shows
   * the rest. Default: none.
   */
  readonly publicState?: ReadonlyArray<string>
  /** How long `submit_action` waits for an action to end before it returns `in_progress`. Default: until it ends. */
  readonly answerWithinMs?: number
  /**
   * URLs to which events may go. Each event is posted as JSON to a subscriber whose callback URL is at or below one of
   * them (`Callbacks`). Default: none.
   */
  readonly callbacks?: ReadonlyArray<string>
  /**
   * Delivers an event to a subscriber, instead of a request to `callbacks`. Without either, `subscribe_to_event` fails
   * with `NotPublic`.
   */
  readonly deliver?: (callbackUrl: string, event: Event) => Effect.Effect<void>
}

const Pointer = Schema.String.pipe(
  Schema.pattern(/^\//),
  Schema.annotations({ description: 'a JSON Pointer, which begins with "/"' }),
)

/** A URL of http or https. */
export const WebUrl = Schema.String.pipe(
  Schema.filter((text) => canParseUrl(text) && /^https?:$/.test(new URL(text).protocol)),
  Schema.annotations({ description: "a URL of http or https" }),
)

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
    callbacks: Schema.Array(WebUrl),
    deliver: Options.callable(),
  },
})

/** The value at a JSON Pointer; null if there is no pointer, or no value. */
export const at = (document: Json, pointer: string | undefined): Json =>
  pointer === undefined ? null : (valueAt(document, pointerKeys(pointer)) ?? null)

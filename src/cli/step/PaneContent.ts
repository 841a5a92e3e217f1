/** The content of a pane that shows more than one moment, as data. */
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Item } from "../../projections/conversation/Item.ts"
import type { WhyFailed } from "../../projections/explanation/WhyFailed.ts"
import type { Saw } from "../../projections/request/Saw.ts"
import type { RewardRow } from "../../studio/wire/Task.ts"

/** The content of a pane, with a key that changes whenever it has to be read again. */
export interface Content {
  readonly key: string
  readonly shows: Shown
}

export type Shown =
  | { readonly kind: "events"; readonly events: ReadonlyArray<Event> }
  | { readonly kind: "rewards"; readonly scored: Scored }
  | { readonly kind: "conversation"; readonly spoken: Spoken }
  | { readonly kind: "failure"; readonly why: WhyFailed }
  | { readonly kind: "saw"; readonly saw: Saw }
  /** There is nothing to show, and why. */
  | { readonly kind: "none"; readonly says: string }

/** A task's score by the chosen score set. */
export interface Scored {
  readonly rows: ReadonlyArray<RewardRow>
  /** The audit's sum; null if the task has no score of the choice. */
  readonly net: number | null
  readonly label: string
  /** Names of what no critic could score. */
  readonly unscored: ReadonlyArray<string>
}

export interface Spoken {
  readonly items: ReadonlyArray<Item>
  /** The positions of the first and last read events of the task; null at an end where nothing was left out. */
  readonly from: number | null
  readonly to: number | null
}

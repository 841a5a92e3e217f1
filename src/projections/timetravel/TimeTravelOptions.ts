/** Options of the time-travel queries. */

import { Schema } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Options from "../../values/Options.ts"
import { RunSelector } from "./Runs.ts"
import type { OnProgress } from "./TimelineHistory.ts"

/** A range of moments on one timeline: that of `until`, otherwise that of `since`, otherwise the log's. */
export interface Range {
  /** Exclusive start. Default: the beginning. */
  readonly since?: Moment.Moment
  /** Inclusive end. Default: now. */
  readonly until?: Moment.Moment
  /** Called with the progress of the query. */
  readonly onProgress?: OnProgress
}

const onProgress = Options.callable<OnProgress>()

/** Schema of `Range`. The query itself checks that the moments exist. */
export const Range = Options.of<Range>({ optional: { since: Moment.Moment, until: Moment.Moment, onProgress } })

/** Options of `bisect`. */
export interface BisectOptions extends Omit<Range, "since" | "until"> {
  /** The start of the range. Default: before the first event. */
  readonly from?: Moment.Moment
  /** The end of the range. Default: now. */
  readonly to?: Moment.Moment
  /** Examines every event, however long it takes. Default: false. */
  readonly scan?: boolean
}

/** Schema of `BisectOptions`. */
export const BisectOptions = Options.of<BisectOptions>({
  optional: { from: Moment.Moment, to: Moment.Moment, scan: Schema.Boolean, onProgress },
})

/** Options of `effects`. */
export interface EffectsOptions extends Omit<Range, "since" | "until"> {
  /** The timeline to search. Default: the moment's. */
  readonly timeline?: string
  /** Also searches the timelines that were forked from it. Default: false. */
  readonly forks?: boolean
  /** Maximum number of returned events. Default: 1,000. */
  readonly limit?: number
}

/** Schema of `EffectsOptions`. */
export const EffectsOptions = Options.of<EffectsOptions>({
  optional: { timeline: Schema.String, forks: Schema.Boolean, limit: Options.wholeNumber(1), onProgress },
})

/** The two runs of `align`, in one schema that reports the mistakes of both at once. */
export const Both = Options.of<{ readonly a: RunSelector; readonly b: RunSelector }>({
  required: { a: RunSelector, b: RunSelector },
})

import { Schema } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Options from "../../values/Options.ts"
import { Run } from "./Runs.ts"
import type { OnProgress } from "./TimelineHistory.ts"

/** A range of moments. Both are of one timeline: that of `until`, else of `since`, else the log's. */
export interface Range {
  /** Only what comes after this moment. Default: all from the beginning. */
  readonly since?: Moment.Moment
  /** Only what comes up to this moment. Default: now. */
  readonly until?: Moment.Moment
  /** Is told how far the question has come. */
  readonly onProgress?: OnProgress
}

const onProgress = Options.callable<OnProgress>()

/** Their schema. What is no moment of the log is said when it is looked up. */
export const Range = Options.of<Range>({ optional: { since: Moment.Moment, until: Moment.Moment, onProgress } })

/** How `bisect` looks. */
export interface BisectOptions extends Omit<Range, "since" | "until"> {
  /** Where the range begins. Default: before the first event. */
  readonly from?: Moment.Moment
  /** Where it ends. Default: now. */
  readonly to?: Moment.Moment
  /** Look at every moment, however long it takes. Default: false. */
  readonly scan?: boolean
}

/** Their schema. */
export const BisectOptions = Options.of<BisectOptions>({
  optional: { from: Moment.Moment, to: Moment.Moment, scan: Schema.Boolean, onProgress },
})

/** How far `effects` looks. */
export interface EffectsOptions extends Omit<Range, "since" | "until"> {
  /** Events that are found at most. Default: 1,000. */
  readonly limit?: number
}

/** Their schema. */
export const EffectsOptions = Options.of<EffectsOptions>({ optional: { limit: Options.wholeNumber(1), onProgress } })

/** What `align` holds against each other: their schema is of both, so that what is wrong in either is told at once. */
export const Both = Options.of<{ readonly a: Run; readonly b: Run }>({ required: { a: Run, b: Run } })

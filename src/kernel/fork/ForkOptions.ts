import { Schema } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Options from "../../values/Options.ts"
import { type LoopOptions, loopFields } from "../agents/AgentLoop.ts"
import { Overrides } from "./Overrides.ts"
import type { RestoreOptions } from "./WorldRestoration.ts"

/** How a fork is made, and how it goes on. */
export interface ForkOptions extends LoopOptions, Pick<RestoreOptions, "rewind" | "acceptUnrewound"> {
  /** The last moment that it shares with its parent, in the history of the moment's timeline. */
  readonly at: Moment.Moment
  /** Default: the task of the event at that moment. */
  readonly task?: string
  /** What the new timeline is called. Default: `fork-1`, `fork-2` … */
  readonly timeline?: string
  readonly overrides?: Overrides
  /**
   * `live`: plugins carry out what the agent asks for, in worlds that are brought back to that moment. `recorded`: nothing is
   * carried out; what was recorded after that moment answers, until something is asked for that was not. Default: `live`.
   */
  readonly io?: "live" | "recorded"
  /**
   * Whether the agent begins at that moment, with no past, instead of being led through what was recorded. Default: false; an
   * agent that decides has no past in a task in which nothing was decided.
   */
  readonly fresh?: boolean
}

/** Their schema. */
export const ForkOptions = Options.of<ForkOptions>({
  required: { at: Moment.Moment },
  optional: {
    ...loopFields,
    task: Options.Text,
    timeline: Schema.String,
    overrides: Overrides,
    io: Schema.Literal("live", "recorded"),
    fresh: Schema.Boolean,
    rewind: Schema.Literal("snapshot", "re-execution"),
    acceptUnrewound: Schema.Boolean,
  },
})

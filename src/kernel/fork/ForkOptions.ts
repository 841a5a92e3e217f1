/** The options of a fork. */

import { Schema } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Options from "../../values/Options.ts"
import { type LoopOptions, loopFields } from "../agents/AgentLoop.ts"
import { Overrides } from "./Overrides.ts"
import type { RestoreOptions } from "./WorldRestoration.ts"

/** Options of `fork`. */
export interface ForkOptions extends LoopOptions, Pick<RestoreOptions, "rewind" | "acceptUnrewound" | "restoreFiles"> {
  /** The last position that the fork shares with its parent, in the history of a timeline. */
  readonly at: Moment.Moment
  /** Default: the task of the event at that position. */
  readonly task?: string
  /** The new timeline's name. Default: `fork-1`, `fork-2` … */
  readonly timeline?: string
  /** The person who forks: the fork's first event has the actor `human:<by>`. Default: the actor `kernel`. */
  readonly by?: string
  readonly overrides?: Overrides
  /**
   * `live`: plugins execute the agent's commands, in restored environments. `recorded`: nothing is executed; the later
   * recorded events answer, until the agent asks for something else. Default: `live`.
   */
  readonly io?: "live" | "recorded"
  /**
   * Starts the agent at that position without a past, instead of leading it through the recorded requests. Default:
   * false; a deciding agent always starts fresh in a task without recorded decisions.
   */
  readonly fresh?: boolean
  /**
   * Time limit for each decision of the shared past, in milliseconds. An agent that exceeds it is refused
   * (`AgentDiverged`). Default: no limit.
   */
  readonly ledWithinMs?: number
}

const restoresNothing = (options: unknown): ReadonlyArray<Options.Found> =>
  isOfRecorded(options)
    ? [
        {
          keys: ["restoreFiles"],
          expected: 'a live fork (`io: "live"`): a recorded one executes nothing',
          found: "true",
        },
      ]
    : []

const isOfRecorded = Schema.is(Schema.Struct({ io: Schema.Literal("recorded"), restoreFiles: Schema.Literal(true) }))

/** Schema of `ForkOptions`. */
export const ForkOptions = Options.checking(
  Options.of<ForkOptions>({
    required: { at: Moment.Moment },
    optional: {
      ...loopFields,
      task: Options.Text,
      timeline: Schema.String,
      by: Options.Name,
      overrides: Overrides,
      io: Schema.Literal("live", "recorded"),
      fresh: Schema.Boolean,
      ledWithinMs: Options.Milliseconds,
      rewind: Schema.Literal("snapshot", "re-execution"),
      acceptUnrewound: Schema.Boolean,
      restoreFiles: Schema.Boolean,
    },
  }),
  restoresNothing,
)

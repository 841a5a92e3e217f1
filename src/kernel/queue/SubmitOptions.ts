/** The options of submitting a task to the queue. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { EARLIEST, LATEST } from "../../values/Time.ts"
import { type LoopOptions, loopFields } from "../agents/AgentLoop.ts"
import type { OpenOptions } from "../tasks/OpenOptions.ts"

/** Options of `tasks.submit`. */
export interface SubmitOptions
  extends LoopOptions,
    Pick<OpenOptions, "goal" | "id" | "plugins" | "environment" | "seed"> {
  /** The name of the agent: a runner that has an agent of this name works on the task. */
  readonly agent: string
  /** Higher ones go first. Default: 0. */
  readonly priority?: number
  /** Labels that the task's runner must have. Default: none. */
  readonly labels?: ReadonlyArray<string>
  /** No runner begins the task earlier, in epoch milliseconds by the log's clock. Default: at once. */
  readonly notBefore?: number
  /** Who submits it, for the log. Default: `kernel`. */
  readonly by?: string
}

/** Whole numbers that order tasks. */
const MAX_PRIORITY = 1_000_000

const Priority = Schema.Int.pipe(
  Schema.between(-MAX_PRIORITY, MAX_PRIORITY),
  Schema.annotations({ description: `a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}` }),
)

const Moment = Schema.Int.pipe(
  Schema.between(EARLIEST, LATEST),
  Schema.annotations({ description: "a time in whole milliseconds since 1970" }),
)

/** A label, or the name of an agent or plugin. Many of them make a message hard to read, so they are short. */
export const Label = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}$/),
  Schema.annotations({ description: "a name of at most 100 letters, digits and . _ : / @ -" }),
)

/** An agent's name has no version: a runner may have a newer one. */
const AgentName = Options.Name.pipe(
  Schema.filter((name) => !name.includes("@"), { description: "an agent's name, without its version" }),
)

const MAX_LABELS = 50

export const Labels = Schema.Array(Label).pipe(
  Schema.maxItems(MAX_LABELS),
  Schema.annotations({ description: `a list of at most ${MAX_LABELS} labels` }),
)

/** Schema of `SubmitOptions`. */
export const SubmitOptions = Options.of<SubmitOptions>({
  required: { agent: AgentName, goal: Options.Text },
  optional: {
    ...loopFields,
    // `TaskIdInvalid` says which ids are valid.
    id: Schema.String,
    plugins: Schema.Array(Options.Text),
    environment: Schema.Record({ key: Schema.String, value: JsonObject }),
    seed: Options.Seed,
    priority: Priority,
    labels: Labels,
    notBefore: Moment,
    by: Options.Name,
  },
})

/** Options of `tasks.limit`: the maximum number of queued tasks that run at a time. Replaces all earlier limits. */
export interface QueueLimits {
  /** By agent name. */
  readonly agents?: { readonly [agent: string]: number }
  /** By plugin name. Counts the tasks that name the plugin. */
  readonly plugins?: { readonly [plugin: string]: number }
  /** All queued tasks of the log, which is one tenant's. */
  readonly total?: number
  readonly by: string
}

const Maxima = Schema.Record({
  key: Label,
  value: Schema.NonNegativeInt.annotations({ description: "a whole number, 0 or more" }),
})

/** Schema of `QueueLimits`. */
export const QueueLimits = Options.of<QueueLimits>({
  required: { by: Options.Name },
  optional: { agents: Maxima, plugins: Maxima, total: Options.wholeNumber(0, Number.MAX_SAFE_INTEGER) },
})

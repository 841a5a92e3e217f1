/** The projection of the queue as a whole: tasks, runners, limits and the version that the next claim expects. */

import { Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type CoreName, evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { combine, type Projection } from "../fold/Projection.ts"
import * as QueuedTasks from "./QueuedTasks.ts"
import * as Runners from "./Runners.ts"

/** The stream that puts claims, limits and poisonings in one order. */
export const STREAM = "queue"

/** The stream of a task's submission. */
export const submissionStream = (task: string): string => `${STREAM}/${task}`

/** The stream of one claim. Its version is 1 as long as its runner may append to the task. */
export const claimStream = (task: string, claim: string): string => `claim/${task}/${claim}`

/** The stream of a runner's session. Its version is 1 as long as the session may append. */
export const runnerStream = (session: string): string => `runner/${session}`

const Maxima = Schema.Record({ key: Schema.String, value: Schema.NonNegativeInt })

/** The version of the stream `queue`, and the maxima of tasks that run at a time. */
const Head = Schema.Struct({
  version: Schema.NonNegativeInt,
  agents: Maxima,
  plugins: Maxima,
  total: optional(Schema.NonNegativeInt),
})

type Head = typeof Head.Type

const head: Projection<Head> = {
  name: "QueueHead",
  version: 3,
  state: Head,
  initial: { version: 0, agents: {}, plugins: {} },
  evolve: evolveBy<Head>({
    TasksClaimed: (state, _, { version }) => ({ ...state, version }),
    TaskPoisoned: (state, _, { version }) => ({ ...state, version }),
    TaskRequeued: (state, _, { version }) => ({ ...state, version }),
    TaskWithdrawn: (state, _, { version }) => ({ ...state, version }),
    QueueLimitsSet: (_, { agents, plugins, total }, { version }) => ({
      ...{ version, agents, plugins },
      ...defined({ total }),
    }),
  }),
}

/** The types of events that concern the queue. */
export const TYPES: ReadonlyArray<CoreName> = [
  ...QueuedTasks.TYPES,
  ...(["QueueLimitsSet", "RunnerDrainRequested", "RunnerStopped", "RunnerLost"] as const),
]

/** The queue of a log. */
export const projection = {
  ...combine({ head, tasks: QueuedTasks.projection, runners: Runners.projection }),
  types: TYPES,
}

export type Queue = (typeof projection)["initial"]

/** The parts of a task that take time, and the owners of their events. */
import type { Span } from "../../projections/conversation/Spans.ts"

export type { Span }

/** Maximum number of spans in an answer: the first ones of the task. */
export const MOST_SPANS = 20_000

/**
 * `GET /api/spans?timeline=…&task=…`: calls, requests to models, questions and pauses, in the order in which they begin,
 * and the agent and the plugin of each event.
 */
export interface TaskSpans {
  readonly spans: ReadonlyArray<Span>
  /** Whether the task has more of them. */
  readonly isCut: boolean
  /** The last position that the answer covers. */
  readonly until: number
  readonly agents: Owners
  readonly plugins: Owners
}

/** The owner of each event of a task, in the order of its `Course`. */
export interface Owners {
  readonly names: ReadonlyArray<string>
  /** Runs of events: an index of `names`, -1 for none, then the number of events. */
  readonly runs: ReadonlyArray<number>
}

import type { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Reward } from "../../plugins/manifest/Manifest.ts"
import { measureName, type Rubric } from "../rules/Rubric.ts"

/** What decides a reward: its rule, a function of the plugin whose measure it is of, or a language model. */
export type By = "rule" | "plugin" | "model"

/** What was decided about one reward or punishment of a rubric. */
export type Judgement = {
  /** The measure as score sets name it: `plugin/measure`, or its bare name. */
  readonly measure: string
  readonly name: string
} & (
  | {
      readonly kind: "reward" | "punishment"
      readonly weight: number
      /** weight × occurrences, rounded to 1e-9. */
      readonly amount: number
      /** How often, where that is not once for each position in `because`. */
      readonly occurrences?: number
      /** Positions of the task's events that made it true, in order. */
      readonly because: ReadonlyArray<number>
      readonly rationale?: string
    }
  /** Nothing could decide it: that is never a zero. */
  | { readonly kind: "unscored"; readonly reason: string }
)

/** Decides rewards and punishments of one rubric, task by task. */
export interface Critic {
  /** As score sets name it: `rule@2`, `plugin:text-room@1.0.0`, `model:acme/large`; several are joined by `+`. */
  readonly name: string
  /** SHA-256 of all that its verdicts depend on besides the events: two critics with the same one decide the same. */
  readonly digest: string
  /** Whether the same events have the same verdicts, whoever asks and whenever. */
  readonly exact: boolean
  /** Begins to judge a task. */
  readonly start: (task: TaskEvents) => Judging
}

/** A task's events, for a critic that looks at them when all of them have passed. */
export interface TaskEvents {
  readonly taskId: string
  /** Reads at most so many of its events after a position, up to another one. */
  readonly read: (after: number, until: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
}

/** A judgement of one task under way: it is shown the task's events in order, then asked. */
export interface Judging {
  readonly see: (event: Event) => void
  /**
   * Given rewards and punishments, and what could not be scored; what did not happen is silent. A critic that fails leaves
   * what it should have decided unscored, with the reason; only the log's own errors are errors.
   */
  readonly decide: Effect.Effect<ReadonlyArray<Judgement>, AppendError>
}

/** One reward or punishment of a rubric. */
export interface Target {
  readonly measure: Rubric["measures"][number]
  readonly kind: "reward" | "punishment"
  readonly reward: Reward
}

/** All rewards and punishments of a rubric, in its order. */
export const targetsOf = (rubric: Rubric): ReadonlyArray<Target> =>
  rubric.measures.flatMap((measure) => [
    ...(measure.rewards ?? []).map((reward) => ({ measure, kind: "reward" as const, reward })),
    ...(measure.punishments ?? []).map((reward) => ({ measure, kind: "punishment" as const, reward })),
  ])

/** What is said of a reward that cannot be decided. */
export const unscored = ({ measure, reward }: Target, reason: string): Judgement => ({
  ...{ measure: measureName(measure), name: reward.name },
  ...{ kind: "unscored", reason },
})

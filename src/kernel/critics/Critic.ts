/** The interface of critics, which decide rewards and punishments, and their verdicts. */

import type { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Reward } from "../../plugins/manifest/Manifest.ts"
import { measureName, type Rubric } from "../rules/Rubric.ts"

export type CriticKind = "rule" | "plugin" | "model"

/** The decision about one reward or punishment of a rubric. */
export type Verdict = {
  /** The measure's name in score sets: `plugin/measure`, or its bare name. */
  readonly measure: string
  readonly name: string
} & (
  | {
      readonly kind: "reward" | "punishment"
      readonly weight: number
      /** weight × occurrences, for `per: step` divided by the steps of the task; rounded to 1e-9. */
      readonly amount: number
      /** Number of occurrences, if it differs from the length of `because`. */
      readonly occurrences?: number
      /** Positions of the task's events that made the condition true, in order. */
      readonly because: ReadonlyArray<number>
      readonly rationale?: string
    }
  /** No critic could decide, which does not count as zero. */
  | { readonly kind: "unscored"; readonly reason: string }
)

/** Decides rewards and punishments of one rubric, task by task. */
export interface Critic {
  /** Its name in score sets: `rule@4`, `plugin:text-room@1.0.0`, `model:acme/large`; several are joined by `+`. */
  readonly name: string
  /** SHA-256 of everything that its verdicts depend on besides the events. Critics with equal digests decide alike. */
  readonly digest: string
  /** Whether the same events always have the same verdicts. */
  readonly exact: boolean
  readonly start: (task: TaskEvents) => Judging
  /**
   * The types of events that it needs of the steps in compact events (`Query.stepTypes`). It observes the compact events
   * in any case. Default: all.
   */
  readonly stepTypes?: ReadonlyArray<string> | undefined
}

/** Reads a task's events again, for a critic that needs them after the last one. */
export interface TaskEvents {
  readonly taskId: string
  /** Reads up to `limit` of its events in the range (`after`, `until`]. */
  readonly read: (after: number, until: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
}

/** Judges one task: it observes the events in order, then decides. */
export interface Judging {
  readonly observe: (event: Event) => void
  /**
   * Returns the rewards and punishments that are due, and those that could not be scored. A condition that did not hold
   * has no verdict. If a critic fails, its targets are unscored, with the reason; only errors of the log fail the
   * effect.
   */
  readonly decide: Effect.Effect<ReadonlyArray<Verdict>, AppendError>
}

export interface Target {
  readonly measure: Rubric["measures"][number]
  readonly kind: "reward" | "punishment"
  readonly reward: Reward
}

export const targetsOf = (rubric: Rubric): ReadonlyArray<Target> =>
  rubric.measures.flatMap((measure) => [
    ...(measure.rewards ?? []).map((reward) => ({ measure, kind: "reward" as const, reward })),
    ...(measure.punishments ?? []).map((reward) => ({ measure, kind: "punishment" as const, reward })),
  ])

export const unscored = ({ measure, reward }: Target, reason: string): Verdict => ({
  measure: measureName(measure),
  name: reward.name,
  kind: "unscored",
  reason,
})

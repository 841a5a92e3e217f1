/** Conformance checks and their outcomes. */

import type { Effect, Either } from "effect"
import type { DrivenWorld, Refusal, WorldFacts } from "./DrivenWorld.ts"
import type { Episode, Plan } from "./Episode.ts"

/** The result of a check. `note` is advice that a world need not follow. */
export type CheckOutcome =
  | { readonly status: "passed"; readonly note?: string }
  | { readonly status: "failed"; readonly why: string }
  | { readonly status: "inapplicable"; readonly why: string }

/** An action that a world should refuse, and the world's answer. */
export interface Probe {
  readonly where: string
  /**
   * True if an action mask excludes the action; false if the world refused the action when the episode was first
   * played.
   */
  readonly masked: boolean
  /** Undefined if the world accepted the action. */
  readonly refusal: Refusal | undefined
  /** The change by the refused action, in words; undefined if nothing changed. */
  readonly changed: string | undefined
}

/** The world under test, with cached episodes. */
export interface Drive {
  readonly facts: WorldFacts
  /**
   * Plays an episode, or returns it if it was played before. `copy` selects one of two copies of the world; `run` 1
   * plays the plan again on the same copy.
   */
  readonly episode: (plan: Plan, copy?: 0 | 1, run?: 0 | 1) => Effect.Effect<Episode>
  readonly seeds: ReadonlyArray<number>
  /** The episodes that most checks use, one per seed, played to their end or for a limited number of steps. */
  readonly episodes: Effect.Effect<ReadonlyArray<Episode>>
  readonly plan: Plan
  readonly restores: boolean
  /** Uses a new copy, without a reset or restore before, and ends it. Left if it does not start. */
  readonly fresh: <A>(use: (world: DrivenWorld) => Effect.Effect<A>) => Effect.Effect<Either.Either<A, Refusal>>
  /** Uses the copy that does not play {@link episodes}, in any state. Left if it does not start. */
  readonly used: <A>(use: (world: DrivenWorld) => Effect.Effect<A>) => Effect.Effect<Either.Either<A, Refusal>>
  /** Actions that the world should refuse, with its answers. Left, with a reason, if none could be tried. */
  readonly probes: Effect.Effect<Either.Either<ReadonlyArray<Probe>, string>>
  /** Starts a separate copy and closes it twice; judges the second call. */
  readonly closeTwice: Effect.Effect<CheckOutcome>
}

/** One conformance check. */
export interface Check {
  /** 1 to 48: the number in the list of Gymnasium's and PettingZoo's checks. From 49 on: Hindcast's own checks. */
  readonly number: number
  /** In kebab case. */
  readonly name: string
  /** The property that the check tests. */
  readonly sentence: string
  /** Drives a world. Never fails: a failure of the world is an outcome. */
  readonly run: (drive: Drive) => Effect.Effect<CheckOutcome>
}

export const passed: CheckOutcome = { status: "passed" }

export const failed = (why: string): CheckOutcome => ({ status: "failed", why })

export const inapplicable = (why: string): CheckOutcome => ({ status: "inapplicable", why })

/** The outcome of a check that applies but found nothing to test. */
export const untried = (why: string): CheckOutcome => inapplicable(`nothing was tested: ${why}`)

export interface Unseen {
  readonly unseen: string
}

/** The flaws in one place, or why the check found nothing to test there. */
export type Look = ReadonlyArray<string> | Unseen

export const unseen = (why: string): Unseen => ({ unseen: why })

/** Combines the results for several places. A check that tested none of them does not pass. */
export const outcomeOfLooks = (looks: ReadonlyArray<Look>, none: string): CheckOutcome => {
  const looked = looks.filter((look): look is ReadonlyArray<string> => !("unseen" in look))
  if (looked.length > 0) return outcomeOf(looked.flat())
  const [first] = looks.filter((look) => "unseen" in look)
  return untried(first?.unseen ?? none)
}

/** The outcome for a list of flaws: the first one, and the number of the others. */
export const outcomeOf = (wrong: ReadonlyArray<string>): CheckOutcome => {
  const [first, ...others] = wrong
  if (first === undefined) return passed
  return failed(others.length === 0 ? first : `${first}; and ${others.length} more`)
}

/** What a conformance check is, and what it can find. */

import type { Effect, Either } from "effect"
import type { DrivenWorld, Refusal, WorldFacts } from "./DrivenWorld.ts"
import type { Episode, Plan } from "./Episode.ts"

/** What a check found. `note` is advice that a world need not follow. */
export type Verdict =
  | { readonly status: "passed"; readonly note?: string }
  | { readonly status: "failed"; readonly why: string }
  | { readonly status: "inapplicable"; readonly why: string }

/** An action that a world ought to refuse, and what came of it. */
export interface Probe {
  /** Between which steps, in words. */
  readonly where: string
  /** Whether an action mask leaves it out. Otherwise the world refused it when the episode was played first. */
  readonly masked: boolean
  /** How it was refused; undefined if the world took it. */
  readonly refusal: Refusal | undefined
  /** What the refused action changed, in words; undefined if nothing. */
  readonly changed: string | undefined
}

/** What checks have of a world. */
export interface Drive {
  readonly facts: WorldFacts
  /**
   * Plays an episode, or returns it if it was played before. `copy` and `run` tell episodes of one plan apart: `copy` 1 is
   * another copy of the world than 0, and `run` 1 is the plan played once more on the same copy.
   */
  readonly episode: (plan: Plan, copy?: 0 | 1, run?: 0 | 1) => Effect.Effect<Episode>
  /** The seeds of {@link episodes}. */
  readonly seeds: ReadonlyArray<number>
  /** The episodes that most checks look at: of a few seeds, played to their end or for a bounded number of steps. */
  readonly episodes: Effect.Effect<ReadonlyArray<Episode>>
  /** The plan of the first of {@link episodes}. */
  readonly plan: Plan
  /** Whether the world can be restored. */
  readonly restores: boolean
  /** Uses a copy that was neither reset nor restored before, and ends it. Left is why it did not start. */
  readonly fresh: <A>(use: (world: DrivenWorld) => Effect.Effect<A>) => Effect.Effect<Either.Either<A, Refusal>>
  /** Uses the other copy than that of {@link episodes}, whatever it did before. Left is why it did not start. */
  readonly used: <A>(use: (world: DrivenWorld) => Effect.Effect<A>) => Effect.Effect<Either.Either<A, Refusal>>
  /** The actions that the world ought to refuse, and what came of them. Left is why none could be tried. */
  readonly probes: Effect.Effect<Either.Either<ReadonlyArray<Probe>, string>>
  /** Starts a copy of its own and closes it twice; returns what the second call said. */
  readonly closeTwice: Effect.Effect<Verdict>
}

/** One of the conformance checks. */
export interface Check {
  /** To 48, its number in the list of what Gymnasium and PettingZoo check. From 49 on, Hindcast's own. */
  readonly number: number
  /** In kebab case. */
  readonly name: string
  /** What holds if it passes. */
  readonly sentence: string
  /** Drives a world. It never fails: a failure of the world is a verdict. */
  readonly run: (drive: Drive) => Effect.Effect<Verdict>
}

export const passed: Verdict = { status: "passed" }

export const failed = (why: string): Verdict => ({ status: "failed", why })

export const inapplicable = (why: string): Verdict => ({ status: "inapplicable", why })

/** The verdict where a check applies, and found nothing that it could look at. */
export const untried = (why: string): Verdict => inapplicable(`nothing was tried: ${why}`)

/** There was nothing in a place that a check could look at there. */
export interface Unseen {
  readonly unseen: string
}

/** What was found wrong in a place, or why nothing could be looked at there. */
export type Look = ReadonlyArray<string> | Unseen

export const unseen = (why: string): Unseen => ({ unseen: why })

/** The verdict for several places: what is wrong in them. A check that could look at none of them does not pass. */
export const verdictOfLooks = (looks: ReadonlyArray<Look>, none: string): Verdict => {
  const looked = looks.filter((look): look is ReadonlyArray<string> => !("unseen" in look))
  if (looked.length > 0) return verdictOf(looked.flat())
  const [first] = looks.filter((look) => "unseen" in look)
  return untried(first?.unseen ?? none)
}

/** The verdict for what was found wrong: the first of it, and how much more there is. */
export const verdictOf = (wrong: ReadonlyArray<string>): Verdict => {
  const [first, ...others] = wrong
  if (first === undefined) return passed
  return failed(others.length === 0 ? first : `${first}; and ${others.length} more`)
}

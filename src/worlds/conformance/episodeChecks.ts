/** Builds checks that look at episodes. */

import { Effect } from "effect"
import { diff } from "../../projections/patch/diff.ts"
import { equal } from "../../projections/patch/Equality.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import {
  type Check,
  type CheckOutcome,
  type Drive,
  inapplicable,
  type Look,
  outcomeOf,
  outcomeOfLooks,
  unseen,
  untried,
} from "./Check.ts"
import type { Refusal, Start, Stepped } from "./DrivenWorld.ts"
import type { Episode, Round } from "./Episode.ts"
import { isOfAnswer } from "./refusals.ts"

export type Title = Pick<Check, "number" | "name" | "sentence">

/** A check of the first reset. */
export const ofStart = (title: Title, judge: (start: Start, drive: Drive) => CheckOutcome): Check => ({
  ...title,
  run: (drive) =>
    Effect.map(drive.episode(drive.plan), ({ start, failure }) =>
      start === undefined ? notReset(failure) : judge(start, drive),
    ),
})

export const NO_SPACE = "no agent has a valid observation space"

export const NO_AGENT = "no agent takes part"

/** A step of an episode, numbered from 1, with the answer to the reset. */
export interface SeenRound extends Round {
  readonly number: number
  readonly start: Start
}

export interface Refused {
  /** The number of steps before it; undefined if the reset was refused. */
  readonly steps: number | undefined
  readonly actions: Episode["refused"]
}

/**
 * A check of each step of all episodes. `look` returns a step's flaws, or why there is nothing to test; `refusalWrong`
 * tells whether a refusal fails the check.
 */
export const ofRounds = (
  title: Title,
  look: (round: SeenRound, drive: Drive) => Look,
  refusalWrong: (refusal: Refusal, refused: Refused, drive: Drive) => string | undefined = () => undefined,
): Check => ({
  ...title,
  run: (drive) =>
    Effect.map(drive.episodes, (episodes) => {
      const looks = episodes.flatMap(({ start, rounds, failure, refused: actions }, index): ReadonlyArray<Look> => {
        const steps = start === undefined ? undefined : rounds.length
        const refused = failure === undefined ? undefined : refusalWrong(failure, { steps, actions }, drive)
        if (start === undefined) return refused === undefined ? [] : [[`episode ${index + 1}, reset: ${refused}`]]
        return [
          ...rounds.map((round, at) => {
            const found = look({ ...round, number: at + 1, start }, drive)
            return "unseen" in found ? found : found.map(placed(index, at + 1))
          }),
          ...(refused === undefined ? [] : [[placed(index, rounds.length + 1)(refused)]]),
        ]
      })
      return looks.length === 0 ? notStepped(episodes) : outcomeOfLooks(looks, NO_STEP)
    }),
})

const placed = (episode: number, step: number) => (why: string) => `episode ${episode + 1}, step ${step}: ${why}`

/** A check of some fields of all results. Check 20 finds missing fields. */
export const ofResults = (
  title: Title,
  fields: ReadonlyArray<string>,
  wrong: (result: JsonObject) => string | undefined,
): Check =>
  ofRounds(
    title,
    ({ stepped }) => {
      const results = Object.entries(stepped.results).filter(([, result]) =>
        fields.some((field) => result[field] !== undefined),
      )
      if (results.length === 0) return unseen(`no result has ${fields.join(" or ")}`)
      return results.flatMap(([agent, result]) => {
        const why = wrong(result)
        return why === undefined ? [] : [`${agent}: ${why}`]
      })
    },
    (refusal) => (isOfAnswer(refusal, title.number) ? said(refusal) : undefined),
  )

/** A check that applies to some worlds only: `why` returns the reason if it does not apply. */
export const only = (why: (drive: Drive) => string | undefined, check: Check): Check => ({
  ...check,
  run: (drive) => {
    const reason = why(drive)
    return reason === undefined ? check.run(drive) : Effect.succeed(inapplicable(reason))
  },
})

/** A check that applies to no Hindcast world. */
export const meaningless = (title: Title, why: string): Check => ({
  ...title,
  run: () => Effect.succeed(inapplicable(why)),
})

export const notReset = (failure: Refusal | undefined): CheckOutcome =>
  inapplicable(`the world could not be reset (${said(failure)})`)

export const UNPLAYABLE: CheckOutcome = inapplicable("an action space is invalid: no action can be drawn")

const notStepped = (episodes: ReadonlyArray<Episode>): CheckOutcome => {
  const [first] = episodes
  if (first?.start === undefined) return notReset(first?.failure)
  return first.unplayable ? UNPLAYABLE : inapplicable(`no step was taken (${first.stuck ?? said(first.failure)})`)
}

export const NO_STEP = "no step was taken"

export const said = (refusal: Refusal | undefined): string =>
  refusal === undefined ? "no reason is known" : `${refusal.code}: ${refusal.message}`

/** Where two values differ, as a JSON Pointer in words; undefined if they are equal. */
export const difference = (before: Json, after: Json): string | undefined => {
  if (equal(before, after)) return undefined
  const [first] = diff(before, after)
  return first === undefined ? "they differ" : `they differ at ${first.path === "" ? "the root" : first.path}`
}

/** Hindcast's record of the episode in the world's document, if there is one. */
export const episodeIn = (document: Json): JsonObject | undefined => {
  const episode = isObject(document) ? document.episode : undefined
  return isObject(episode) ? episode : undefined
}

export const differs = (what: string, before: Json, after: Json): ReadonlyArray<string> => {
  const found = difference(before, after)
  return found === undefined ? [] : [`${what}: ${found}`]
}

export const everything = ({ results, observations, masks, turn, document }: Stepped): Json => ({
  results,
  observations,
  masks,
  turn,
  document,
})

/** The first difference between the steps of two episodes, in the part that `part` selects. */
export const stepsDiffer = (
  first: Episode,
  second: Episode,
  part: (stepped: Stepped) => Json,
): ReadonlyArray<string> => {
  for (const [index, round] of first.rounds.entries()) {
    const other = second.rounds[index]
    if (other === undefined) break
    const found = differs(`step ${index + 1}`, part(round.stepped), part(other.stepped))
    if (found.length > 0) return found
  }
  // A time limit stopped one of them: their lengths say nothing.
  if (first.rounds.length === second.rounds.length || first.cut || second.cut) return []
  return [`one episode has ${first.rounds.length} steps, the other ${second.rounds.length}`]
}

/** The outcome of a comparison of two episodes. If one of them has no step, nothing was compared. */
export const compared = (first: Episode, second: Episode, wrong: ReadonlyArray<string>): CheckOutcome =>
  wrong.length === 0 && Math.min(first.rounds.length, second.rounds.length) === 0 ? untried(NO_STEP) : outcomeOf(wrong)

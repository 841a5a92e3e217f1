/** Refusals that fail checks of their own: the codes by which what runs a world says what is wrong with its answers. */

import type { OF_ANSWERS as CODES } from "../../kernel/acting/FailedStep.ts"
import type { Refusal, WorldFacts } from "./DrivenWorld.ts"

/** The code for an observation outside of its space, which fails the checks 16, 21 and 42. */
export const OUTSIDE = "ObservationOutsideSpace"

/** The code for an info of a reset that is no object, which fails check 15. */
export const INFO = "InvalidInfo"

/** The codes for what is wrong with an answer to a step, each with the number of the check that it fails. */
const OF_ANSWERS: { readonly [code: string]: number } = {
  InvalidReward: 23,
  InvalidFlag: 24,
  NoSuchAgentInStep: 38,
  InvalidStepInfo: 49,
} satisfies { readonly [Code in Exclude<(typeof CODES)[number], "InvalidStep">]: number }

/** The codes for a mask that is none, and for a forbidden action that the mask left. They fail check 43. */
const OF_MASKS = ["MaskOutsideSpace", "ActionOutsideSpace"]

/** Other codes that are not the world's own. */
const OF_RUNNER = [OUTSIDE, INFO, "InvalidStep", "EpisodeOver", "NotYourTurn", "NoSuchAgent"]

/** The codes of errors by which JavaScript says that a function is broken. */
const OF_JAVASCRIPT = ["TypeError", "RangeError", "ReferenceError", "SyntaxError"]

/** Whether a refusal says that the answer to a step breaks a check. */
export const isOfAnswer = ({ code }: Refusal, check: number): boolean =>
  Object.hasOwn(OF_ANSWERS, code) && OF_ANSWERS[code] === check

/** Whether the world itself refused an action, rather than that what runs it did, or that the world is broken. */
export const isByWorld = ({ code, byStep, ended }: Refusal): boolean =>
  byStep === true &&
  ended !== true &&
  !Object.hasOwn(OF_ANSWERS, code) &&
  ![...OF_MASKS, ...OF_RUNNER, ...OF_JAVASCRIPT].includes(code)

/** Whether a refusal says that a mask is none, or leaves an action that is refused. */
export const isOfMask = (refusal: Refusal, { mask }: WorldFacts): boolean =>
  mask && (OF_MASKS.includes(refusal.code) || isByWorld(refusal))

/** Whether a refused step fails another check than that steps are answered. */
export const hasOwnCheck = (refusal: Refusal, facts: WorldFacts): boolean =>
  refusal.code === OUTSIDE || Object.hasOwn(OF_ANSWERS, refusal.code) || isOfMask(refusal, facts)

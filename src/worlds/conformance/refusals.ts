/** Classifies refusals by their codes: those of the world's runner belong to specific checks. */

import type { OF_ANSWERS as CODES } from "../../kernel/acting/FailedStep.ts"
import type { Refusal, WorldFacts } from "./DrivenWorld.ts"

/** An observation outside its space: fails checks 16, 21 and 42. */
export const OUTSIDE = "ObservationOutsideSpace"

/** A reset's info that is not an object: fails check 15. */
export const INFO = "InvalidInfo"

/** Codes for flaws in the answer to a step, with the number of the check that they fail. */
const OF_ANSWERS: { readonly [code: string]: number } = {
  InvalidReward: 23,
  InvalidFlag: 24,
  NoSuchAgentInStep: 38,
  InvalidStepInfo: 49,
} satisfies { readonly [Code in Exclude<(typeof CODES)[number], "InvalidStep">]: number }

/** Codes for an invalid mask, and for a forbidden action that the mask allowed. They fail check 43. */
const OF_MASKS = ["MaskOutsideSpace", "ActionOutsideSpace"]

const OF_RUNNER = [OUTSIDE, INFO, "InvalidStep", "EpisodeOver", "NotYourTurn", "NoSuchAgent"]

/** Codes of JavaScript errors, which mean that the world is broken. */
const OF_JAVASCRIPT = ["TypeError", "RangeError", "ReferenceError", "SyntaxError"]

/** Whether a refusal fails this check of a step's answer. */
export const isOfAnswer = ({ code }: Refusal, check: number): boolean =>
  Object.hasOwn(OF_ANSWERS, code) && OF_ANSWERS[code] === check

/** Whether the world itself refused an action: not its runner, and not because the world is broken. */
export const isByWorld = ({ code, byStep, ended }: Refusal): boolean =>
  byStep === true &&
  ended !== true &&
  !Object.hasOwn(OF_ANSWERS, code) &&
  ![...OF_MASKS, ...OF_RUNNER, ...OF_JAVASCRIPT].includes(code)

/** Whether a refusal means that a mask is invalid, or allows an action that the world refuses. */
export const isOfMask = (refusal: Refusal, { mask }: WorldFacts): boolean =>
  mask && (OF_MASKS.includes(refusal.code) || isByWorld(refusal))

/** Whether another check than "step-answered" covers a refused step. */
export const hasOwnCheck = (refusal: Refusal, facts: WorldFacts): boolean =>
  refusal.code === OUTSIDE || Object.hasOwn(OF_ANSWERS, refusal.code) || isOfMask(refusal, facts)

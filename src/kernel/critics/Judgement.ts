/** Rounding of the amounts in judgements. */

export type { Judgement } from "./Critic.ts"

/** Rounds an amount to 1e-9, so that sums of decimals are exact to that. */
export const round = (amount: number): number => Math.round(amount * 1e9) / 1e9

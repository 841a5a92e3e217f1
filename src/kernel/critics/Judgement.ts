export type { Judgement } from "./Critic.ts"

/** Sums over decimals are exact to 1e-9. */
export const round = (amount: number): number => Math.round(amount * 1e9) / 1e9

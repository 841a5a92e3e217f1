/** Says in words what a person's label means. */

/** A pass or a fail, a score, or a category. */
export type LabelValue = boolean | number | string

/** The measure of a bare pass or fail. */
export const PASS = "pass"

/** A label in words: `pass`, `fail`, `safe: fail`, `helpful = 0.8`, `error = wrong tool`. */
export const inWords = (measure: string, value: LabelValue): string => {
  if (typeof value !== "boolean") return `${measure} = ${value}`
  const word = value ? "pass" : "fail"
  return measure === PASS ? word : `${measure}: ${word}`
}

/** The label of the score sets with a person's judgements: `human:ada`, and `human:ada/helpful` for other measures. */
export const scoringName = (by: string, measure: string): string => (measure === PASS ? by : `${by}/${measure}`)

/** Whether a critic is a person: the critic of a score set that labels made. */
export const isPerson = (critic: string): boolean => critic.startsWith("human:")

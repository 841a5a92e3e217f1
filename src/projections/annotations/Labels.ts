/** Words for the meaning of an annotation. */

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

/** The parts of an annotation for its words. */
interface Said {
  readonly kind: "note" | "star" | "tag" | "label"
  readonly text?: string
  readonly measure?: string
  readonly value?: LabelValue
  readonly target?: string
}

/**
 * The words of an annotation. Those of a label name the judgement, its reason and the right answer. Empty for a star.
 */
export const said = ({ kind, text = "", measure = "", value, target }: Said): string => {
  if (kind !== "label" || value === undefined) return text
  const parts = [
    inWords(measure, value),
    ...(text === "" ? [] : [text]),
    ...(target === undefined ? [] : [`right: ${target}`]),
  ]
  return parts.join("; ")
}

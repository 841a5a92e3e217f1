/** The options of a permission request: shown by the agent, chosen by their kind. Pure. */

import type { Json, JsonObject } from "../values/Json.ts"
import { asObject, fieldOf, isObject, textOf } from "../values/JsonObjects.ts"

/** The option to choose for a decision. A single permission comes before a lasting one. */
const KINDS = {
  // A lasting permission would let later calls pass without a question.
  allow: ["allow_once"],
  deny: ["reject_once", "reject_always"],
} as const

const optionsOf = (params: JsonObject): ReadonlyArray<JsonObject> =>
  Array.isArray(params.options) ? params.options.filter(isObject) : []

/** The result that answers a request with a decision: a denial without a fitting option cancels. Undefined if nothing fits. */
export const resultOf = (params: JsonObject, decision: "allow" | "deny"): Json | undefined => {
  for (const kind of KINDS[decision]) {
    const optionId = textOf(optionsOf(params).find((option) => option.kind === kind)?.optionId)
    if (optionId !== undefined) return { outcome: { outcome: "selected", optionId } }
  }
  return decision === "deny" ? CANCELLED : undefined
}

export const CANCELLED: Json = { outcome: { outcome: "cancelled" } }

export interface Chosen {
  readonly approved: boolean
  /** The kind of the chosen option, or why there is none. */
  readonly reason: string
}

/** The person's choice. Anything that is not an option that allows is a refusal. */
export const chosenOf = (params: JsonObject, result: Json | undefined): Chosen => {
  const outcome = asObject(asObject(result).outcome)
  const optionId = textOf(fieldOf(outcome, "optionId"))
  if (outcome.outcome !== "selected" || optionId === undefined) {
    return { approved: false, reason: outcome.outcome === "cancelled" ? "cancelled" : "no option was chosen" }
  }
  const fitting = optionsOf(params).filter((option) => option.optionId === optionId)
  const kinds = new Set(fitting.map(({ kind }) => textOf(kind) ?? "unknown"))
  const [kind = "unknown"] = kinds
  if (kinds.size > 1) return { approved: false, reason: "options of several kinds share one id" }
  return { approved: kind === "allow_once" || kind === "allow_always", reason: kind }
}

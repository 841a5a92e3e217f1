/** Summarizes a recorded gate configuration on one line. */

import type { JsonObject } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import { isArray } from "../patch/JsonPatch.ts"

/** Maximum number of named rules. The others are counted. */
const RULES = 3

/**
 * Summarizes a gate configuration: `little-risk allows, ask-a-person confirms, else deny`. Reads the JSON without a
 * schema, because a later version may have written more.
 */
export const of = ({ rules, default: otherwise }: JsonObject): string => {
  const named = isArray(rules) ? rules.map(ruleOf) : []
  const more = named.length > RULES ? [`${named.length - RULES} more`] : []
  const last = named.length === 0 ? `${word(otherwise)} all` : `else ${word(otherwise)}`
  return [...named.slice(0, RULES), ...more, last].join(", ")
}

const ruleOf = (rule: unknown): string => {
  if (typeof rule !== "object" || rule === null || !("name" in rule) || !("decision" in rule)) return "?"
  return `${oneLine(String(rule.name))} ${VERBS.get(String(rule.decision)) ?? oneLine(String(rule.decision))}`
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ["allow", "allows"],
  ["deny", "denies"],
  ["confirm", "confirms"],
])

const word = (decision: unknown): string => (typeof decision === "string" ? oneLine(decision) : "?")

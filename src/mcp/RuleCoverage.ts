/**
 * Rules that do not apply to a server as their author may think: a rule with a mistyped name stops nothing, and nothing
 * else says so. Pure.
 */

import type { GateConfig, GateRule } from "../kernel/gate/Gate.ts"
import * as GatePattern from "../kernel/gate/GatePattern.ts"
import { oneLine } from "../values/PlainText.ts"

type NamingRule = GateRule & { readonly actuator: string }

const naming = ({ rules = [] }: GateConfig): ReadonlyArray<NamingRule> =>
  rules.flatMap((rule) => (rule.actuator === undefined ? [] : [{ ...rule, actuator: rule.actuator }]))

/**
 * Says that all rules that name tools name those of other servers. Undefined if one names this server's, or if none
 * names any.
 */
export const ofOthers = (gate: GateConfig, server: string): string | undefined => {
  const rules = naming(gate)
  if (rules.length === 0 || rules.some(({ actuator }) => GatePattern.isAbout(actuator, server))) return undefined
  const [{ actuator = "" } = {}] = rules
  const [other = ""] = actuator.split("/")
  const advice = NAME.test(other) ? `: --name ${other} gives it the name that they use` : ""
  return `No rule is about the tools of ${server}. The rules name ${listed(rules.map((rule) => rule.actuator))}${advice}`
}

/** Says which rules about this server match none of its tools, if there are such rules. */
export const ofNoTool = (gate: GateConfig, server: string, actuators: ReadonlyArray<string>): string | undefined => {
  const idle = naming(gate).filter(
    ({ actuator }) =>
      GatePattern.isAbout(actuator, server) && !actuators.some((one) => GatePattern.matches(actuator, one)),
  )
  if (idle.length === 0) return undefined
  const rules = idle.map(({ name, actuator }) => `"${name}" (${actuator})`)
  return `${idle.length === 1 ? "A rule matches" : "These rules match"} no tool of ${server}: ${listed(rules)}. Its tools are ${listed(actuators)}`
}

/** Texts that an answer lists. */
const LISTED = 12

const listed = (texts: ReadonlyArray<string>): string => {
  const shown = [...new Set(texts)].slice(0, LISTED).map(oneLine)
  const more = new Set(texts).size - shown.length
  return shown.length === 0 ? "none" : `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

const NAME = /^[\w.-]+$/

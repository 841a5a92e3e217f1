/** Which arguments a gate rule is about. Pure; a pattern takes linear time. */

import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { GateRule } from "./GateConfig.ts"
import * as GatePattern from "./GatePattern.ts"
import * as ShellLine from "./ShellLine.ts"

/** The argument that holds a shell's line, in every tool that has one. */
const LINE = "command"

/**
 * Whether a rule matches arguments, as far as it is about them. Where the gate cannot tell, a rule that denies or asks matches, and one
 * that allows does not.
 *
 * @param args undefined if they are not known
 */
export const match = ({ args: patterns, shell, decision }: GateRule, args: Json | undefined): boolean => {
  if (patterns === undefined && shell === undefined) return true
  if (args === undefined) return decision !== "allow"
  return (
    Object.entries(patterns ?? {}).every(([name, pattern]) => fits(pattern, argumentOf(args, name), decision)) &&
    (shell === undefined || runs(shell, argumentOf(args, LINE), decision))
  )
}

const argumentOf = (args: Json, name: string): Json | undefined =>
  isObject(args) ? SafeRecord.get(args, name) : undefined

const fits = (pattern: string, value: Json | undefined, decision: GateRule["decision"]): boolean =>
  // A list or an object may hold what the pattern is about.
  typeof value === "object" && value !== null
    ? decision !== "allow"
    : value !== undefined && GatePattern.matches(pattern, String(value))

const runs = (patterns: ReadonlyArray<string>, line: Json | undefined, decision: GateRule["decision"]): boolean => {
  if (line === undefined) return false
  if (typeof line !== "string") return decision !== "allow"
  const { commands, isWhole } = ShellLine.read(line)
  const isListed = (command: string) => patterns.some((pattern) => GatePattern.matches(pattern, command))
  return decision === "allow"
    ? isWhole && commands.length > 0 && commands.every(isListed)
    : !isWhole || commands.some(isListed)
}

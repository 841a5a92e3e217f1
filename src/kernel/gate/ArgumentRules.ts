/** Matches gate rules against the arguments of commands. Pure; a pattern takes linear time. */

import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { GateRule } from "./GateConfig.ts"
import * as GatePattern from "./GatePattern.ts"
import * as ShellLine from "./ShellLine.ts"

const LINE = "command"

export type Match = "fits" | "cannot tell" | "no"

/**
 * Matches a rule's patterns against arguments. On `cannot tell`, a rule that denies or asks applies, and one that
 * allows does not.
 *
 * @param args undefined if unknown
 */
export const match = (rule: GateRule, args: Json | undefined): Match => {
  const { args: patterns, shell } = rule
  if (patterns === undefined && shell === undefined) return "fits"
  if (args === undefined) return "cannot tell"
  const parts = [
    ...Object.entries(patterns ?? {}).map(([name, pattern]) => fits(pattern, argumentOf(args, name))),
    ...(shell === undefined ? [] : [runs(rule, shell, argumentOf(args, LINE))]),
  ]
  return parts.includes("no") ? "no" : parts.includes("cannot tell") ? "cannot tell" : "fits"
}

const argumentOf = (args: Json, name: string): Json | undefined =>
  isObject(args) ? SafeRecord.get(args, name) : undefined

const fits = (pattern: string, value: Json | undefined): Match => {
  if (value === undefined) return "no"
  if (typeof value === "object" && value !== null) return "cannot tell"
  return GatePattern.matches(pattern, String(value)) ? "fits" : "no"
}

/**
 * A rule that allows must match every command of a line that hides nothing and writes no file. Any other rule matches if
 * one command fits, and cannot tell if the line hides something.
 */
const runs = ({ decision }: GateRule, patterns: ReadonlyArray<string>, line: Json | undefined): Match => {
  if (line === undefined) return "no"
  if (typeof line !== "string") return "cannot tell"
  const { commands, isWhole, writes } = ShellLine.read(line)
  const isListed = (command: string) => patterns.some((pattern) => GatePattern.matches(pattern, command))
  // To a rule that refuses it, `/bin/rm` is `rm`. A rule that allows `npm` does not allow `/tmp/npm`.
  const isRefused = (command: string) => isListed(command) || isListed(command.replace(/^\S*\//, ""))
  if (decision !== "allow") return commands.some(isRefused) ? "fits" : isWhole ? "no" : "cannot tell"
  return isWhole && !writes && commands.length > 0 && commands.every(isListed) ? "fits" : "no"
}

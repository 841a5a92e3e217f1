/** Which arguments a gate rule is about. Pure; a pattern takes linear time. */

import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { GateRule } from "./GateConfig.ts"
import * as GatePattern from "./GatePattern.ts"
import * as ShellLine from "./ShellLine.ts"

/** The argument that holds a shell's line, in every tool that has one. */
const LINE = "command"

/** How a rule is about arguments. */
export type Match = "fits" | "cannot tell" | "no"

/**
 * Whether a rule matches arguments, as far as it is about them. Where that cannot be told, a rule that denies or asks matches, and one that
 * allows does not.
 *
 * @param args undefined if they are not known
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
  // A list or an object may hold what the pattern is about.
  if (typeof value === "object" && value !== null) return "cannot tell"
  return GatePattern.matches(pattern, String(value)) ? "fits" : "no"
}

/** An allowance is of a whole line, which writes no file by itself; all else is about any command in it. */
const runs = ({ decision }: GateRule, patterns: ReadonlyArray<string>, line: Json | undefined): Match => {
  if (line === undefined) return "no"
  if (typeof line !== "string") return "cannot tell"
  const { commands, isWhole, writes } = ShellLine.read(line)
  const isListed = (command: string) => patterns.some((pattern) => GatePattern.matches(pattern, command))
  // `/bin/rm` is `rm` to a rule that refuses it. A rule that allows `npm` says nothing of `/tmp/npm`.
  const isRefused = (command: string) => isListed(command) || isListed(command.replace(/^\S*\//, ""))
  if (decision !== "allow") return commands.some(isRefused) ? "fits" : isWhole ? "no" : "cannot tell"
  return isWhole && !writes && commands.length > 0 && commands.every(isListed) ? "fits" : "no"
}

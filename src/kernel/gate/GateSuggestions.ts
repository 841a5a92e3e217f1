/**
 * Proposes gate rules from people's decisions about commands. Pure. A proposal is about the same shell line, file or
 * address; it never widens a decision to a pattern.
 */

import { groupBy } from "../../values/groupBy.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Decision, GateRule } from "./GateConfig.ts"
import type { TriedCommand } from "./GateTrial.ts"
import * as ShellLine from "./ShellLine.ts"

/** A proposed rule and its evidence. */
export interface Suggestion {
  readonly rule: GateRule
  /** Why: one sentence. */
  readonly because: string
  /** Positions of the commands that people decided about, in order. */
  readonly evidence: ReadonlyArray<number>
}

export interface Suggestions {
  /** In the order in which a gate must try them: refusals first. */
  readonly rules: ReadonlyArray<Suggestion>
  /** The number of commands that people decided about. */
  readonly decided: number
  /** Decided commands for which no rule is proposed, by actuator, with the reason. */
  readonly left: ReadonlyArray<Left>
}

interface Left {
  readonly actuator: string
  readonly commands: number
  readonly because: string
}

/**
 * @param commands of `GateTrial`
 * @param atLeast how often people must have approved a command before a rule allows it
 */
export const of = (commands: ReadonlyArray<TriedCommand>, atLeast: number): Suggestions => {
  const decided = commands.filter(({ past }) => past === "approved" || past === "rejected")
  const groups = groupBy(decided, ({ actuator, args }) => [JSON.stringify([actuator, subjectOf(args)])])
  const proposals = [...groups.values()].map((same) => proposed(same, atLeast))
  const names = new Set<string>()
  const named = ({ words, rule, ...evidence }: Proposal): Suggestion => {
    let name = words
    for (let n = 2; names.has(name); n++) name = `${words}-${n}`
    names.add(name)
    return { rule: { name, ...rule }, ...evidence }
  }
  return {
    rules: proposals
      .filter(isRule)
      .map(named)
      .toSorted((a, b) => order(a) - order(b)),
    decided: decided.length,
    left: proposals.flatMap((proposal) => (isRule(proposal) ? [] : [proposal])),
  }
}

interface Proposal extends Pick<Suggestion, "because" | "evidence"> {
  readonly rule: Omit<GateRule, "name">
  /** The rule's name, if no other rule has it. */
  readonly words: string
}

const isRule = (proposal: Proposal | Left): proposal is Proposal => "rule" in proposal

/** @param same commands that one rule can name */
const proposed = (same: ReadonlyArray<TriedCommand>, atLeast: number): Proposal | Left => {
  const [{ actuator, args } = { actuator: "", args: undefined }] = same
  const left = (because: string) => ({ actuator, commands: same.length, because })
  const subject = subjectOf(args)
  if (subject.kind === "none") return left(subject.because)
  const approved = same.filter(({ past }) => past === "approved").length
  const rejected = same.length - approved
  const decision = decisionOf(approved, rejected, atLeast)
  if (decision === undefined) return left(`approved ${times(approved)}, fewer than ${atLeast}`)
  const because = `${approved > 0 ? `approved ${times(approved)}` : "never approved"}, ${rejected > 0 ? `refused ${times(rejected)}` : "never refused"}`
  const words = `${decision}-${actuator.slice(actuator.indexOf("/") + 1)}-${subject.words}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, LONGEST_NAME)
  const evidence = same.map(({ position }) => position)
  return { rule: { actuator, ...subject.about, decision }, words, because, evidence }
}

const LONGEST_NAME = 60

const times = (n: number): string => (n === 1 ? "once" : `${n} times`)

const order = ({ rule }: Suggestion): number => ["deny", "confirm", "allow"].indexOf(rule.decision)

/** Undefined if people have not decided often enough. */
const decisionOf = (approved: number, rejected: number, atLeast: number): Decision | undefined => {
  if (rejected > 0) return approved > 0 ? "confirm" : "deny"
  return approved >= atLeast ? "allow" : undefined
}

/** The part of a command that a rule can name. */
type Subject =
  | {
      readonly kind: "known"
      readonly about: Pick<GateRule, "shell" | "args">
      /** For the rule's name. */
      readonly words: string
    }
  | { readonly kind: "none"; readonly because: string }

/** Arguments that say what a tool works on. */
const TARGETS = ["file_path", "path", "notebook_path", "filename", "url"]

const subjectOf = (args: Json | undefined): Subject => {
  if (args === undefined) return { kind: "none", because: "the log does not have their whole arguments" }
  if (!isObject(args)) return { kind: "none", because: "no rule can name what they work on" }
  if (Object.keys(args).length === 0) return { kind: "known", about: {}, words: "" }
  const line = SafeRecord.get(args, "command")
  if (line !== undefined) return subjectOfLine(line)
  const target = TARGETS.find((name) => typeof SafeRecord.get(args, name) === "string")
  const value = target === undefined ? undefined : SafeRecord.get(args, target)
  if (target === undefined || typeof value !== "string") {
    return { kind: "none", because: "no rule can name what they work on" }
  }
  return isPattern(value)
    ? { kind: "none", because: "a star in an argument would match other arguments" }
    : { kind: "known", about: { args: { [target]: value } }, words: value.replace(/^.*\//, "") }
}

/** A line's commands as patterns that fit only themselves. */
const subjectOfLine = (line: Json): Subject => {
  if (typeof line !== "string") return { kind: "none", because: "no rule can name what they run" }
  const { commands, isWhole, writes } = ShellLine.read(line)
  const [first, ...others] = new Set(commands)
  if (!isWhole || first === undefined) return { kind: "none", because: "the line hides what it runs" }
  if (writes) return { kind: "none", because: "the line writes a file" }
  if (isPattern(line)) return { kind: "none", because: "a star in the line would match other commands" }
  return { kind: "known", about: { shell: [first, ...others] }, words: commands.join(" ") }
}

const isPattern = (text: string): boolean => text.includes("*")

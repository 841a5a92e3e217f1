/**
 * Finds criteria that can never hold, or that always hold, for any agent: comparisons of a value with a constant
 * outside the value's range. In doubt, a criterion may hold and may not. Pure.
 */

import type { ASTNode } from "@marcbachmann/cel-js"
import { childrenOf } from "../../../kernel/rules/RuleDependencies.ts"

/** The values that a path can have: numbers between two limits, some texts, or none at all. */
export type Range =
  | { readonly kind: "number"; readonly low: number; readonly high: number }
  | { readonly kind: "text"; readonly values: ReadonlyArray<string> }
  | { readonly kind: "none"; readonly why: string }

/** Returns the range of the value at a path, such as `["scores", "live", "net", "mean"]`; undefined if unknown. */
export type RangeOf = (path: ReadonlyArray<string>) => Range | undefined

export interface Satisfiability {
  readonly mayHold: boolean
  readonly mayFail: boolean
  /** Why it can never hold, or always holds, if a single comparison is to blame. */
  readonly why?: string
}

/** Judges a criterion by the ranges of its values. */
export const of = (node: ASTNode, rangeOf: RangeOf): Satisfiability => {
  switch (node.op) {
    case "value":
      return typeof node.args === "boolean" ? constant(node.args) : OPEN
    case "&&": {
      const parts = node.args.map((part) => of(part, rangeOf))
      const impossible = parts.find(({ mayHold }) => !mayHold)
      if (impossible !== undefined) return impossible
      return contradiction(node, rangeOf) ?? { mayHold: true, mayFail: parts.some(({ mayFail }) => mayFail) }
    }
    case "||": {
      const parts = node.args.map((part) => of(part, rangeOf))
      const sure = parts.find(({ mayFail }) => !mayFail)
      if (sure !== undefined) return sure
      if (parts.some(({ mayHold }) => mayHold)) return OPEN
      return parts[0] ?? OPEN
    }
    case "!_": {
      const { mayHold, mayFail, ...why } = of(node.args, rangeOf)
      return { mayHold: mayFail, mayFail: mayHold, ...why }
    }
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "==":
    case "!=":
      return compared(node, rangeOf)
    default:
      return OPEN
  }
}

const OPEN: Satisfiability = { mayHold: true, mayFail: true }

const constant = (value: boolean): Satisfiability => ({ mayHold: value, mayFail: !value })

type Comparison = ASTNode & {
  readonly op: "<" | "<=" | ">" | ">=" | "==" | "!="
  readonly args: readonly [ASTNode, ASTNode]
}

const compared = (node: ASTNode, rangeOf: RangeOf): Satisfiability => {
  const { op, args } = node as Comparison
  const [left, right] = args.map((side) => rangeIn(side, rangeOf))
  if (left === undefined || right === undefined) return OPEN
  const missing = [left, right].find((range) => range.kind === "none")
  // A comparison with a missing value is unknown, and never holds.
  if (missing?.kind === "none") return { mayHold: false, mayFail: true, why: `\`${textOf(node)}\`: ${missing.why}` }
  const [mayHold, mayFail] = between(op, left, right)
  if (mayHold && mayFail) return OPEN
  const known = args.flatMap((side, index) => described(side, index === 0 ? left : right))
  return { mayHold, mayFail, why: `\`${textOf(node)}\`, but ${known.join(" and ")}` }
}

const described = (node: ASTNode, range: Range): ReadonlyArray<string> => {
  if (pathOf(node) === undefined) return []
  const text = textOf(node)
  if (range.kind === "text")
    return [`${text} is ${range.values.map((one) => JSON.stringify(one)).join(" or ") || "no text"}`]
  if (range.kind === "none") return [range.why]
  const { low, high } = range
  if (low === high) return [`${text} is ${low}`]
  if (low === Number.NEGATIVE_INFINITY) return [`${text} is at most ${high}`]
  return [high === Number.POSITIVE_INFINITY ? `${text} is at least ${low}` : `${text} is from ${low} to ${high}`]
}

/** Whether a comparison may hold, and whether it may fail. */
const between = (op: Comparison["op"], left: Range, right: Range): readonly [boolean, boolean] => {
  if (left.kind === "text" && right.kind === "text") {
    const meet = left.values.some((value) => right.values.includes(value))
    const isSame = left.values.length === 1 && right.values.length === 1 && meet
    if (op === "==") return [meet, !isSame]
    return op === "!=" ? [!isSame, meet] : [true, true]
  }
  if (left.kind !== "number" || right.kind !== "number") return op === "!=" ? [true, false] : [false, true]
  const isBelow = left.high < right.low
  const isAbove = left.low > right.high
  const isOne = left.low === left.high && right.low === right.high && left.low === right.low
  switch (op) {
    case "<":
      return [left.low < right.high, left.high >= right.low]
    case "<=":
      return [left.low <= right.high, left.high > right.low]
    case ">":
      return [left.high > right.low, left.low <= right.high]
    case ">=":
      return [left.high >= right.low, left.low < right.high]
    case "==":
      return [!isBelow && !isAbove, !isOne]
    case "!=":
      return [!isOne, !isBelow && !isAbove]
  }
}

/** The range of a side of a comparison: a constant, or a path. */
const rangeIn = (node: ASTNode, rangeOf: RangeOf): Range | undefined => {
  const value = literalOf(node)
  if (typeof value === "number") return { kind: "number", low: value, high: value }
  if (typeof value === "string") return { kind: "text", values: [value] }
  const path = pathOf(node)
  return path === undefined ? undefined : rangeOf(path)
}

const literalOf = (node: ASTNode): number | string | undefined => {
  if (node.op === "-_") {
    const inner = literalOf(node.args)
    return typeof inner === "number" ? -inner : undefined
  }
  if (node.op !== "value") return undefined
  const value: unknown = node.args
  if (typeof value === "bigint") return Number(value)
  return typeof value === "number" || typeof value === "string" ? value : undefined
}

/** The path of names and constant keys that a node reads; undefined for anything else. */
export const pathOf = ({ op, args }: ASTNode): ReadonlyArray<string> | undefined => {
  if (op === "id") return [args]
  if (op === ".") {
    const of = pathOf(args[0])
    return of === undefined ? undefined : [...of, args[1]]
  }
  if (op !== "[]") return undefined
  const of = pathOf(args[0])
  const key = literalOf(args[1])
  return of === undefined || typeof key !== "string" ? undefined : [...of, key]
}

/** An interval, whose ends may be excluded. */
interface Interval {
  readonly low: number
  readonly high: number
  readonly lowOpen: boolean
  readonly highOpen: boolean
}

/** Comparisons of one path that exclude each other, such as `attempt > 3 && attempt < 2`. */
const contradiction = (node: ASTNode, rangeOf: RangeOf): Satisfiability | undefined => {
  const intervals = new Map<string, Interval>()
  for (const part of conjuncts(node)) {
    const limit = limitOf(part)
    if (limit === undefined) continue
    const key = JSON.stringify(limit.path)
    const common = meet(intervals.get(key) ?? intervalOf(rangeOf(limit.path)), limit.interval)
    const { low, high, lowOpen, highOpen } = common
    if (low > high || (low === high && (lowOpen || highOpen)))
      return { mayHold: false, mayFail: true, why: `the comparisons of ${limit.path.join(".")} exclude each other` }
    intervals.set(key, common)
  }
  return undefined
}

const intervalOf = (range: Range | undefined): Interval => ({
  low: range?.kind === "number" ? range.low : Number.NEGATIVE_INFINITY,
  high: range?.kind === "number" ? range.high : Number.POSITIVE_INFINITY,
  lowOpen: false,
  highOpen: false,
})

const meet = (a: Interval, b: Interval): Interval => ({
  low: Math.max(a.low, b.low),
  high: Math.min(a.high, b.high),
  lowOpen: (a.lowOpen && a.low >= b.low) || (b.lowOpen && b.low >= a.low),
  highOpen: (a.highOpen && a.high <= b.high) || (b.highOpen && b.high <= a.high),
})

const conjuncts = (node: ASTNode): ReadonlyArray<ASTNode> => (node.op === "&&" ? node.args.flatMap(conjuncts) : [node])

/** The numbers with which the comparison of a path with a constant holds. */
const limitOf = (node: ASTNode): { readonly path: ReadonlyArray<string>; readonly interval: Interval } | undefined => {
  if (!isLimiting(node.op)) return undefined
  const [left, right] = childrenOf(node.args)
  if (left === undefined || right === undefined) return undefined
  const isMirrored = pathOf(left) === undefined
  const path = pathOf(isMirrored ? right : left)
  const value = literalOf(isMirrored ? left : right)
  if (path === undefined || typeof value !== "number") return undefined
  const op = isMirrored ? MIRRORED[node.op] : node.op
  const isUpper = op === "<" || op === "<="
  const isLower = op === ">" || op === ">="
  const interval = {
    low: isUpper ? Number.NEGATIVE_INFINITY : value,
    high: isLower ? Number.POSITIVE_INFINITY : value,
    lowOpen: op === ">",
    highOpen: op === "<",
  }
  return { path, interval }
}

const isLimiting = (op: string): op is keyof typeof MIRRORED => Object.hasOwn(MIRRORED, op)

const MIRRORED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==" } as const

const textOf = ({ input, range }: ASTNode): string => input.slice(range.start, range.end).replaceAll(/\s+/g, " ").trim()

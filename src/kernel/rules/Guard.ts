/**
 * Evaluates untrusted expressions within a budget (`Meter`). Steps bound time and memory: loops and operations on texts
 * and lists charge before they work, and `Pattern` matches regular expressions in linear time. Also fixes operations in
 * which the library departs from CEL.
 *
 * The library has no hooks. After its check, each node of an operation or a call has a `handle` that takes the
 * operands' values, which the guard wraps. Compilation fails for a node without one.
 */

import { type ASTNode, EvaluationError } from "@marcbachmann/cel-js"
import * as CodePointOrder from "./CodePointOrder.ts"
import * as GuardedCalls from "./GuardedCalls.ts"
import type { Meter } from "./Meter.ts"
import { sizeWithin, stepsOf } from "./Meter.ts"

type Handle = (...args: ReadonlyArray<unknown>) => unknown

/** Members of the library's nodes that it does not declare. */
interface CheckedNode {
  readonly op: string
  readonly args: unknown
  readonly meta: { readonly alternate?: CheckedNode; readonly macro?: Macro; readonly evaluate?: Evaluate }
  handle?: Handle
  evaluate: Evaluate
}

type Evaluate = (ev: unknown, of: unknown, context: unknown) => unknown

interface Macro {
  readonly evaluate: Evaluate
}

/** Each macro over a list or a map expands to one. */
interface Loop {
  readonly step: CheckedNode
  condition?: ((accumulated: unknown) => boolean) | undefined
}

/** Maximum counted values in an operand of `==`. */
const MAX_COUNTED = 1_000_000

/** Returns the steps of one pass over the tree. */
export const install = (ast: ASTNode, meter: Meter): number => {
  const seen = new Set<CheckedNode>()
  visit(ast as unknown as CheckedNode, seen, meter)
  return seen.size
}

/** Returns the number of nodes below, itself included. Guards shared parts once. */
const visit = (node: CheckedNode, seen: Set<CheckedNode>, meter: Meter): number => {
  if (seen.has(node)) return weightOf(node)
  seen.add(node)
  const { alternate, macro } = node.meta
  // The expansion evaluates the macro and contains its arguments.
  if (alternate !== undefined) return visit(alternate, seen, meter)
  const below = macro === undefined ? node.args : Object.values(macro).filter((part) => part !== node)
  const weight = 1 + nodesOf(below).reduce((sum, child) => sum + visit(child, seen, meter), 0)
  weights.set(node, weight)
  if (macro === undefined) guard(node, meter)
  return weight
}

const weights = new WeakMap<CheckedNode, number>()

const weightOf = (node: CheckedNode): number => weights.get(node.meta.alternate ?? node) ?? 1

const isNode = (value: unknown): value is CheckedNode =>
  typeof value === "object" && value !== null && "op" in value && "meta" in value

const nodesOf = (args: unknown): ReadonlyArray<CheckedNode> => {
  if (isNode(args)) return [args]
  if (Array.isArray(args)) return args.flatMap(nodesOf)
  return isLoop(args) ? Object.values(args).filter(isNode) : []
}

const isLoop = (args: unknown): args is Loop => typeof args === "object" && args !== null && "step" in args

const guard = (node: CheckedNode, meter: Meter): void => GUARDS[node.op]?.(node, meter)

const replace = (node: CheckedNode, wrap: (inner: Handle) => Handle): void => {
  const { handle } = node
  if (handle === undefined)
    throw new Error(`expected a handle of ${node.op}, found none: the library of CEL has changed`)
  node.handle = wrap(handle)
}

const before = (node: CheckedNode, charge: (left: unknown, right: unknown) => void): void =>
  replace(node, (inner) => (left, right, ast, ev) => {
    charge(left, right)
    return inner(left, right, ast, ev)
  })

const after = (node: CheckedNode, check: (result: unknown) => unknown): void =>
  replace(
    node,
    (inner) =>
      (...args) =>
        check(inner(...args)),
  )

/** Steps of an error: throwing takes a hundred times as long as returning. */
const ERROR_STEPS = 300

/** Charges for errors, which a parent may swallow. */
const chargeErrors = (node: CheckedNode, meter: Meter): void => {
  const evaluate = evaluationOf(node)
  node.evaluate = (ev, _, context) => {
    try {
      return evaluate(ev, context)
    } catch (cause) {
      meter.charge(ERROR_STEPS)
      throw cause
    }
  }
}

/** The node's own method replaces itself on its first call. */
const evaluationOf = (node: CheckedNode): ((ev: unknown, context: unknown) => unknown) => {
  const { alternate, macro, evaluate } = node.meta
  if (alternate !== undefined) return (ev, context) => alternate.evaluate(ev, alternate, context)
  if (macro !== undefined) return (ev, context) => macro.evaluate(ev, macro, context)
  if (evaluate === undefined)
    throw new Error("expected how a node is evaluated, found none: the library of CEL has changed")
  return (ev, context) => evaluate(ev, node, context)
}

/** Each round costs its body. Charges for a map's keys before it lists them. */
const guardLoop = (node: CheckedNode, meter: Meter): void => {
  const loop = node.args
  if (!isLoop(loop)) throw new Error("expected a loop with a step, found none: the library of CEL has changed")
  const weight = weightOf(loop.step)
  chargeErrors(loop.step, meter)
  const { condition } = loop
  loop.condition = (accumulated) => {
    meter.charge(weight)
    return condition === undefined || condition(accumulated)
  }
  replace(node, (inner) => (items, ...rest) => {
    if (!isMap(items)) return inner(items, ...rest)
    const keys = Object.keys(items)
    meter.charge(keys.length)
    return inner(keys, ...rest)
  })
}

const isMap = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && value.constructor === Object

/** The worst-case steps of comparing two values. */
const stepsOfEquality = (left: unknown, right: unknown): number => {
  if (typeof left === "string" && typeof right === "string") return left.length === right.length ? stepsOf(left) : 0
  if (typeof left !== "object" || typeof right !== "object") return 1
  const size = sizeWithin(left, MAX_COUNTED)
  return Math.min(size, sizeWithin(right, size))
}

/** The left operand of `||` and `&&` may throw where the right one decides. */
const guardLogic = ({ args }: CheckedNode, meter: Meter): void => {
  const [left] = nodesOf(args)
  if (left !== undefined && left.op !== "value") chargeErrors(left, meter)
}

const guardOrder = (node: CheckedNode, meter: Meter): void => {
  const holds = ORDERS[node.op]
  if (holds === undefined) return
  replace(node, (inner) => (left, right, ast, ev) => {
    if (typeof left !== "string" || typeof right !== "string") return inner(left, right, ast, ev)
    meter.charge(Math.min(left.length, right.length))
    return holds(CodePointOrder.compare(left, right))
  })
}

const ORDERS: { readonly [op: string]: (order: number) => boolean } = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
}

const int64 = (result: unknown): unknown => {
  if (typeof result === "bigint" && BigInt.asIntN(64, result) !== result) {
    throw new EvaluationError({ code: "numeric_overflow", message: `integer overflow: ${result}` })
  }
  return result
}

/** Guards of operations that take time or memory, or need a fix. */
const GUARDS: { readonly [op: string]: (node: CheckedNode, meter: Meter) => void } = {
  comprehension: guardLoop,
  "+": (node, meter) => before(node, (left, right) => meter.charge(stepsOf(left) + stepsOf(right))),
  "==": (node, meter) => before(node, (left, right) => meter.charge(stepsOfEquality(left, right))),
  "!=": (node, meter) => before(node, (left, right) => meter.charge(stepsOfEquality(left, right))),
  in: (node, meter) =>
    before(node, (left, right) => {
      if (Array.isArray(right)) meter.charge(right.length * stepsOfEquality(left, left))
    }),
  "<": guardOrder,
  "<=": guardOrder,
  ">": guardOrder,
  ">=": guardOrder,
  "||": guardLogic,
  "&&": guardLogic,
  "-_": (node) => after(node, int64),
  "/": (node) => after(node, int64),
  call: (node, meter) => GuardedCalls.guard(node, (wrap) => replace(node, wrap), meter),
  rcall: (node, meter) => GuardedCalls.guard(node, (wrap) => replace(node, wrap), meter),
}

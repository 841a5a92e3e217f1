/** Finds the paths that an expression reads, and those that were missing in an evaluation. */

import { type ASTNode, type Environment, EvaluationError, serialize } from "@marcbachmann/cel-js"
import { Either } from "effect"
import type { PathPattern, Read } from "../../projections/patch/PathPattern.ts"
import type { Program } from "./Expression.ts"
import * as Expression from "./Expression.ts"

export interface MissingReads {
  /** All paths in full: `state.a.b`, without `state.a`. Excludes arguments of `has()`. */
  readonly all: ReadonlyArray<Read>
  /**
   * The paths whose absence made an evaluation throw: in a conjunction, one for each part without an answer. Empty if
   * it threw for another reason, or within `has()`.
   */
  readonly of: (cause: unknown, context: object) => ReadonlyArray<Read>
}

/** Determines a program's paths from its syntax tree. */
export const analyse = ({ ast }: Program, environment: Environment): MissingReads => {
  const byNode = readsOf(ast)
  // Compile the parts on the first missing path: most programs never need them.
  let parts: ReadonlyArray<Part> | undefined
  return {
    all: [...new Set(byNode.values())],
    of: (cause, context) => {
      parts ??= conjuncts(ast).flatMap((part) => partOf(part, environment))
      return parts.length < 2 ? missingFrom(byNode, cause) : parts.flatMap((part) => missingIn(part, context))
    },
  }
}

type Reads = ReadonlyMap<unknown, Read>

const readsOf = (ast: ASTNode): Reads => {
  const found = new Map<unknown, Read>()
  collect(ast, new Map(), undefined, found)
  return found
}

const missingFrom = (reads: Reads, cause: unknown): ReadonlyArray<Read> => {
  const read = cause instanceof EvaluationError ? reads.get(cause.node) : undefined
  return read === undefined ? [] : [read]
}

/** A part of a conjunction that evaluates alone. */
interface Part {
  readonly program: Program
  readonly reads: Reads
}

const partOf = (ast: ASTNode, environment: Environment): ReadonlyArray<Part> => {
  const compiled = Expression.compileValue(serialize(ast), environment, (program) => program)
  if (Either.isLeft(compiled)) return []
  const program = compiled.right
  // The program is the same tree, serialized again: take the original's words.
  const original = [...readsOf(ast).values()]
  const reads = new Map([...readsOf(program.ast).keys()].flatMap((node, at) => entry(node, original[at])))
  return [{ program, reads }]
}

const entry = (node: unknown, read: Read | undefined): ReadonlyArray<readonly [unknown, Read]> =>
  read === undefined ? [] : [[node, read]]

const missingIn = ({ program, reads }: Part, context: object): ReadonlyArray<Read> => {
  try {
    program(context)
    return []
  } catch (cause) {
    return missingFrom(reads, cause)
  }
}

const conjuncts = (node: ASTNode): ReadonlyArray<ASTNode> => (node.op === "&&" ? node.args.flatMap(conjuncts) : [node])

type At = NonNullable<Read["at"]>

/** Variables of enclosing loops. Undefined stands for an element of a computed list. */
type Bound = ReadonlyMap<string, At | undefined>

const LOOPS: ReadonlySet<unknown> = new Set(["all", "exists", "exists_one", "filter", "map"])

/** Maps each access below a node to the longest path around it. */
const collect = (node: ASTNode, bound: Bound, within: Read | undefined, found: Map<unknown, Read>): void => {
  const { op, args } = node
  if (op === "." || op === "[]") {
    const read = within ?? readOf(node, bound)
    found.set(node, read)
    const [object, key] = args
    collect(object, bound, read, found)
    if (isNode(key)) collect(key, bound, undefined, found)
    return
  }
  if (!Array.isArray(args)) {
    if (isNode(args)) collect(args, bound, undefined, found)
    return
  }
  if (op === "call" && args[0] === "has") return
  if (op === "rcall" && LOOPS.has(args[0]) && isNode(args[1]) && Array.isArray(args[2])) {
    const [variable, ...bodies] = args[2].filter(isNode)
    collect(args[1], bound, undefined, found)
    const inLoop =
      typeof variable?.args === "string" ? new Map([...bound, [variable.args, itemOf(args[1], bound)] as const]) : bound
    for (const body of bodies) collect(body, inLoop, undefined, found)
    return
  }
  for (const child of nodesIn(args)) collect(child, bound, undefined, found)
}

const readOf = (node: ASTNode, bound: Bound): Read => {
  const text = node.input.slice(node.range.start, node.range.end)
  const at = pathOf(node, bound)
  return at === undefined ? { text } : { text, at }
}

/** The variable where a node starts, and the steps below; undefined for a computed value. */
const pathOf = ({ op, args }: ASTNode, bound: Bound): At | undefined => {
  if (op === "id" && typeof args === "string") return bound.has(args) ? bound.get(args) : { variable: args, steps: [] }
  // A filtered list has items of the list.
  if (op === "rcall" && args[0] === "filter" && isNode(args[1])) return pathOf(args[1], bound)
  if (op !== "." && op !== "[]") return undefined
  const parent = pathOf(args[0], bound)
  return parent && { ...parent, steps: [...parent.steps, stepOf(args[1])] }
}

/** A literal key, or any key if it is computed. */
const stepOf = (key: unknown): PathPattern[number] => {
  const literal = isNode(key) && key.op === "value" ? key.args : key
  return typeof literal === "string" || typeof literal === "bigint" ? String(literal) : { any: "key" }
}

const itemOf = (list: ASTNode, bound: Bound): At | undefined => {
  const at = pathOf(list, bound)
  return at && { ...at, steps: [...at.steps, { any: "item" }] }
}

const nodesIn = (args: ReadonlyArray<unknown>): ReadonlyArray<ASTNode> =>
  args.flatMap((arg) => (Array.isArray(arg) ? nodesIn(arg) : isNode(arg) ? [arg] : []))

const isNode = (value: unknown): value is ASTNode => typeof value === "object" && value !== null && "op" in value

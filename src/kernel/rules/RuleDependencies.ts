/** Static analysis of rules: variables, paths and event types that they depend on, and whether they may be slow. */

import type { ASTNode } from "@marcbachmann/cel-js"

/** The dependencies of a rule. In doubt, the analysis assumes one. */
export interface RuleDependencies {
  /** Its variables, and `counts` if it counts events. */
  readonly mentions: ReadonlySet<Variable | "counts">
  readonly mentionsEvent: boolean
  /** Where it can be true or throw; undefined for any type. */
  readonly types: ReadonlySet<string> | undefined
  /** The paths that it reads; undefined if unknown. */
  readonly readPaths: ReadonlyArray<ReadPath> | undefined
  /** Its time may grow faster than its data. */
  readonly slow: boolean
}

/** A path that a rule reads: a variable or keys in it, or the count of an event type. */
export type ReadPath = VariablePath | { readonly in: "counts"; readonly type: string }

/** A variable, or the keys of a path in it. */
export interface VariablePath {
  readonly in: Variable
  readonly path: ReadonlyArray<string>
}

const VARIABLES = ["event", "state", "task", "command", "commands", "elapsed"] as const

export type Variable = (typeof VARIABLES)[number]

export const of = (ast: ASTNode): RuleDependencies => {
  const readPaths = readPathsOf(ast)
  const mentions = new Set<Variable | "counts">(
    VARIABLES.filter((variable) => has(ast, ({ op, args }) => op === "id" && args === variable)),
  )
  if (has(ast, isCount)) mentions.add("counts")
  return {
    mentions,
    mentionsEvent: mentions.has("event") || mentions.has("command"),
    types: typesOf(ast),
    readPaths: readPaths.some((readPath) => readPath === undefined)
      ? undefined
      : readPaths.filter((readPath) => readPath !== undefined),
    slow: isSlow(ast),
  }
}

/** Regular expressions, nested loops, and loops whose body may read more than its element. */
const isSlow = (node: ASTNode): boolean =>
  has(node, ({ op, args }) => {
    if ((op !== "call" && op !== "rcall") || !Array.isArray(args)) return false
    const name: unknown = args[0]
    if (name === "matches" || name === "bind" || name === "text") return true
    if (typeof name !== "string" || !LOOPS.has(name)) return false
    const [variable, ...bodies] = op === "rcall" && Array.isArray(args[2]) ? args[2].filter(isNode) : []
    return variable?.op !== "id" || !bodies.every((body) => isLinear(body, variable.args))
  })

const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"])

/** Takes at most time proportional to the size of the loop's element. */
const isLinear = ({ op, args }: ASTNode, element: unknown): boolean => {
  const operands = childrenOf(args)
  switch (op) {
    case "id":
    case "value":
      return true
    case "==":
    case "!=":
      return (
        operands.some((operand) => isWithinElement(operand, element)) &&
        operands.every((each) => isLinear(each, element))
      )
    case "in": {
      const [value, list] = operands
      return (
        value !== undefined &&
        isLinear(value, element) &&
        list?.op === "list" &&
        stringSet(childrenOf(list.args)) !== undefined
      )
    }
    default:
      return LINEAR.has(op) && operands.every((operand) => isLinear(operand, element))
  }
}

/** A scalar, the element, or a path in it. */
const isWithinElement = ({ op, args }: ASTNode, element: unknown): boolean => {
  if (op === "value") return true
  if (op === "id") return args === element
  const [of] = childrenOf(args)
  return (op === "." || op === "[]") && of !== undefined && isWithinElement(of, element)
}

const LINEAR: ReadonlySet<string> = new Set([".", "[]", "<", "<=", ">", ">=", "&&", "||", "!_", "-_", "?:"])

/**
 * Outside of these types the expression is false. In CEL one false part makes a conjunction false, even if the other
 * throws; a disjunction needs two.
 */
export const typesOf = ({ op, args }: ASTNode): ReadonlySet<string> | undefined => {
  if (!Array.isArray(args)) return undefined
  const [left, right] = args
  if (!isNode(left) || !isNode(right)) return undefined
  switch (op) {
    case "&&": {
      const [a, b] = [typesOf(left), typesOf(right)]
      return a === undefined || b === undefined ? (a ?? b) : new Set([...a].filter((type) => b.has(type)))
    }
    case "||": {
      const [a, b] = [typesOf(left), typesOf(right)]
      return a === undefined || b === undefined ? undefined : new Set([...a, ...b])
    }
    case "==":
      return isType(left) ? stringSet([right]) : isType(right) ? stringSet([left]) : undefined
    case "in":
      return isType(left) && right.op === "list" && Array.isArray(right.args) ? stringSet(right.args) : undefined
    default:
      return undefined
  }
}

/** `event.type` */
const isType = (node: ASTNode): boolean => {
  const readPath = variablePathOf(node)
  return readPath?.in === "event" && readPath.path.length === 1 && readPath.path[0] === "type"
}

const stringSet = (nodes: ReadonlyArray<unknown>): ReadonlySet<string> | undefined => {
  const found = nodes.map((node) => (isNode(node) && node.op === "value" ? node.args : undefined))
  return found.every((text) => typeof text === "string") ? new Set(found) : undefined
}

const readPathsOf = (node: ASTNode): ReadonlyArray<ReadPath | undefined> => {
  const readPath = variablePathOf(node)
  // Each command changes the list of commands, and no path leads into it.
  if (readPath !== undefined) return [readPath.in === "commands" ? undefined : readPath]
  if (isCount(node)) {
    const types = Array.isArray(node.args) && Array.isArray(node.args[1]) ? stringSet(node.args[1]) : undefined
    return types === undefined ? [undefined] : [...types].map((type) => ({ in: "counts" as const, type }))
  }
  return childrenOf(node.args).flatMap(readPathsOf)
}

/** A call of `count`. */
export const isCount = ({ op, args }: ASTNode): boolean => op === "call" && Array.isArray(args) && args[0] === "count"

/** A variable, or a key of a path, as in `state.readings["room/lamp"]`. */
export const variablePathOf = ({ op, args }: ASTNode): VariablePath | undefined => {
  if (op === "id") {
    const variable = VARIABLES.find((name) => name === args)
    return variable && { in: variable, path: [] }
  }
  if ((op !== "." && op !== "[]") || !Array.isArray(args)) return undefined
  const [of, key] = args
  const readPath = isNode(of) ? variablePathOf(of) : undefined
  const name = isNode(key) && key.op === "value" ? key.args : key
  return readPath === undefined || typeof name !== "string"
    ? undefined
    : { ...readPath, path: [...readPath.path, name] }
}

export const has = (node: ASTNode, fits: (node: ASTNode) => boolean): boolean =>
  fits(node) || childrenOf(node.args).some((child) => has(child, fits))

/** The nodes among a node's arguments. */
export const childrenOf = (args: unknown): ReadonlyArray<ASTNode> => {
  if (Array.isArray(args)) return args.flatMap(childrenOf)
  return isNode(args) ? [args] : []
}

const isNode = (value: unknown): value is ASTNode => typeof value === "object" && value !== null && "op" in value

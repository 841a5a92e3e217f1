import type { ASTNode } from "@marcbachmann/cel-js"

/** What a rule looks at, read off its syntax. Whatever is not sure is taken to be looked at. */
export interface RuleDependencies {
  /** The variables that it names, and `counts` where it counts events. */
  readonly mentions: ReadonlySet<Variable | "counts">
  /** Whether it looks at the event or its command, and not at state alone: this decides what an occurrence is. */
  readonly mentionsEvent: boolean
  /** The only types of events at which it can be anything but false; undefined where it may be at any. */
  readonly types: ReadonlySet<string> | undefined
  /** All that its value depends on; undefined where that cannot be told. */
  readonly places: ReadonlyArray<ReadPath> | undefined
  /** Whether its time can grow faster than what it looks at. */
  readonly slow: boolean
}

/** Somewhere that a rule looks: at a variable or in it, or at how often a type was counted. */
export type ReadPath = PathPlace | { readonly in: "counts"; readonly type: string }

/** A variable, or what stands at keys in it. */
export interface PathPlace {
  readonly in: Variable
  readonly path: ReadonlyArray<string>
}

/** The variables of a rule. */
const VARIABLES = ["event", "state", "task", "command", "elapsed"] as const

export type Variable = (typeof VARIABLES)[number]

/** What a rule looks at, by its syntax tree. */
export const of = (ast: ASTNode): RuleDependencies => {
  const places = placesOf(ast)
  const mentions = new Set<Variable | "counts">(
    VARIABLES.filter((variable) => has(ast, ({ op, args }) => op === "id" && args === variable)),
  )
  if (has(ast, isCount)) mentions.add("counts")
  return {
    mentions,
    mentionsEvent: mentions.has("event") || mentions.has("command"),
    types: typesOf(ast),
    places: places.some((place) => place === undefined) ? undefined : places.filter((place) => place !== undefined),
    slow: isSlow(ast),
  }
}

/**
 * Whether time can grow faster than what is looked at: regular expressions, loops in loops, and loops whose every turn may
 * look at more than the element that it is about.
 */
const isSlow = (node: ASTNode): boolean =>
  has(node, ({ op, args }) => {
    if ((op !== "call" && op !== "rcall") || !Array.isArray(args)) return false
    const name: unknown = args[0]
    if (name === "matches" || name === "bind") return true
    if (typeof name !== "string" || !LOOPS.has(name)) return false
    const [variable, ...bodies] = op === "rcall" && Array.isArray(args[2]) ? args[2].filter(isNode) : []
    return variable?.op !== "id" || !bodies.every((body) => isBrief(body, variable.args))
  })

const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"])

/** Whether an expression takes no longer than the element that a loop is about has parts. */
const isBrief = ({ op, args }: ASTNode, element: unknown): boolean => {
  const operands = childrenOf(args)
  switch (op) {
    case "id":
    case "value":
      return true
    case "==":
    case "!=":
      return operands.some((operand) => isOf(operand, element)) && operands.every((each) => isBrief(each, element))
    case "in": {
      const [value, list] = operands
      return (
        value !== undefined &&
        isBrief(value, element) &&
        list?.op === "list" &&
        texts(childrenOf(list.args)) !== undefined
      )
    }
    default:
      return BRIEF.has(op) && operands.every((operand) => isBrief(operand, element))
  }
}

/** A scalar, or the element, or something in it. */
const isOf = ({ op, args }: ASTNode, element: unknown): boolean => {
  if (op === "value") return true
  if (op === "id") return args === element
  const [of] = childrenOf(args)
  return (op === "." || op === "[]") && of !== undefined && isOf(of, element)
}

const BRIEF: ReadonlySet<string> = new Set([".", "[]", "<", "<=", ">", ">=", "&&", "||", "!_", "-_", "?:"])

/**
 * The types of events outside of which an expression is false. In CEL a conjunction is false where any part of it is,
 * whatever errors the others come to, and a disjunction where all parts are.
 */
const typesOf = ({ op, args }: ASTNode): ReadonlySet<string> | undefined => {
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
      return isType(left) ? texts([right]) : isType(right) ? texts([left]) : undefined
    case "in":
      return isType(left) && right.op === "list" && Array.isArray(right.args) ? texts(right.args) : undefined
    default:
      return undefined
  }
}

/** `event.type` */
const isType = (node: ASTNode): boolean => {
  const place = placeOf(node)
  return place?.in === "event" && place.path.length === 1 && place.path[0] === "type"
}

const texts = (nodes: ReadonlyArray<unknown>): ReadonlySet<string> | undefined => {
  const found = nodes.map((node) => (isNode(node) && node.op === "value" ? node.args : undefined))
  return found.every((text) => typeof text === "string") ? new Set(found) : undefined
}

/** Every place that an expression looks at; undefined for one that cannot be told. */
const placesOf = (node: ASTNode): ReadonlyArray<ReadPath | undefined> => {
  const place = placeOf(node)
  if (place !== undefined) return [place]
  if (isCount(node)) {
    const types = Array.isArray(node.args) && Array.isArray(node.args[1]) ? texts(node.args[1]) : undefined
    return types === undefined ? [undefined] : [...types].map((type) => ({ in: "counts" as const, type }))
  }
  return childrenOf(node.args).flatMap(placesOf)
}

const isCount = ({ op, args }: ASTNode): boolean => op === "call" && Array.isArray(args) && args[0] === "count"

/** `state.readings["room/lamp"]`: a variable, or a key of such a place. */
const placeOf = ({ op, args }: ASTNode): PathPlace | undefined => {
  if (op === "id") {
    const variable = VARIABLES.find((name) => name === args)
    return variable && { in: variable, path: [] }
  }
  if ((op !== "." && op !== "[]") || !Array.isArray(args)) return undefined
  const [of, key] = args
  const place = isNode(of) ? placeOf(of) : undefined
  const name = isNode(key) && key.op === "value" ? key.args : key
  return place === undefined || typeof name !== "string" ? undefined : { ...place, path: [...place.path, name] }
}

export const has = (node: ASTNode, fits: (node: ASTNode) => boolean): boolean =>
  fits(node) || childrenOf(node.args).some((child) => has(child, fits))

const childrenOf = (args: unknown): ReadonlyArray<ASTNode> => {
  if (Array.isArray(args)) return args.flatMap(childrenOf)
  return isNode(args) ? [args] : []
}

const isNode = (value: unknown): value is ASTNode => typeof value === "object" && value !== null && "op" in value

/** Checks rules against the vocabulary: they may ask for no type, field or value that no event can have. Pure. */

import type { ASTNode } from "@marcbachmann/cel-js"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import * as Structure from "../../values/schema/Structure.ts"
import * as RuleDependencies from "./RuleDependencies.ts"

const LOOPS: ReadonlySet<unknown> = new Set(["all", "exists", "exists_one", "filter", "map"])

const MAX_LISTED = 12

/** Types of embedding programs carry a prefix; a check knows nothing about them. */
const isCore = (type: string): boolean => !type.includes("/")

/**
 * Why parts of a rule can never hold: an event type that does not exist, or a field or value that no event of the compared
 * types has. A field that the rule only asks the existence of is no mistake, nor is one of a type with a prefix.
 */
export const mistakes = (ast: ASTNode): ReadonlyArray<string> => {
  const found = new Set<string>()
  visit(ast, { types: undefined, bound: new Set(), found })
  return [...found]
}

interface Place {
  /** The types of events at which the place matters; undefined for any. */
  readonly types: ReadonlySet<string> | undefined
  /** Variables of loops. */
  readonly bound: ReadonlySet<string>
  readonly found: Set<string>
}

const visit = (node: ASTNode, place: Place): void => {
  const { op, args } = node
  if (op === "call" && Array.isArray(args) && args[0] === "has") return
  const path = pathOf(node, place)
  if (path !== undefined) {
    checkField(path, place)
    return
  }
  if (op === "&&") {
    const types = meet(place.types, RuleDependencies.typesOf(node))
    for (const child of RuleDependencies.childrenOf(args)) visit(child, { ...place, types })
    return
  }
  if (op === "?:" && Array.isArray(args)) {
    const [asked, ...answers] = RuleDependencies.childrenOf(args)
    if (asked !== undefined) visit(asked, place)
    const types = asked === undefined ? undefined : RuleDependencies.typesOf(asked)
    for (const [index, answer] of answers.entries()) {
      visit(answer, index === 0 ? { ...place, types: meet(place.types, types) } : place)
    }
    return
  }
  if (op === "rcall" && Array.isArray(args) && LOOPS.has(args[0])) {
    const [object, ...[variable, ...bodies]] = RuleDependencies.childrenOf(args.slice(1))
    if (object !== undefined) visit(object, place)
    const bound = typeof variable?.args === "string" ? new Set([...place.bound, variable.args]) : place.bound
    for (const body of bodies) visit(body, { ...place, bound })
    return
  }
  checkComparison(node, place)
  if (RuleDependencies.isCount(node) && Array.isArray(args)) {
    for (const type of literalsIn(RuleDependencies.childrenOf(args))) checkType(`count("${type}")`, type, place)
  }
  for (const child of RuleDependencies.childrenOf(args)) visit(child, place)
}

const meet = (a: Place["types"], b: Place["types"]): Place["types"] =>
  a === undefined || b === undefined ? (a ?? b) : new Set([...a].filter((type) => b.has(type)))

/** The keys of a path in the event; undefined for anything else. */
const pathOf = (node: ASTNode, { bound }: Pick<Place, "bound">): ReadonlyArray<string> | undefined => {
  const path = RuleDependencies.variablePathOf(node)
  return path?.in === "event" && !bound.has("event") ? path.path : undefined
}

const literalsIn = (nodes: ReadonlyArray<ASTNode>): ReadonlyArray<string> =>
  nodes.flatMap(({ op, args }) => (op === "value" && typeof args === "string" ? [args] : []))

const checkComparison = (node: ASTNode, place: Place): void => {
  const { op, args } = node
  if (op !== "==" && op !== "!=" && op !== "in") return
  const [left, right] = RuleDependencies.childrenOf(args)
  if (left === undefined || right === undefined) return
  const [asked, others] =
    op === "in"
      ? [left, RuleDependencies.childrenOf(right.args)]
      : left.op === "value"
        ? [right, [left]]
        : [left, [right]]
  const path = pathOf(asked, place)
  const [first, field, ...deeper] = path ?? []
  if (first === "type" && field === undefined) {
    for (const type of literalsIn(others)) checkType("event.type", type, place)
  }
  if (first === "payload" && field !== undefined && deeper.length === 0) {
    for (const value of literalsIn(others)) checkValue(field, value, place)
  }
}

const checkType = (read: string, type: string, { found }: Place): void => {
  if (!isCore(type) || Vocabulary.core.types.has(type)) return
  const names = [...Vocabulary.core.types.keys()]
  found.add(`${read} names no type of event: "${type}".${DidYouMean.question(type, names)}`)
}

const checkField = ([first, field, ...deeper]: ReadonlyArray<string>, { types, found }: Place): void => {
  if (first !== "payload" || field === undefined) return
  const declaring = declaringIn(types)
  if (declaring === undefined || declaring.length === 0) return
  const fields = [...new Set(declaring.flatMap(({ fields }) => [...fields.keys()]))]
  if (!fields.includes(field)) {
    const command =
      OF_COMMANDS.has(field) && fields.includes("commandId")
        ? ` \`command.${field}\` is that of the event's command.`
        : ""
    const names = declaring.map(({ name }) => name).join(" or ")
    found.add(
      `event.payload.${field} is no field of ${names}, ${listed(fields, command || DidYouMean.question(field, fields))}`,
    )
    return
  }
  checkBelow(
    `event.payload.${field}`,
    declaring.flatMap(({ fields }) => fields.get(field) ?? []),
    deeper,
    found,
  )
}

/** Reports a field that no value of these schemas has, as far as they say which fields there are. */
const checkBelow = (
  place: string,
  schemas: ReadonlyArray<Structure.AnySchema>,
  [field, ...deeper]: ReadonlyArray<string>,
  found: Set<string>,
): void => {
  if (field === undefined) return
  const known = schemas.flatMap((schema) => Structure.closedFieldsOf(schema) ?? [])
  if (known.length < schemas.length) return
  const fields = [...new Set(known.flatMap((own) => [...own.keys()]))]
  if (fields.includes(field)) {
    const below = known.flatMap((own) => own.get(field) ?? [])
    checkBelow(`${place}.${field}`, below, deeper, found)
  } else found.add(`${place}.${field} is no field of ${place}, ${listed(fields, DidYouMean.question(field, fields))}`)
}

const listed = (fields: ReadonlyArray<string>, question: string): string => {
  const more = fields.length > MAX_LISTED ? ` and ${fields.length - MAX_LISTED} more` : ""
  return `which has ${fields.slice(0, MAX_LISTED).join(", ")}${more}.${question}`
}

const OF_COMMANDS: ReadonlySet<string> = new Set(["actuator", "args"])

/** Reports a value that a field with a list of values does not have. */
const checkValue = (field: string, value: string, { types, found }: Place): void => {
  const declaring = declaringIn(types)?.filter(({ fields }) => fields.has(field)) ?? []
  const lists = declaring.map(({ fields }) => textsOf(fields.get(field)))
  if (lists.length === 0 || lists.some((list) => list === undefined || list.includes(value))) return
  const names = declaring.map(({ name }) => name).join(" or ")
  const values = [...new Set(lists.flatMap((list) => list ?? []))]
  found.add(`event.payload.${field} of ${names} is never "${value}", but one of ${values.join(", ")}.`)
}

interface Declared {
  readonly name: string
  readonly fields: ReadonlyMap<string, Structure.AnySchema>
}

/** The compared types with their fields; undefined if one of them is unknown, or if any type may be meant. */
const declaringIn = (types: Place["types"]): ReadonlyArray<Declared> | undefined => {
  if (types === undefined) return undefined
  const known = [...types].map((type) => Vocabulary.core.types.get(type))
  return known.some((type) => type === undefined)
    ? undefined
    : known.flatMap((type) =>
        type === undefined ? [] : [{ name: type.name, fields: Structure.fieldsOf(type.payload) }],
      )
}

/** The texts that a field may have; undefined if it may have others. */
const textsOf = (field: Structure.AnySchema | undefined): ReadonlyArray<string> | undefined =>
  field === undefined ? undefined : Structure.textsOf(field)

/** A part of a conjunction: a text that the rule compares with a path in the event, or with the command's actuator. */
export interface Comparison {
  readonly read: string
  readonly in: "event" | "command"
  readonly path: ReadonlyArray<string>
  readonly value: string
}

/** The comparisons without which a rule never holds, except those with a value from the list that a field's type has. */
export const comparisons = (ast: ASTNode): ReadonlyArray<Comparison> => {
  const declaring = declaringIn(RuleDependencies.typesOf(ast)) ?? []
  const isListed = ({ path: [first, field = ""], value }: Comparison) =>
    first === "payload" && declaring.some(({ fields }) => textsOf(fields.get(field))?.includes(value) === true)
  return comparisonsIn(ast).filter((one) => !isListed(one))
}

const comparisonsIn = (node: ASTNode): ReadonlyArray<Comparison> => {
  if (node.op === "&&") return RuleDependencies.childrenOf(node.args).flatMap(comparisonsIn)
  if (node.op !== "==") return []
  const [left, right] = RuleDependencies.childrenOf(node.args)
  if (left === undefined || right === undefined) return []
  const [asked, other] = left.op === "value" ? [right, left] : [left, right]
  const found = RuleDependencies.variablePathOf(asked)
  const [value] = literalsIn([other])
  if (value === undefined || found === undefined || (found.in !== "event" && found.in !== "command")) return []
  const { path } = found
  return path.length === 0 ? [] : [{ read: [found.in, ...path].join("."), in: found.in, path, value }]
}

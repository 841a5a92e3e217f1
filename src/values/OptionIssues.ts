/** Turns the issues of Effect's `Schema` into one plain line per path: expected, found, and a suggestion. */

import { SchemaAST as AST, Option, ParseResult } from "effect"
import * as DidYouMean from "./DidYouMean.ts"
import { defined } from "./defined.ts"

export interface SchemaIssue {
  /** From the outside in; empty for the value itself. */
  readonly keys: ReadonlyArray<PropertyKey>
  readonly expected: string
  readonly found: string
  /** The known word or key that the caller probably meant. */
  readonly nearest?: string
  /** True only for an unknown field. */
  readonly tolerable: boolean
}

/**
 * Flattens issues that `Schema` reports with `errors: "all"`. A field's `description` annotation becomes `expected`.
 */
export const issuesOf = (
  issue: ParseResult.ParseIssue,
  keys: ReadonlyArray<PropertyKey> = [],
): ReadonlyArray<SchemaIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return issuesOf(issue.issue, [...keys, ...[issue.path].flat()])
    case "Composite":
      return issue.ast._tag === "Union" ? alternatives(issue, keys) : partsOf(issue, keys)
    case "Refinement":
      return issue.issue._tag === "Composite" ? issuesOf(issue.issue, keys) : refused(issue, keys)
    case "Transformation":
      return issuesOf(issue.issue, keys)
    case "Missing":
      return [{ keys, expected: expectation(issue.ast.type), found: "nothing", tolerable: false }]
    case "Unexpected":
      return [{ keys, expected: "no such field", found: describeValue(issue.actual), tolerable: true }]
    case "Type":
    case "Forbidden":
      return [mismatch(issue, keys)]
  }
}

const Nearest = Symbol.for("hindcast/Nearest")

/** Wraps an issue that Hindcast's own check found as an issue of `Schema`. */
export const issueOfCheck = ({
  keys: [first, ...others],
  expected,
  found,
  nearest,
}: Omit<SchemaIssue, "tolerable">): ParseResult.ParseIssue => {
  const ast = AST.annotations(AST.unknownKeyword, { [AST.DescriptionAnnotationId]: expected, [Nearest]: nearest })
  const issue = new ParseResult.Type(ast, undefined, found)
  return first === undefined ? issue : new ParseResult.Pointer([first, ...others], undefined, issue)
}

/** Describes a value briefly for a message, without the content of objects. */
export const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  if (value instanceof RegExp) return `the regular expression ${value}`
  if (typeof value === "object" && value !== null) return isPlain(value) ? "an object" : anInstance(value)
  if (typeof value === "function") return "a function"
  if (typeof value === "string")
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value)
  return String(value)
}

/** True for a record that is no class instance, from any JavaScript realm. */
export const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty"))
}

const anInstance = (value: object): string => {
  const name: unknown = value.constructor?.name
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `an instance of ${name}`
    : "an object of a class"
}

/**
 * If exactly one alternative of a union is of the value's kind, or only one of them has all of its required fields,
 * reports the issues inside it; otherwise one mismatch.
 */
const alternatives = (issue: ParseResult.Composite, keys: ReadonlyArray<PropertyKey>): ReadonlyArray<SchemaIssue> => {
  const ofKind = [issue.issues].flat().filter(isOfKind)
  const [inside, ...others] = ofKind.length > 1 ? ofKind.filter((part) => !lacksField(part)) : ofKind
  return inside !== undefined && others.length === 0 ? issuesOf(inside, keys) : [mismatch(issue, keys)]
}

/** True if the value has no field of this name that the alternative requires. */
const lacksField = (part: ParseResult.ParseIssue): boolean =>
  part._tag === "Refinement"
    ? lacksField(part.issue)
    : part._tag === "Composite" &&
      [part.issues]
        .flat()
        .some((inner: ParseResult.ParseIssue) => inner._tag === "Pointer" && inner.issue._tag === "Missing")

/** True if the alternative is an object or a list as the value is, so that its issues lie inside the value. */
const isOfKind = (part: ParseResult.ParseIssue): boolean =>
  part._tag === "Refinement"
    ? part.issue._tag === "Pointer" || isOfKind(part.issue)
    : part._tag === "Composite" && part.ast._tag !== "Union"

/** An issue about an unknown field lists the known fields. */
const partsOf = (composite: ParseResult.Composite, keys: ReadonlyArray<PropertyKey>): ReadonlyArray<SchemaIssue> => {
  const { ast } = composite
  const fields = ast._tag === "TypeLiteral" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const expected = fields.length === 0 ? "no fields" : `one of the fields ${fields.join(", ")}`
  return [composite.issues].flat().flatMap((issue: ParseResult.ParseIssue): ReadonlyArray<SchemaIssue> => {
    if (issue._tag !== "Pointer" || issue.issue._tag !== "Unexpected") return issuesOf(issue, keys)
    const path = [issue.path].flat()
    const [nearest] = DidYouMean.similarNames(String(path.at(-1)), fields)
    const found = { keys: [...keys, ...path], expected, found: "an unknown field", tolerable: true }
    return [nearest === undefined ? found : { ...found, nearest }]
  })
}

/** Prefers issues that the filter reported itself, with paths, over the filter's description. */
const refused = (issue: ParseResult.Refinement, keys: ReadonlyArray<PropertyKey>): ReadonlyArray<SchemaIssue> => {
  const { issue: inner } = issue
  const isOfCheck = inner._tag === "Type" && Nearest in inner.ast.annotations
  return inner._tag === "Pointer" || isOfCheck ? issuesOf(inner, keys) : [mismatch(issue, keys)]
}

/** A filter's `message` replaces the value in `found` if the value alone does not show the mistake. */
const mismatch = (
  issue: { readonly ast: AST.AST; readonly actual: unknown; readonly message?: string | undefined },
  keys: ReadonlyArray<PropertyKey>,
): SchemaIssue => {
  const nearest = nearestOf(issue)
  return {
    keys,
    expected: expectation(issue.ast),
    found: issue.message ?? describeValue(issue.actual),
    ...defined({ nearest }),
    tolerable: false,
  }
}

const nearestOf = ({ ast, actual }: { readonly ast: AST.AST; readonly actual: unknown }): string | undefined => {
  const suggested = ast.annotations[Nearest]
  if (typeof suggested === "string") return suggested
  const [word] = typeof actual === "string" ? DidYouMean.similarNames(actual.trim(), wordsOf(ast)) : []
  return word === undefined ? undefined : JSON.stringify(word)
}

const wordsOf = (ast: AST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return typeof ast.literal === "string" ? [ast.literal] : []
  return ast._tag === "Union" ? ast.types.flatMap(wordsOf) : []
}

const expectation = (ast: AST.AST): string => {
  switch (ast._tag) {
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    default:
      return Option.getOrElse(AST.getDescriptionAnnotation(ast), () => structure(ast))
  }
}

const structure = (ast: AST.AST): string => {
  if (ast._tag === "TupleType") return "a list"
  if (ast._tag === "Union") return oneOf([...new Set(ast.types.map(expectation))])
  return ast._tag === "TypeLiteral" ? "an object" : String(ast)
}

const oneOf = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

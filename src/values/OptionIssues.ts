import { SchemaAST as AST, Option, ParseResult } from "effect"
import * as DidYouMean from "./DidYouMean.ts"

/** What a schema found wrong at one place of a value. */
export interface SchemaIssue {
  /** The keys that lead there, from the outside in; none is the value itself. */
  readonly keys: ReadonlyArray<PropertyKey>
  readonly expected: string
  readonly found: string
  /** The word or key that was probably meant, where one is near. */
  readonly nearest?: string
  /** True for an unknown field, false for everything else. */
  readonly tolerable: boolean
}

/**
 * Flattens what `Schema` reports, with `errors: "all"`, into one line of plain words for each place. A field's
 * `description` annotation is what was expected of it.
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

/** An issue that a check of ours found, as `Schema` reports issues. */
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

/** A value as a message shows it: briefly, and never what an object holds. */
export const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  if (value instanceof RegExp) return `the regular expression ${value}`
  if (typeof value === "object" && value !== null) return isPlain(value) ? "an object" : anInstance(value)
  if (typeof value === "function") return "a function"
  if (typeof value === "string")
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value)
  return String(value)
}

/** Whether an object is one of keys and values and nothing else, from whatever realm of JavaScript it came. */
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

/** Where one alternative alone is of the value's kind, what is wrong inside it; else that none fits. */
const alternatives = (issue: ParseResult.Composite, keys: ReadonlyArray<PropertyKey>): ReadonlyArray<SchemaIssue> => {
  const isOfKind = (part: ParseResult.ParseIssue) => part._tag === "Composite" && part.ast._tag !== "Union"
  const [inside, ...others] = [issue.issues].flat().filter(isOfKind)
  return inside !== undefined && others.length === 0 ? issuesOf(inside, keys) : [mismatch(issue, keys)]
}

/** The parts of an object or a list; an unknown field is told which fields there are. */
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

/** What a filter says of a place inside, or of the whole; else what its description says was expected. */
const refused = (issue: ParseResult.Refinement, keys: ReadonlyArray<PropertyKey>): ReadonlyArray<SchemaIssue> => {
  const { issue: inner } = issue
  const isOfCheck = inner._tag === "Type" && Nearest in inner.ast.annotations
  return inner._tag === "Pointer" || isOfCheck ? issuesOf(inner, keys) : [mismatch(issue, keys)]
}

/** A `message` is what a filter found, where the value alone does not show it. */
const mismatch = (
  issue: { readonly ast: AST.AST; readonly actual: unknown; readonly message?: string | undefined },
  keys: ReadonlyArray<PropertyKey>,
): SchemaIssue => {
  const nearest = nearestOf(issue)
  return {
    keys,
    expected: expectation(issue.ast),
    found: issue.message ?? describeValue(issue.actual),
    ...(nearest === undefined ? {} : { nearest }),
    tolerable: false,
  }
}

const nearestOf = ({ ast, actual }: { readonly ast: AST.AST; readonly actual: unknown }): string | undefined => {
  const suggested = ast.annotations[Nearest]
  if (typeof suggested === "string") return suggested
  const [word] = typeof actual === "string" ? DidYouMean.similarNames(actual.trim(), wordsOf(ast)) : []
  return word === undefined ? undefined : JSON.stringify(word)
}

/** The words of which a text has to be one. */
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

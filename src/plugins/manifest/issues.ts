import { SchemaAST as AST, Option, type ParseResult } from "effect"
import { pointerToken } from "../../events/Json.ts"

/** What a schema found wrong at one place of a document. */
export interface SchemaIssue {
  /** A JSON Pointer (RFC 6901). */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** True for an unknown field, false for everything else. */
  readonly tolerable: boolean
}

/**
 * Flattens what `Schema` reports, with `errors: "all"`, into one line of plain words for each place. A field's
 * `description` annotation is what was expected of it.
 */
export const issuesOf = (issue: ParseResult.ParseIssue, path = ""): ReadonlyArray<SchemaIssue> => {
  switch (issue._tag) {
    case "Pointer": {
      const keys = Array.isArray(issue.path) ? issue.path : [issue.path]
      return issuesOf(issue.issue, path + keys.map((key) => `/${pointerToken(String(key))}`).join(""))
    }
    case "Composite":
      return issue.ast._tag === "Union" ? [mismatch(issue, path)] : partsOf(issue, path)
    case "Refinement":
      return issue.issue._tag === "Composite" ? issuesOf(issue.issue, path) : [mismatch(issue, path)]
    case "Transformation":
      return issuesOf(issue.issue, path)
    case "Missing":
      return [{ path, expected: expectation(issue.ast.type), found: "nothing", tolerable: false }]
    case "Unexpected":
      return [{ path, expected: "no such field", found: describeValue(issue.actual), tolerable: true }]
    case "Type":
    case "Forbidden":
      return [mismatch(issue, path)]
  }
}

/** The parts of an object or a list; an unknown field is told which fields there are. */
const partsOf = (composite: ParseResult.Composite, path: string): ReadonlyArray<SchemaIssue> => {
  const fields =
    composite.ast._tag === "TypeLiteral" ? composite.ast.propertySignatures.map(({ name }) => String(name)) : []
  const known = `one of the fields ${fields.join(", ")}`
  const issues: ReadonlyArray<ParseResult.ParseIssue> = [composite.issues].flat()
  return issues.flatMap((issue) => {
    const isUnknown = issue._tag === "Pointer" && issue.issue._tag === "Unexpected"
    return issuesOf(issue, path).map((found) =>
      isUnknown ? { ...found, expected: known, found: "an unknown field" } : found,
    )
  })
}

const mismatch = (issue: { readonly ast: AST.AST; readonly actual: unknown }, path: string): SchemaIssue => ({
  path,
  expected: expectation(issue.ast),
  found: describeValue(issue.actual),
  tolerable: false,
})

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
  return ast._tag === "TypeLiteral" ? "an object" : String(ast)
}

const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  if (typeof value === "object" && value !== null) return "an object"
  if (typeof value === "string")
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value)
  return String(value)
}

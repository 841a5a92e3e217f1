/** What is wrong with a value, as `Schema` says it. All modules outside `values/` ask here, and none reads the texts. */

import { ParseResult } from "effect"

export type ParseError = ParseResult.ParseError

/** A mistake: where it is, from the outside in, and what it is, for people. */
export interface Mistake {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The mistakes that a decoder found, a line each. */
export const mistakesOf = ({ issue }: ParseError): ReadonlyArray<Mistake> =>
  ParseResult.ArrayFormatter.formatIssueSync(issue)

/** The same for a value whose fields may be left out: not that a field that is there was not left out. */
export const mistakesOfGiven = ({ issue }: ParseError): ReadonlyArray<Mistake> =>
  ParseResult.ArrayFormatter.formatIssueSync(withoutUndefined(issue))

/** All of them as one text. */
export const describe = ({ issue }: ParseError): string => ParseResult.TreeFormatter.formatIssueSync(issue)

const withoutUndefined = (issue: ParseResult.ParseIssue): ParseResult.ParseIssue => {
  if (issue._tag === "Pointer") return new ParseResult.Pointer(issue.path, issue.actual, withoutUndefined(issue.issue))
  if (issue._tag !== "Composite") return issue
  const [first, ...others] = [issue.issues]
    .flat()
    .filter((inner) => !isUndefined(inner))
    .map(withoutUndefined)
  return first === undefined ? issue : new ParseResult.Composite(issue.ast, issue.actual, [first, ...others])
}

const isUndefined = (issue: ParseResult.ParseIssue): boolean =>
  issue._tag === "Type" && issue.ast._tag === "UndefinedKeyword"

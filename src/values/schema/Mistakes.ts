/** Lists what `Schema` says is wrong with a value. Modules outside `values/` never read `Schema`'s own texts. */

import { ParseResult } from "effect"

export type ParseError = ParseResult.ParseError

/** A mistake for people, with the keys from the outside in. */
export interface Mistake {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The mistakes of a decoder, one per line. */
export const mistakesOf = ({ issue }: ParseError): ReadonlyArray<Mistake> =>
  ParseResult.ArrayFormatter.formatIssueSync(issue)

/** Like `mistakesOf`, for optional fields: drops the remark that a present field could have been `undefined`. */
export const mistakesOfGiven = ({ issue }: ParseError): ReadonlyArray<Mistake> =>
  ParseResult.ArrayFormatter.formatIssueSync(withoutUndefined(issue))

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

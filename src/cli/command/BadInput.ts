/** Errors of all commands for input that the user can correct. */
import { Data } from "effect"
import * as DidYouMean from "../../values/DidYouMean.ts"

export class BadInput extends Data.TaggedError("BadInput")<{
  readonly input: string
  readonly expected: string
  readonly found: string
  readonly advice?: string
  /** Whether the value names something that does not exist. The exit code is then 3. */
  readonly missing?: boolean
}> {
  override get message() {
    const { input, expected, found, advice } = this
    return `${input}: expected ${expected}, found ${found}.${advice === undefined ? "" : ` ${advice}`}`
  }
}

/** A filter left nothing to list. */
export class NothingListed extends Data.TaggedError("NothingListed")<{
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Expected ${this.expected}, found ${this.found}.`
  }
}

/** A hint at the known names that resemble the typed one, if there are any. */
export const adviceOf = (typed: string, known: ReadonlyArray<string>): { readonly advice?: string } => {
  const similar = DidYouMean.similarNames(typed, known)
  return similar.length === 0 ? {} : { advice: `Did you mean ${similar.join(" or ")}?` }
}

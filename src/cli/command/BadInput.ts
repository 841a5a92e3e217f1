/** The error of an option or argument with an invalid value, for all commands. */
import { Data } from "effect"
import * as DidYouMean from "../../values/DidYouMean.ts"

/** The value is invalid. To recover, change it. */
export class BadInput extends Data.TaggedError("BadInput")<{
  /** The option or argument, as it was typed. */
  readonly input: string
  readonly expected: string
  readonly found: string
  /** An additional hint: one sentence. */
  readonly advice?: string
  /** Whether the value names something that is not there: the exit code is then 3. */
  readonly missing?: boolean
}> {
  override get message() {
    const { input, expected, found, advice } = this
    return `${input}: expected ${expected}, found ${found}.${advice === undefined ? "" : ` ${advice}`}`
  }
}

/** A filter left nothing of a list. To recover, change it. */
export class NothingListed extends Data.TaggedError("NothingListed")<{
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Expected ${this.expected}, found ${this.found}.`
  }
}

/** The hint at the known names that are similar to the one that was typed, if there are any. */
export const adviceOf = (typed: string, known: ReadonlyArray<string>): { readonly advice?: string } => {
  const similar = DidYouMean.similarNames(typed, known)
  return similar.length === 0 ? {} : { advice: `Is it ${similar.join(" or ")}?` }
}

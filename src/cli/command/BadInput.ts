import { Data } from "effect"

/** Type something else: an option's or argument's value does not say what it should. */
export class BadInput extends Data.TaggedError("BadInput")<{
  /** The option or argument, as it is typed. */
  readonly input: string
  readonly expected: string
  readonly found: string
  /** What else to know or do: a sentence. */
  readonly advice?: string
}> {
  override get message() {
    const { input, expected, found, advice } = this
    return `${input}: expected ${expected}, found ${found}.${advice === undefined ? "" : ` ${advice}`}`
  }
}

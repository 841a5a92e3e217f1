/** The error of a command line whose option or argument has an invalid value. */
import { Data } from "effect"

/** An option or argument has an invalid value. To recover, change the value. */
export class BadInput extends Data.TaggedError("BadInput")<{
  /** The option or argument, as it was typed. */
  readonly input: string
  readonly expected: string
  readonly found: string
  /** An additional hint: one sentence. */
  readonly advice?: string
}> {
  override get message() {
    const { input, expected, found, advice } = this
    return `${input}: expected ${expected}, found ${found}.${advice === undefined ? "" : ` ${advice}`}`
  }
}

import { Data } from "effect"

/** Type something else: an option's or argument's value does not say what it should. */
export class BadInput extends Data.TaggedError("BadInput")<{
  /** The option or argument, as it is typed. */
  readonly input: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.input}: expected ${this.expected}, found ${this.found}.`
  }
}

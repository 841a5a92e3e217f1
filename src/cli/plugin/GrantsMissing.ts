import { Data } from "effect"

/** Grant it: a plugin asks for more than it was granted. */
export class GrantsMissing extends Data.TaggedError("GrantsMissing")<{
  /** What it asks for and lacks. */
  readonly refused: string
  /** What gives it all of that. */
  readonly remedy: string
}> {
  override get message() {
    return `${this.refused}\n${this.remedy}`
  }
}

/** The error of a plugin that requests more permissions than it was granted. */
import { Data } from "effect"

/** A plugin requests permissions that it was not granted. `remedy` is the command that grants them. */
export class GrantsMissing extends Data.TaggedError("GrantsMissing")<{
  /** The missing permissions, as text. */
  readonly refused: string
  /** The command that grants all of them. */
  readonly remedy: string
}> {
  override get message() {
    return `${this.refused}\n${this.remedy}`
  }
}

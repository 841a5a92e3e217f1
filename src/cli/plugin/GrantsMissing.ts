/** The error of commands that cannot import or activate a plugin without further permissions. */
import { Data } from "effect"

/** A plugin requests permissions that it lacks. `remedy` grants them. */
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

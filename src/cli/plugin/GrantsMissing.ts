/** The error of commands that cannot import or activate a plugin without further permissions. */
import { Data } from "effect"

/** A plugin requests permissions that it lacks. `remedy` grants them. */
export class GrantsMissing extends Data.TaggedError("GrantsMissing")<{
  readonly refused: string
  readonly remedy: string
}> {
  override get message() {
    return `${this.refused}\n${this.remedy}`
  }
}

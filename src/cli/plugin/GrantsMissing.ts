/** The error of commands that cannot import or activate a plugin because permissions are missing. */
import { Data } from "effect"

/** A plugin requests permissions that it was not granted. To recover, run `remedy`. */
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

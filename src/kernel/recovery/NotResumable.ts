/** The failure of a resumption. */

import { Data } from "effect"

/** The task cannot be resumed, for this reason. It stays as it is. */
export class NotResumable extends Data.TaggedError("NotResumable")<{
  readonly taskId: string
  readonly reason: string
}> {
  override get message() {
    return `Task ${this.taskId} cannot be resumed: ${this.reason}. Nothing was recorded.`
  }
}

/** The error of a replay or fork whose events have lost a key. */

import { Data } from "effect"

/** The task cannot be replayed: the key of personal fields in its events is missing or destroyed. */
export class NotReplayable extends Data.TaggedError("NotReplayable")<{
  readonly taskId: string
  readonly position: number
}> {
  override get message() {
    return `Task ${this.taskId} cannot be replayed or forked: the personal fields of the event at @${this.position} cannot be read, because their key was destroyed or is missing. If the key file still exists, put it next to the log (<log>.keys).`
  }
}

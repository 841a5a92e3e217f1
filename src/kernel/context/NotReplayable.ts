/** Recorded work that cannot be read, because the key of its subject is gone. */

import { Data } from "effect"

/** The task cannot be replayed: personal fields of its events can no longer be decrypted. */
export class NotReplayable extends Data.TaggedError("NotReplayable")<{
  readonly taskId: string
  readonly position: number
}> {
  override get message() {
    return `Task ${this.taskId} cannot be replayed or forked: the personal fields of the event at @${this.position} cannot be read, because their key was destroyed or is missing. If the key file still exists, put it beside the log (<log>.keys).`
  }
}

/** The projection of open tasks that processes record without a kernel. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Recorder } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

const Recordings = Schema.Record({ key: Schema.String, value: Recorder }).annotations({ identifier: "OpenRecordings" })

const apply = (recordings: RecordBuilder<Recorder>, event: Event): void => {
  if (event.taskId === null) return
  // A task that its recorder left stays open: another recorder may join it.
  if (is(event, "TaskClosed") || is(event, "RecorderLeft")) recordings.remove(event.taskId)
  else if (is(event, "TaskOpened") && event.payload.recorder !== undefined) {
    recordings.set(event.taskId, event.payload.recorder)
  } else if (is(event, "RecorderJoined")) recordings.set(event.taskId, event.payload.recorder)
}

/** The process that records each open task, by task id. */
export const projection = {
  ...recordProjection({ name: "OpenRecordings", version: 2, state: Recordings, apply }),
  types: ["TaskOpened", "TaskClosed", "RecorderJoined", "RecorderLeft"],
}

/** The projection of the version of each open task's stream, which an append that closes the task expects. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

const Versions = Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({ identifier: "TaskVersions" })

const apply = (versions: RecordBuilder<number>, event: Event): void => {
  const { taskId, stream, version } = event
  if (taskId === null || stream !== `task/${taskId}`) return
  if (is(event, "TaskClosed")) versions.remove(taskId)
  else if (is(event, "TaskOpened") || versions.get(taskId) !== undefined) versions.set(taskId, version)
}

export const projection = recordProjection({ name: "TaskVersions", version: 1, state: Versions, apply })

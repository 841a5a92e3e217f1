/** The task that started another one: as its opening says, or as imports of sub-agents write it. Pure. */

import type { ParentTask } from "../../../events/vocabulary/Tasks.ts"
import type { Json } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"

/** The fields of an opening that name the parent. */
export interface Opened {
  readonly parent?: ParentTask | undefined
  readonly environment?: Json | undefined
}

/** The parent of a task; undefined if its opening names none. */
export const parentOf = ({ parent, environment }: Opened): ParentTask | undefined => {
  if (parent !== undefined) return parent
  const taskId = parentIn(environment)
  return taskId === null ? undefined : { taskId }
}

/** The task of the agent that asked for this one, as imports of sub-agents write it. */
export const parentIn = (environment: Json | undefined): string | null => {
  for (const options of Object.values(asObject(environment))) {
    const { parent } = asObject(options)
    if (typeof parent === "string" && parent !== "") return parent
  }
  return null
}
